#pragma once

#include "dense/host_device.hpp"
#include "dense/lu/replicated_tail.hpp"

namespace spsolve::test {

/// The last rows of a team, through what their rows offer anyway.
template <typename T>
class RestOfRows final : public ReplicatedTail<T> {
 public:
  RestOfRows(BlockedRows<T>& rows, Index first, Index max_width)
      : ReplicatedTail<T>(first), own_(rows), max_width_(max_width) {}

  std::span<T> copy_active_rows(Index first_active, Index place) override {
    values_.assign(static_cast<std::size_t>(columns().size() * columns().size()), T{});
    std::ranges::copy(own_.read({first_active, own_.height()}, columns()),
                      values_.begin() + place * columns().size());
    return values_;
  }

  BlockedRows<T>& rows() override {
    Csr<double> zero;
    zero.rows = zero.columns = columns().size();
    zero.row_offsets.assign(static_cast<std::size_t>(zero.rows) + 1, 0);
    rows_ = std::make_unique<HostBlockedRows<T>>(zero, max_width_, true);
    rows_->write_rows(0, values_);
    return *rows_;
  }

  void take(Index first_active, std::span<const Index> numbers,
            std::span<const Index> swaps) override {
    std::vector<T> all = own_.read({first_active, own_.height()}, {0, own_.order()});
    const auto row = [&](Index i) { return all.begin() + (i - first_active) * own_.order(); };
    for (Index i = 0; i < std::ssize(swaps); ++i) {
      const auto one = row(first_active + i), other = row(swaps[i]);
      if (one != other) std::swap_ranges(one, one + this->first(), other);
    }
    for (Index i = 0; i < std::ssize(numbers); ++i) {
      std::ranges::copy(rows_->read({numbers[i], numbers[i] + 1}, {0, columns().size()}),
                        row(first_active + i) + this->first());
    }
    own_.write_rows(first_active, all);
  }

  std::vector<T> keep_factors(Range panel) override {
    const Range there{panel.first - this->first(), panel.last - this->first()};
    return rows_->read(there, there);
  }

 private:
  Range columns() const { return {this->first(), own_.order()}; }

  BlockedRows<T>& own_;
  Index max_width_;
  std::vector<T> values_;
  std::unique_ptr<HostBlockedRows<T>> rows_;
};

/// Rows of a host whose columns are worked on as a GPU's are: the next panel's first, then pieces,
/// of 10 columns here. Teams elect pivots from all rows where few are left, and the last third of
/// the rows every rank eliminates for itself.
template <typename T>
class PiecewiseRows final : public HostBlockedRows<T> {
 public:
  PiecewiseRows(const ScaledRows& sparse, Index max_width, bool alone)
      : HostBlockedRows<T>(sparse, max_width, alone, 10),
        rest_(*this, sparse.rows.columns - sparse.rows.columns / 3,
              std::max<Index>(max_width / 2, 1)) {}

  bool prefers_all(Range panel) const override {
    return BlockedRows<T>::order() - panel.first <= 60;
  }

  ReplicatedTail<T>* tail() override {
    return rest_.first() < BlockedRows<T>::order() ? &rest_ : nullptr;
  }

 private:
  RestOfRows<T> rest_;
};

using PiecewiseMemory = HostDeviceOf<PiecewiseRows>;

}  // namespace spsolve::test
