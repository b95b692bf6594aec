#include "cuda/multigrid/device_coarsening.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/over_blocks.hpp"
#include "cuda/core/page_lock.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/multigrid/coarsening_kernels.hpp"
#include "cuda/multigrid/halo_of_rows.hpp"
#include "cuda/multigrid/row_products.hpp"
#include "cuda/vectors/products/device_band_products.hpp"
#include "cuda/vectors/products/row_facts.hpp"
#include "team/reduce.hpp"

namespace spsolve::cuda {

namespace {

CsrView<double> rows_here(const BandMatrix& matrix) {
  const auto rows = rows_on_device(matrix.products());
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
  NodeGraph find_couplings(const BandMatrix& matrix, double theta) override {
    Team& team = matrix.team();
    const CsrView<double> a = rows_here(matrix);
    DeviceArray<double> own = together(team, [&] { return row_norms(a, current_stream()); });
    const DeviceArray<double> norms = with_halo(matrix, std::move(own), 2);
    return together(team, [&] {
      Couplings found = cuda::find_couplings(a, norms.data(), theta, current_stream());
      flags_ = std::move(found.flags);
      NodeGraph strong;
      strong.nodes = a.rows;
      bring(found.offsets, strong.offsets);
      bring(found.neighbours, strong.neighbours);
      return strong;
    });
  }

  bool take_aggregates(const BandMatrix& matrix, const Aggregates& aggregates) override {
    const bool can = together(matrix.team(), [&] {
      aggregates_ = uploaded(std::span(aggregates.of_node));
      count_ = aggregates.count;
      const bool all = std::ranges::find(aggregates.of_node, -1) == aggregates.of_node.end();
      return all ||
             !has_led_rows(rows_here(matrix), flags_.data(), aggregates_.data(), current_stream());
    });
    return all_sum(matrix.team(), can ? 0 : 1) == 0;
  }

  CoarseMatrix coarsen(const BandMatrix& matrix, std::span<const double> near,
                       double omega) override {
    Team& team = matrix.team();
    const RowLayout& fine = matrix.row_layout();
    const RowLayout coarse = bands_of_heights(team, count_);
    const Range own = coarse.band(team.rank());
    const auto matrix_of = [&](const RowLayout& rows, const RowLayout& columns,
                               NumberedRows numbered) {
      std::unique_ptr<BandProducts> products = together(team, [&] {
        return device_band_products(std::move(numbered.rows), columns.band(team.rank()).size());
      });
      return std::make_unique<BandMatrix>(team, rows, columns, numbered.others, std::move(products),
                                          matrix.memory());
    };
    const auto product_of = [&](const BandMatrix& left, const CsrView<double>& right) {
      return together(team, [&] { return row_products(rows_here(left), right, current_stream()); });
    };
    CoarseMatrix result;
    NumberedRows p = interpolation(matrix, coarse, near, omega, result.near);
    const std::vector<Index> of_p = p.others;
    result.restriction = matrix_of(coarse, fine, transposed_over_ranks(team, fine, coarse, p));
    result.interpolation = matrix_of(fine, coarse, std::move(p));
    RowsWithHalo factor = with_halo_rows(
        team, matrix.halo().plan(), rows_here(*result.interpolation), {own, of_p, coarse.rows});
    NumberedRows product{product_of(matrix, factor.view), factor.others};
    factor = with_halo_rows(team, result.restriction->halo().plan(), product.rows.view(),
                            {own, product.others, coarse.rows});
    if (factor.stacked) product.rows = {};
    DeviceCsr<double> rows = product_of(*result.restriction, factor.view);
    together(team, [&] { mend_empty_rows(rows, current_stream()); });
    result.matrix = matrix_of(coarse, coarse, {std::move(rows), std::move(factor.others)});
    return result;
  }

 private:
  /// P, and the coarse unknowns' near null space.
  NumberedRows interpolation(const BandMatrix& matrix, const RowLayout& coarse,
                             std::span<const double> near, double omega,
                             std::vector<double>& coarse_near) const {
    Team& team = matrix.team();
    const CsrView<double> a = rows_here(matrix);
    const cudaStream_t stream = current_stream();
    DeviceArray<double> own_near = together(team, [&] { return uploaded(near); });
    const TentativeRows tentative = together(team, [&] {
      return tentative_rows(aggregates_.data(), a.rows, count_, own_near.data(), stream);
    });
    const DeviceArray<double> fine_near = with_halo(matrix, std::move(own_near), 1);
    const RowsWithHalo p_0 = with_halo_rows(team, matrix.halo().plan(), tentative.rows.view(),
                                            {coarse.band(team.rank()), {}, coarse.rows});
    return together(team, [&] {
      const SmoothingRows smoothing =
          smoothing_rows(a, flags_.data(), fine_near.data(), omega, stream);
      NumberedRows p{row_products(smoothing.view(), p_0.view, stream), p_0.others};
      coarse_near.resize(static_cast<std::size_t>(count_));
      tentative.near.download(coarse_near);
      return p;
    });
  }

  DeviceArray<unsigned char> flags_;    // of A's entries
  DeviceArray<LocalIndex> aggregates_;  // of rows
  Index count_ = 0;
};

}  // namespace

std::unique_ptr<Coarsening> device_coarsening(const BandMatrix& matrix) {
  constexpr Index longest = 256;
  const bool fits = together(matrix.team(), [&] {
    const CsrView<double> rows = rows_here(matrix);
    return rows.rows > 0 && rows.rows == matrix.own_columns().size() &&
           longest_row(rows, current_stream()) <= longest;
  });
  if (all_sum(matrix.team(), fits ? 0 : 1) > 0) return nullptr;
  return std::make_unique<DeviceCoarsening>();
}

}  // namespace spsolve::cuda
