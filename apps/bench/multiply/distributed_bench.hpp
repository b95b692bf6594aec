#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/sampling.hpp"
#include "apps/bench/table.hpp"
#include "config/config.hpp"
#include "distribute/halo/halo_device.hpp"
#include "distribute/rank_share.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "multiply/compare.hpp"
#include "team/team.hpp"

namespace spsolve::bench {

/// The measurements of one distributed product.
struct DistributedSample {
  Sampled product;             ///< seconds of one product, of the slowest rank
  ProductTimes parts;          ///< of a sample's last product, medians; each where it took longest
  double prepare_seconds = 0;  ///< plan and conversion, on the slowest rank
  std::vector<RankShare> shares;
  std::optional<ProductErrors> errors;
  std::string detail;     ///< of rank 0
  std::string transport;  ///< how the halo travels
};

/// One row of results: a kernel on one matrix, dealt out over the ranks of a team.
struct DistributedRow {
  std::string matrix;
  Index rows = 0, columns = 0, nonzeros = 0;
  Kernel kernel;
  std::string device;
  Precision precision = Precision::float64;
  Index k = 1;
  int ranks = 1;
  int hosts = 1;
  int threads = 1;  ///< of each rank
  BandsChoice bands = BandsChoice::automatic;
  std::optional<DistributedSample> sample;
  std::string refused;  ///< one sentence of why there is none

  double gflops() const;            ///< 2 nnz K / median seconds / 1e9
  double bytes_per_second() const;  ///< product_floor_bytes() / median seconds
  double imbalance() const;         ///< non-zeros of the fullest rank over the mean
  Index halo_rows() const;          ///< of all ranks
  Index halo_bytes() const;         ///< in one product
};

/// The columns of `spbench multiply` over several ranks.
std::span<const Column<DistributedRow>> distributed_columns();

struct DistributedPlan {
  std::vector<const Kernel*> kernels;
  std::vector<Index> columns{1, 4, 16};
  std::vector<int> threads{1};
  std::vector<Precision> precisions{Precision::float64};
  BandsChoice bands = BandsChoice::automatic;
  SamplingOptions sampling;
  Index seed = 1;
  bool check = true;  ///< whether each rank compares its rows with the serial product of them
};

/// Measures every kernel of the plan on one matrix, which lies in bands. `make_backend` is called
/// for each number of threads. Every rank gets all rows. Collective.
std::vector<DistributedRow> sample_distributed(
    Team& team, const std::string& name, const BandedMatrix& matrix, const DistributedPlan& plan,
    const std::function<std::unique_ptr<ProductBackend>(int threads)>& make_backend,
    const std::function<void(const DistributedRow&)>& on_row);

}  // namespace spsolve::bench
