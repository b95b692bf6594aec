#include "api/matrix_of_arrays.hpp"

#include "distribute/mirrored_rows.hpp"
#include "distribute/reading/scatter.hpp"
#include "matrix/real_form.hpp"

namespace spsolve {

namespace {

constexpr const char* in_errors = "the matrix";

Index parts_of(NumberType type) {
  return has_two_parts(type) ? complex_parts : 1;
}

/// A matrix of whole arrays.
Matrix made_of(Csr<double> rows, NumberType type, Symmetry symmetry) {
  const Index parts = parts_of(type);
  if (symmetry != Symmetry::general) {
    SoloTeam alone;
    if (rows.rows != rows.columns) {
      fail(ExitCode::input, "{}: one triangle is of a square matrix, and this one is {} x {}",
           in_errors, rows.rows / parts, rows.columns / parts);
    }
    const RowLayout all{rows.rows, 1};
    rows = with_mirrors(alone, all, std::move(rows), symmetry, parts, in_errors);
  }
  return Matrix(std::make_shared<const Csr<double>>(std::move(rows)), {}, parts > 1);
}

/// The facts that each rank tells of its rows.
struct Told {
  Range rows;
  Index columns;
  Index parts;
  Symmetry symmetry;
};

/// Refuses, on every rank, rows that are not those of one matrix; hands back their layout.
RowLayout layout_of(const std::vector<Told>& told) {
  RowLayout layout{0, static_cast<int>(told.size()), {0}};
  for (std::size_t rank = 0; rank < told.size(); ++rank) {
    const auto& [rows, columns, parts, symmetry] = told[rank];
    if (rows.first != layout.rows) {
      fail_everywhere(ExitCode::input,
                      "{}: rank {} hands over rows {} to {}, counted from 0, and the ranks before "
                      "it those to {}: own rows {}",
                      in_errors, rank, rows.first, rows.last, layout.rows,
                      rows.first > layout.rows ? "leave a gap" : "overlap");
    }
    const auto require_equal = [&](Index mine, Index of_first, const char* what) {
      if (mine == of_first) return;
      fail_everywhere(ExitCode::input, "{}: rank {} names {} {}, and rank 0 {}", in_errors, rank,
                      mine, what, of_first);
    };
    require_equal(columns, told[0].columns, "columns");
    require_equal(parts, told[0].parts, "doubles to a value, 2 of complex ones");
    if (symmetry != told[0].symmetry) {
      fail_everywhere(ExitCode::input, "{}: rank {} names another symmetry than rank 0", in_errors,
                      rank);
    }
    layout.borders.push_back(layout.rows = rows.last);
  }
  if (told[0].symmetry != Symmetry::general && layout.rows != told[0].columns) {
    fail_everywhere(ExitCode::input,
                    "{}: one triangle is of a square matrix, and this one is {} x {}", in_errors,
                    layout.rows, told[0].columns);
  }
  // Those of equal height, where that is what they are: they are dealt out with the same bits.
  layout = layout_of_rows(layout, told[0].parts);
  const RowLayout equal = bands_of_nodes(layout.rows, layout.ranks, told[0].parts);
  bool same = true;
  for (int rank = 0; rank < layout.ranks; ++rank) {
    same = same && equal.band(rank) == layout.band(rank);
  }
  return same ? equal : layout;
}

}  // namespace

Matrix matrix_of(const CompressedArrays& arrays, Symmetry symmetry) {
  return made_of(csr_from_arrays(arrays, in_errors), arrays.values.type, symmetry);
}

Matrix matrix_of(const EntryArrays& arrays, Symmetry symmetry) {
  return made_of(csr_from_entries(arrays, in_errors), arrays.values.type, symmetry);
}

Matrix matrix_of(const Ranks& ranks, Range own, CompressedArrays arrays, Symmetry symmetry) {
  Team& team = ranks.team();
  const Index parts = parts_of(arrays.values.type);
  Csr<double> rows = together(team, [&] {
    if (own.first < 0 || own.last < own.first) {
      fail(ExitCode::input, "{}: rows {} to {} cannot be", in_errors, own.first, own.last);
    }
    arrays.rows = own.size();
    return csr_from_arrays(arrays, in_errors);
  });
  const RowLayout layout = layout_of(all_gather(team, Told{own, arrays.columns, parts, symmetry}));
  rows = with_mirrors(team, layout, std::move(rows), symmetry, parts, in_errors);
  bool conjugates = false;
  if (parts > 1 && layout.rows == rows.columns) {
    conjugates = complex_symmetry_of(team, layout, rows).wants_conjugate_rows();
    if (conjugates) conjugate_rows(rows);
  }
  std::shared_ptr<const MatrixBands> bands;
  const Index nonzeros = all_sum(team, rows.nonzeros());
  if (team.size() > 1) {
    bands = std::make_shared<const MatrixBands>(MatrixBands{ranks, layout, nonzeros});
  }
  return Matrix(std::move(bands), std::move(rows), parts > 1, conjugates);
}

void require_ranks_of(const Matrix& a, const Ranks& ranks) {
  Team& team = ranks.team();
  const MatrixBands* const bands = a.bands();
  together(team, [&] {
    if (bands == nullptr) return;
    const Ranks& of = bands->ranks;
    if (of.size() == ranks.size() && of.rank() == ranks.rank()) return;
    fail(ExitCode::input,
         "{}: its rows lie on {} ranks, and it is given to {}: name the ranks of from_own_rows()",
         in_errors, of.size(), ranks.size());
  });
  const std::vector<int> has = all_gather(team, bands != nullptr ? 1 : 0);
  for (int rank = 1; rank < team.size(); ++rank) {
    if (has[rank] == has[0]) continue;
    fail_everywhere(ExitCode::input,
                    "{}: rank {} gives its own rows of one, and rank {} does not: all do, or rank "
                    "0 alone gives a whole one",
                    in_errors, has[0] ? 0 : rank, has[0] ? rank : 0);
  }
}

Csr<double> rows_in_bands(const Matrix& a, Team& team, const RowLayout& layout) {
  if (a.bands() == nullptr) return scatter_rows(team, layout, a.csr());
  return together(team, [&] { return a.csr(); });
}

}  // namespace spsolve
