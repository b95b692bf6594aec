#include "cuda/multigrid/device_coarsening.hpp"

#include "core/error.hpp"
#include "core/over_blocks.hpp"
#include "cuda/core/page_lock.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/multigrid/halo_of_rows.hpp"
#include "cuda/multigrid/interpolation_rows.hpp"
#include "cuda/multigrid/node_rows.hpp"
#include "cuda/multigrid/row_products.hpp"
#include "cuda/multigrid/strong_connections.hpp"
#include "cuda/vectors/products/device_band_products.hpp"
#include "cuda/vectors/products/row_facts.hpp"
#include "team/reduce.hpp"

namespace spsolve::cuda::inline multigrid {

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
#pragma omp parallel for schedule(static) if (worth_threads(from.size(), elements_worth_waking))
  for (std::size_t at = 0; at < to.size(); at += page) to[at] = T{};
  download_once(from.data(), std::span<T>(to), current_stream());
}

static_assert(most_unknowns_of_node * most_unknowns_of_node <= largest_block);

/// A B of nodes, or of single rows.
DeviceCsr<double> product_of(const NodeRows& a, const NodeRows& b) {
  const cudaStream_t stream = current_stream();
  const bool single = a.size == 1 && a.run == 1 && b.run == 1;
  return single ? row_products(a.rows, b.rows, stream) : node_products(a, b, stream);
}

class DeviceCoarsening final : public Coarsening {
 public:
  DeviceCoarsening(Index size, Index kinds) : size_(size), kinds_(kinds) {}

  NodeGraph find_strong_connections(const BandMatrix& matrix, double theta) override {
    Team& team = matrix.team();
    const CsrView<double> a = rows_here(matrix);
    DeviceCsr<double> made;
    CsrView<double> blocks = a;
    DeviceArray<double> own = together(team, [&] {
      if (size_ > 1) {
        made = node_rows({a, size_, size_}, current_stream());
        blocks = made.view();
      }
      return row_norms(blocks, size_, current_stream());
    });
    const DeviceArray<double> norms = with_halo(matrix, std::move(own), 2);
    return together(team, [&] {
      StrongConnections found =
          cuda::find_strong_connections(blocks, size_, norms.data(), theta, current_stream());
      flags_ = std::move(found.flags);
      NodeGraph strong;
      strong.nodes = blocks.rows;
      bring(found.offsets, strong.offsets);
      bring(found.neighbours, strong.neighbours);
      return strong;
    });
  }

  void take_aggregates(const BandMatrix& matrix, const Aggregates& aggregates) override {
    together(matrix.team(), [&] {
      aggregates_ = uploaded(std::span(aggregates.of_node));
      count_ = aggregates.count;
      led_ =
          led_nodes(rows_here(matrix), size_, flags_.data(), aggregates_.data(), current_stream());
    });
    led_.any = all_sum(matrix.team(), led_.any ? 1 : 0) > 0;
    if (!led_.any) led_ = {};
  }

  CoarseMatrix coarsen(const BandMatrix& matrix, const Dense<double>& near, double omega) override {
    Team& team = matrix.team();
    const RowLayout& fine = matrix.row_layout();
    const RowLayout coarse = bands_of_heights(team, count_ * kinds_);
    const Range own = coarse.band(team.rank());
    const auto matrix_of = [&](const RowLayout& rows, const RowLayout& columns,
                               NumberedRows numbered, Index of_node) {
      std::unique_ptr<BandProducts> products = together(team, [&] {
        return device_band_products(std::move(numbered.rows), columns.band(team.rank()).size(),
                                    of_node);
      });
      return std::make_unique<BandMatrix>(team, rows, columns, numbered.others, std::move(products),
                                          matrix.memory());
    };
    CoarseMatrix result;
    NumberedRows p = interpolation(matrix, coarse, near, omega, result.near);
    const std::vector<Index> of_p = p.others;
    result.restriction =
        matrix_of(coarse, fine, transposed_over_ranks(team, fine, coarse, p), kinds_);
    result.interpolation = matrix_of(fine, coarse, std::move(p), size_);
    RowsWithHalo factor = with_halo_rows(
        team, matrix.halo().plan(), rows_here(*result.interpolation), {own, of_p, coarse.rows});
    NumberedRows product{
        together(
            team,
            [&] {
              return product_of({rows_here(matrix), size_, size_}, {factor.view, size_, kinds_});
            }),
        factor.others};
    factor = with_halo_rows(team, result.restriction->halo().plan(), product.rows.view(),
                            {own, product.others, coarse.rows});
    if (factor.stacked) product.rows = {};
    DeviceCsr<double> rows = together(team, [&] {
      DeviceCsr<double> made =
          product_of({rows_here(*result.restriction), kinds_, size_}, {factor.view, size_, kinds_});
      mend_empty_rows(made, current_stream());
      return made;
    });
    result.matrix = matrix_of(coarse, coarse, {std::move(rows), std::move(factor.others)}, kinds_);
    return result;
  }

