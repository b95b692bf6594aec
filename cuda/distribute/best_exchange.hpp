#pragma once

#include <map>

#include "cuda/distribute/device_exchange.hpp"

namespace spsolve::cuda::inline distribute {

/// Takes the transport that is fastest for the rows at hand: tries all usable ones when it first
/// meets a number of bytes a row, on all ranks alike, and keeps to the answer.
class BestExchange final : public DeviceExchange {
 public:
  BestExchange(Transports& transports, const HaloPlan& plan);

  /// The chosen transport; where there was a choice, with the times of all.
  std::string name() const override { return name_; }
  void prepare(const std::byte* x, Index row_bytes) override;
  std::byte* outgoing() override { return chosen_->outgoing(); }
  const std::byte* incoming() const override { return chosen_->incoming(); }
  void start(const std::byte* x, cudaStream_t stream) override { chosen_->start(x, stream); }
  void finish(cudaStream_t stream) override { chosen_->finish(stream); }
  void release(cudaStream_t stream) override { chosen_->release(stream); }

 private:
  struct Choice {
    Transport transport;
    std::string name;
  };

  DeviceExchange& exchange_of(Transport transport);
  Choice choose(const std::byte* x, Index row_bytes);
  double seconds_of(DeviceExchange& exchange, const std::byte* x);

  Transports& transports_;
  const HaloPlan& plan_;
  Stream stream_{Stream::Order::alone_and_first};
  std::map<Index, Choice> choices_;  ///< by bytes a row
  std::map<Transport, std::unique_ptr<DeviceExchange>> made_;
  DeviceExchange* chosen_ = nullptr;
  std::string name_;
};

}  // namespace spsolve::cuda::distribute
