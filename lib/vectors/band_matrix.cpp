#include "vectors/band_matrix.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/over_blocks.hpp"
#include "distribute/foreign_columns.hpp"

namespace spsolve::inline vectors {

namespace {

HaloPlan plan_for(Team& team, const RowLayout& layout, const Csr<double>& rows) {
  if (team.size() == 1) return make_halo_plan(team, layout, {});
  const std::vector<Index> needed =
      together(team, [&] { return foreign_columns(rows, layout.band(team.rank())); });
  return make_halo_plan(team, layout, needed);
}

}  // namespace

BandMatrix::BandMatrix(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
                       Csr<double> rows, const VectorMemory& memory)
    : BasicBandMatrix(team, row_layout, plan_for(team, column_layout, rows), memory),
      nonzeros_(all_sum(team, rows.nonzeros())),
      rows_(std::move(rows)) {
  together(team, [&] {
    number_columns(rows_, own_columns(), plan().halo);
    local_ = memory.products(rows_, own_columns().size());
  });
}

BandMatrix::BandMatrix(Team& team, const RowLayout& row_layout, const RowLayout& column_layout,
                       const std::vector<Index>& others, std::unique_ptr<BandProducts> products,
                       const VectorMemory& memory)
    : BasicBandMatrix(team, row_layout, make_halo_plan(team, column_layout, others), memory),
      nonzeros_(all_sum(team, products->nonzeros())) {
  local_ = std::move(products);
}

Csr<double> BandMatrix::global_rows() const {
  Csr<double> rows = local_rows();
  name_columns(rows, own_columns(), plan().halo, column_layout().rows);
  return rows;
}

void BandMatrix::set_values(std::span<const double> values) {
  together(team_, [&] {
    if (values.size() != rows_.values.size()) {
      fail(ExitCode::input,
           "the matrix has {} non-zeros on this rank, and {} new values came; give one for each",
           rows_.values.size(), values.size());
    }
  });
  // Not before all ranks agree: else some would have new ones.
  together(team_, [&] {
  // Into the memory that is there: new pages take longer than the copy.
#pragma omp parallel for schedule(static) if (worth_threads(std::ssize(values)))
    for (std::size_t k = 0; k < values.size(); ++k) rows_.values[k] = values[k];
    products().take_new_values();
  });
}

std::unique_ptr<Vectors> BandMatrix::vectors_of_rows(Index columns) const {
  return together(team_, [&] { return memory_.vectors(team_, row_layout_, columns); });
}

std::unique_ptr<Vectors> BandMatrix::vectors_of_columns(Index columns) const {
  return together(team_, [&] { return memory_.vectors(team_, column_layout(), columns); });
}

void BandMatrix::expect_many_products() {
  together(team_, [&] { products().expect_many(); });
  carrier_->expect_many();
}

void BandMatrix::apply_and_dot(const Vectors& x, Vectors& y, const ToRow& sums) {
  with_halo(x, [&](const HaloView& halo) { products().multiply_and_dot(x, halo, y, sums); });
  sum_over_ranks(team_, sums);
}

void BandMatrix::apply_transposed(const Vectors& x, Vectors& y) {
  Dense<double> halo;
  products().multiply_transposed(x, y, halo);
  add_from_others(halo, y);
}

void BandMatrix::apply_magnitudes_transposed(const Vectors& x, Vectors& y) {
  Dense<double> halo;
  products().multiply_magnitudes_transposed(x, y, halo);
  add_from_others(halo, y);
}

/// The sums that this rank found for others' rows go there.
void BandMatrix::add_from_others(const Dense<double>& halo, Vectors& y) {
  if (team_.size() == 1) return;
  Dense<double> own = spsolve::own_rows(y);
  halo_.give_back(halo, Combination::sum, own);
  set_own_rows(y, own);
}

void BandMatrix::subtract(const Vectors& b, const Vectors& x, Vectors& r) {
  with_halo(x, [&](const HaloView& halo) { products().subtract(b, x, halo, r); });
}

void BandMatrix::add(const Vectors& x, Vectors& y) {
  with_halo(x, [&](const HaloView& halo) { products().add(x, halo, y); });
}

void BandMatrix::relax(const RelaxationStep& step, const Vectors& b, const Vectors& x, Vectors& y) {
  with_halo(x, [&](const HaloView& halo) { products().relax(step, b, x, halo, y); });
}

}  // namespace spsolve::vectors
