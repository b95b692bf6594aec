#include "cuda/multigrid/device_coarsening.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/over_blocks.hpp"
#include "cuda/core/page_lock.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/multigrid/coarsening_kernels.hpp"
#include "cuda/multigrid/row_products.hpp"
#include "cuda/vectors/products/device_band_products.hpp"
#include "cuda/vectors/products/row_facts.hpp"
#include "cuda/vectors/products/transposed_rows.hpp"

namespace spsolve::cuda {

namespace {

CsrView<double> rows_here(const BandProducts& products) {
  const auto rows = rows_on_device(products);
  if (!rows) fail(ExitCode::internal, "the rows of a level of multigrid are not on the GPU");
  return *rows;
}

template <typename T>
DeviceArray<T> uploaded(std::span<const T> values) {
  DeviceArray<T> result(static_cast<Index>(values.size()));
  upload_once(values, result.data(), current_stream());
  return result;
}

/// To new memory of the host, whose pages all threads ask the system for.
template <typename T>
void bring(const DeviceArray<T>& from, UntouchedVector<T>& to) {
  to.resize(static_cast<std::size_t>(from.size()));
  constexpr std::size_t page = 4096 / sizeof(T);
#pragma omp parallel for schedule(static) if (from.size() > elements_worth_waking)
  for (std::size_t at = 0; at < to.size(); at += page) to[at] = T{};
  download_once(from.data(), std::span<T>(to), current_stream());
}

class DeviceCoarsening final : public Coarsening {
 public:
  NodeGraph find_couplings(const BandProducts& matrix, double theta) override {
    const CsrView<double> a = rows_here(matrix);
    Couplings found = cuda::find_couplings(a, theta, current_stream());
    flags_ = std::move(found.flags);
    NodeGraph strong;
    strong.nodes = a.rows;
    bring(found.offsets, strong.offsets);
    bring(found.neighbours, strong.neighbours);
    return strong;
  }

  bool take_aggregates(const BandProducts& matrix, const Aggregates& aggregates) override {
    aggregates_ = uploaded(std::span(aggregates.of_node));
    count_ = aggregates.count;
    const bool all = std::ranges::find(aggregates.of_node, -1) == aggregates.of_node.end();
    return all ||
           !has_led_rows(rows_here(matrix), flags_.data(), aggregates_.data(), current_stream());
  }

  CoarseProducts coarsen(const BandProducts& matrix, std::span<const double> near,
                         double omega) override {
    const cudaStream_t stream = current_stream();
    const CsrView<double> a = rows_here(matrix);
    DeviceCsr<double> p;
    CoarseProducts result;
    {
      const DeviceArray<double> fine_near = uploaded(near);
      const TentativeRows tentative =
          tentative_rows(aggregates_.data(), a.rows, count_, fine_near.data(), stream);
      const SmoothingRows smoothing =
          smoothing_rows(a, flags_.data(), fine_near.data(), omega, stream);
      p = row_products(smoothing.view(), tentative.rows.view(), stream);
      result.near.resize(static_cast<std::size_t>(count_));
      tentative.near.download(result.near);
    }
    DeviceCsr<double> restriction = transposed_rows(p.view(), stream);
    DeviceCsr<double> coarse;
    {
      const DeviceCsr<double> product = row_products(a, p.view(), stream);
      coarse = row_products(restriction.view(), product.view(), stream);
    }
    mend_empty_rows(coarse, stream);
    result.interpolation = device_band_products(std::move(p), count_);
    result.restriction = device_band_products(std::move(restriction), a.rows);
    result.matrix = device_band_products(std::move(coarse), count_);
    return result;
  }

 private:
  DeviceArray<unsigned char> flags_;    // of A's entries
  DeviceArray<LocalIndex> aggregates_;  // of rows
  Index count_ = 0;
};

}  // namespace

std::unique_ptr<Coarsening> device_coarsening(const BandProducts& products) {
  constexpr Index longest = 256;
  const CsrView<double> rows = rows_here(products);
  if (rows.rows == 0 || rows.rows != rows.columns) return nullptr;
  if (longest_row(rows, current_stream()) > longest) return nullptr;
  return std::make_unique<DeviceCoarsening>();
}

}  // namespace spsolve::cuda
