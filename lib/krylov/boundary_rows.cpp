#include "krylov/boundary_rows.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/worth_threads.hpp"
#include "vectors/columns.hpp"

namespace spsolve::inline krylov {

namespace {

/// The inverse of the diagonal of each own row that holds no other number, and 0 of other rows.
Dense<double> inverses_of_rows_alone(const Csr<double>& rows, Index first) {
  Dense<double> inverses(rows.rows, 1);
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; ++i) {
    double diagonal = 0;
    bool alone = true;
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      if (rows.column_indices[k] == first + i) {
        diagonal = rows.values[k];
      } else {
        alone = alone && rows.values[k] == 0;
      }
    }
    inverses(i, 0) = alone && diagonal != 0 ? 1 / diagonal : 0;
  }
  return inverses;
}

}  // namespace

std::unique_ptr<BoundaryRows> BoundaryRows::of(SystemMatrix& matrix) {
  Team& team = matrix.team();
  BandMatrix& bands = matrix.bands();
  Csr<double> rows;
  Dense<double> inverses;
  together(team, [&] {
    rows = bands.global_rows();
    inverses = inverses_of_rows_alone(rows, bands.own_rows().first);
  });
  const Dense<double> halo = bands.halo().fetch(inverses);
  // Entries of other rows in columns of rows alone.
  Index couplings = 0;
  together(team, [&] {
    const Csr<double>& local = bands.local_rows();
    const Index own = bands.own_columns().size();
    Csr<double> kept;
    kept.rows = rows.rows;
    kept.columns = rows.columns;
    kept.row_offsets.assign(1, 0);
    // Columns by their places in the memory of products tell which rank has their row.
    std::vector<char> alone(static_cast<std::size_t>(own + halo.rows));
    for (Index j = 0; j < own; ++j) alone[j] = inverses(j, 0) != 0;
    for (Index j = 0; j < halo.rows; ++j) alone[own + j] = halo(j, 0) != 0;
    std::vector<std::pair<Index, double>> row;
    for (Index i = 0; i < local.rows; ++i) {
      row.clear();
      for (Index k = local.row_offsets[i]; k < local.row_offsets[i + 1]; ++k) {
        const LocalIndex j = local.column_indices[k];
        const Index column = bands.global_column(j);
        if (alone[j] && column != bands.own_rows().first + i) {
          couplings += local.values[k] != 0;
        } else {
          row.emplace_back(column, local.values[k]);
        }
      }
      std::ranges::sort(row);
      for (const auto& [column, value] : row) {
        kept.column_indices.push_back(static_cast<LocalIndex>(column));
        kept.values.push_back(value);
      }
      kept.row_offsets.push_back(std::ssize(kept.values));
    }
    rows = std::move(kept);
  });
  if (all_sum(team, static_cast<double>(couplings)) == 0) return nullptr;
  std::unique_ptr<BoundaryRows> made(new BoundaryRows(matrix));
  made->inside_ = std::make_unique<BandMatrix>(team, matrix.layout(), matrix.layout(),
                                               std::move(rows), matrix.memory());
  made->inverses_ = matrix.vectors(1);
  made->others_ = matrix.vectors(1);
  set_own_rows(*made->inverses_, inverses);
  for (double& value : inverses.values) value = value != 0 ? 0 : 1;
  set_own_rows(*made->others_, inverses);
  return made;
}

std::unique_ptr<Vectors> BoundaryRows::of_boundary(const Vectors& b) const {
  std::unique_ptr<Vectors> z = copy_of(b);
  z->scale_rows(*inverses_);
  return z;
}

void BoundaryRows::move_to_right(Vectors& b) const {
  const Columns one(b.columns(), 1.0), minus(b.columns(), -1.0);
  const std::unique_ptr<Vectors> z = of_boundary(b), product = b.similar(b.columns());
  matrix_.bands().apply(*z, *product);
  product->scale_rows(*others_);  // E z
  b.combine(one, minus, *product);
}

void BoundaryRows::take_back(Vectors& x) const {
  const Columns one(x.columns(), 1.0), minus(x.columns(), -1.0);
  const std::unique_ptr<Vectors> inner = copy_of(x), product = x.similar(x.columns());
  inner->scale_rows(*others_);
  matrix_.bands().apply_transposed(*inner, *product);
  product->scale_rows(*inverses_);  // D^-1 A_IB^T x_I
  x.combine(one, minus, *product);
}

void BoundaryRows::fix(const Vectors& b, Vectors& x) const {
  const Columns one(x.columns(), 1.0);
  x.scale_rows(*others_);
  x.combine(one, one, *of_boundary(b));
}

}  // namespace spsolve::krylov