 private:
  /// P, and the coarse unknowns' near null space.
  NumberedRows interpolation(const BandMatrix& matrix, const RowLayout& coarse,
                             const Dense<double>& near, double omega,
                             Dense<double>& coarse_near) const {
    Team& team = matrix.team();
    const CsrView<double> a = rows_here(matrix);
    const cudaStream_t stream = current_stream();
    TentativeRows tentative;
    DeviceArray<double> own_lone = together(team, [&] {
      const DeviceArray<double> own_near = uploaded(std::span<const double>(near.values));
      tentative = tentative_rows(aggregates_.data(), a.rows / size_, size_, count_, own_near.data(),
                                 kinds_, stream);
      DeviceArray<double> entries = lone_entries(own_near.data(), a.rows, size_, kinds_, stream);
      wait_for(stream);  // the near null space goes
      return entries;
    });
    const DeviceArray<double> lone = with_halo(matrix, std::move(own_lone), 1);
    const Range own = coarse.band(team.rank());
    RowsWithHalo p_0 =
        with_halo_rows(team, matrix.halo().plan(), tentative.rows.view(), {own, {}, coarse.rows});
    DeviceCsr<double> led_rows;
    if (led_.any) {
      together(team, [&] {
        const RowsInPlace weights = leading_rows(a, size_, flags_.data(), led_.flags.data(),
                                                 lone.data(), p_0.view.row_offsets, stream);
        led_rows = product_of({weights.view(), size_, size_}, {p_0.view, size_, kinds_});
      });
      const std::vector<Index> others = std::move(p_0.others);
      p_0 = with_halo_rows(team, matrix.halo().plan(), led_rows.view(), {own, others, coarse.rows});
    }
    return together(team, [&] {
      const RowsInPlace smoothing =
          smoothing_rows(a, size_, flags_.data(), lone.data(), omega, stream);
      NumberedRows p{product_of({smoothing.view(), size_, size_}, {p_0.view, size_, kinds_}),
                     p_0.others};
      leave_out_unnamed(p, own.size());
      coarse_near = Dense<double>(count_ * kinds_, kinds_);
      tentative.near.download(coarse_near.values);
      return p;
    });
  }

  Index size_, kinds_;                  // unknowns of a node, vectors of the near null space
  DeviceArray<unsigned char> flags_;    // of A's blocks
  DeviceArray<LocalIndex> aggregates_;  // of nodes
  Index count_ = 0;
  LedNodes led_;  // own ones, where there is any on any rank
};

}  // namespace

std::unique_ptr<Coarsening> device_coarsening(const BandMatrix& matrix, Index size, Index kinds) {
  constexpr Index longest = 256, longest_of_nodes = 1536;
  const bool fits = together(matrix.team(), [&] {
    const CsrView<double> rows = rows_here(matrix);
    return rows.rows > 0 && rows.rows == matrix.own_columns().size() &&
           size <= most_unknowns_of_node && kinds <= most_unknowns_of_node &&
           longest_row(rows, current_stream()) <= (size == 1 ? longest : longest_of_nodes);
  });
  if (all_sum(matrix.team(), fits ? 0 : 1) > 0) return nullptr;
  return std::make_unique<DeviceCoarsening>(size, kinds);
}

}  // namespace spsolve::cuda::multigrid
