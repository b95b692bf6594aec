#include "distribute/mirrored_rows.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "distribute/redistribute.hpp"
#include "matrix/made_of_rows.hpp"

namespace spsolve::inline distribute {

namespace {

/// An entry of A, not of its real form.
struct Entry {
  Index row, column;
};

/// The first of own entries for which is_so(i, j, value) in the numbers of these rows and columns.
template <typename IsSo>
std::optional<Entry> find_entry(const Csr<double>& rows, Index first_row, Index parts,
                                const IsSo& is_so) {
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      const Index row = first_row + i, column = rows.column_indices[k];
      if (is_so(row, column, rows.values[k])) return Entry{row / parts, column / parts};
    }
  }
  return std::nullopt;
}

/// Refuses diagonals that are not those of the symmetry.
void require_diagonal(const Csr<double>& rows, Index first_row, Symmetry symmetry, Index parts,
                      const std::string& name) {
  if (symmetry == Symmetry::symmetric) return;
  const bool skew = symmetry == Symmetry::skew_symmetric;
  const auto bad = find_entry(rows, first_row, parts, [&](Index i, Index j, double value) {
    return i / parts == j / parts && (skew || i != j) && value != 0;
  });
  if (!bad) return;
  fail(ExitCode::input, "{}: the diagonal element of row {}, counted from 0, is {}", name, bad->row,
       skew ? "not zero, and the matrix skew-symmetric" : "not real, and the matrix Hermitian");
}

/// Whether the entries off the diagonal, of all ranks, are above it.
bool is_upper(Team& team, const Csr<double>& rows, Index first_row, Index parts,
              const std::string& name) {
  const auto below = find_entry(rows, first_row, parts,
                                [&](Index i, Index j, double) { return j / parts < i / parts; });
  const auto above = find_entry(rows, first_row, parts,
                                [&](Index i, Index j, double) { return j / parts > i / parts; });
  const std::vector<std::optional<Entry>> all_below = all_gather(team, below);
  const std::vector<std::optional<Entry>> all_above = all_gather(team, above);
  const auto has = [](const std::optional<Entry>& entry) { return entry.has_value(); };
  const auto lower = std::ranges::find_if(all_below, has);
  const auto upper = std::ranges::find_if(all_above, has);
  if (lower != all_below.end() && upper != all_above.end()) {
    fail_everywhere(ExitCode::input,
                    "{}: there are entries in both triangles, such as row {}, column {} and row "
                    "{}, column {}, counted from 0; give one triangle of a symmetric matrix, or "
                    "all of it as a general one",
                    name, (*lower)->row, (*lower)->column, (*upper)->row, (*upper)->column);
  }
  return upper != all_above.end();
}

/// Calls change(i, j, value) for every entry, whose row is i of these.
template <typename Change>
void change_values(Csr<double>& rows, const Change& change) {
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
      change(i, rows.column_indices[k], rows.values[k]);
    }
  }
}

/// From the real form of A^H to that of A^T, and back; both begin with an even row.
void conjugate(Csr<double>& form) {
  change_values(form, [](Index i, Index j, double& value) {
    if ((i + j) % 2 == 1) value = 0 - value;
  });
}

}  // namespace

Csr<double> with_mirrors(Team& team, const RowLayout& layout, Csr<double> rows, Symmetry symmetry,
                         Index parts, const std::string& name) {
  if (symmetry == Symmetry::general) return rows;
  const Index first_row = layout.band(team.rank()).first;
  together(team, [&] { require_diagonal(rows, first_row, symmetry, parts, name); });
  const bool upper = is_upper(team, rows, first_row, parts, name);
  const Csr<double> off_diagonal = together(team, [&] {
    return made_of_rows(rows.rows, rows.columns, [&] {
      return [&](Index i, RowChunk& chunk) {
        for (Index k = rows.row_offsets[i]; k < rows.row_offsets[i + 1]; ++k) {
          if (rows.column_indices[k] / parts == (first_row + i) / parts) continue;
          chunk.columns.push_back(rows.column_indices[k]);
          chunk.values.push_back(rows.values[k]);
        }
      };
    });
  });
  Csr<double> mirrors = transposed_rows(team, layout, layout, off_diagonal);
  return together(team, [&] {
    if (parts > 1 && symmetry != Symmetry::hermitian) conjugate(mirrors);
    if (symmetry == Symmetry::skew_symmetric) {
      change_values(mirrors, [](Index, Index, double& value) { value = 0 - value; });
    }
    const Csr<double>&before = upper ? mirrors : rows, &after = upper ? rows : mirrors;
    return made_of_rows(rows.rows, rows.columns, [&] {
      return [&](Index i, RowChunk& chunk) {
        for (const Csr<double>* part : {&before, &after}) {
          const auto columns = part->row_columns(i);
          const auto values = part->row_values(i);
          chunk.columns.insert(chunk.columns.end(), columns.begin(), columns.end());
          chunk.values.insert(chunk.values.end(), values.begin(), values.end());
        }
      };
    });
  });
}

ComplexSymmetry complex_symmetry_of(Team& team, const RowLayout& layout, const Csr<double>& form) {
  if (team.size() == 1) return matrix::complex_symmetry_of(form);
  Csr<double> mirrored = transposed_rows(team, layout, layout, form);
  const bool alike =
      mirrored.row_offsets == form.row_offsets && mirrored.column_indices == form.column_indices;
  const bool hermitian = alike && mirrored.values == form.values;
  conjugate(mirrored);
  const bool symmetric = alike && mirrored.values == form.values;
  const auto on_all = [&](bool mine) { return all_sum(team, mine ? 0 : 1) == 0; };
  return {on_all(symmetric), on_all(hermitian)};
}

}  // namespace spsolve::distribute
