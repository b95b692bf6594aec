#include "sparse/matching/block_triangular_form.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <btf.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "matrix/structure.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/matching/matching.hpp"

namespace spsolve::inline sparse {

namespace {

// The function of BTF for 32 and 64 bits. It takes matrices by columns: A by rows is A^T to it.
int components(int n, int* starts, int* rows, int* q, int* p, int* blocks, int* scratch) {
  return btf_strongcomp(n, starts, rows, q, p, blocks, scratch);
}
SuiteSparse_long components(SuiteSparse_long n, SuiteSparse_long* starts, SuiteSparse_long* rows,
                            SuiteSparse_long* q, SuiteSparse_long* p, SuiteSparse_long* blocks,
                            SuiteSparse_long* scratch) {
  return btf_l_strongcomp(n, starts, rows, q, p, blocks, scratch);
}

/// A^T by columns, in the integers of one of BTF's two versions. `matrix` must outlive it.
template <typename Integer>
struct Transposed {
  explicit Transposed(const Csr<double>& matrix)
      : n(static_cast<Integer>(matrix.rows)),
        starts(matrix.row_offsets.begin(), matrix.row_offsets.end()) {
    if constexpr (std::is_same_v<Integer, LocalIndex>) {
      rows = const_cast<LocalIndex*>(matrix.column_indices.data());  // BTF only reads them
    } else {
      copy.assign(matrix.column_indices.begin(), matrix.column_indices.end());
      rows = copy.data();
    }
  }
  Integer n;
  std::vector<Integer> starts;
  std::vector<Integer> copy;
  Integer* rows = nullptr;
};

template <typename Integer>
BlockTriangularForm form_of(const Csr<double>& matrix,
                            const std::vector<LocalIndex>& row_of_column) {
  if (matrix.rows == 0) return {};
  Transposed<Integer> transposed(matrix);
  const auto n = static_cast<std::size_t>(matrix.rows);
  std::vector<Integer> q(row_of_column.begin(), row_of_column.end());
  std::vector<Integer> p(n), starts(n + 1), scratch(4 * n);
  const Integer blocks = components(transposed.n, transposed.starts.data(), transposed.rows,
                                    q.data(), p.data(), starts.data(), scratch.data());
  // P A^T Q is block upper triangular: with its blocks in opposite order, Q^T A P^T is.
  BlockTriangularForm form;
  form.rows.reserve(n);
  form.columns.reserve(n);
  form.starts.reserve(static_cast<std::size_t>(blocks) + 1);
  for (Integer b = blocks - 1; b >= 0; --b) {
    std::sort(p.begin() + starts[b], p.begin() + starts[b + 1]);
    for (Integer k = starts[b]; k < starts[b + 1]; ++k) {
      form.columns.push_back(static_cast<LocalIndex>(p[k]));
      form.rows.push_back(row_of_column[p[k]]);
    }
    form.starts.push_back(static_cast<LocalIndex>(form.columns.size()));
  }
  return form;
}

bool fits_local(const Csr<double>& matrix) {
  return matrix.nonzeros() <= std::numeric_limits<LocalIndex>::max();
}

void check_square(const Csr<double>& matrix) {
  if (matrix.rows != matrix.columns) {
    fail(ExitCode::internal, "the block triangular form of a {} x {} matrix", matrix.rows,
         matrix.columns);
  }
}

/// The rows of `first` and every row of `matrix` that is reached from them: from a row to the
/// columns of its non-zeros, and from column j to row match[j]. Hands back rows and columns,
/// ascending.
std::pair<std::vector<LocalIndex>, std::vector<LocalIndex>> reached_from(
    const Csr<double>& matrix, const std::vector<LocalIndex>& first,
    const std::vector<LocalIndex>& match) {
  std::vector<LocalIndex> rows = first, columns;
  std::vector<char> seen(static_cast<std::size_t>(matrix.columns), 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (Index e = matrix.row_offsets[rows[k]]; e < matrix.row_offsets[rows[k] + 1]; ++e) {
      const LocalIndex j = matrix.column_indices[e];
      if (matrix.values[e] == 0 || seen[j]) continue;
      seen[j] = 1;
      columns.push_back(j);
      rows.push_back(match[j]);
    }
  }
  std::sort(rows.begin(), rows.end());
  std::sort(columns.begin(), columns.end());
  return {std::move(rows), std::move(columns)};
}

std::string named(std::string_view one, const std::vector<LocalIndex>& numbers, std::size_t most) {
  std::string text = fmt::format("{}{} ", one, numbers.size() == 1 ? "" : "s");
  const std::size_t count = std::min(most, numbers.size());
  for (std::size_t k = 0; k < count; ++k) {
    const bool last = k + 1 == numbers.size();
    text += fmt::format("{}{}", k == 0 ? "" : last ? " and " : ", ", Index{numbers[k]} + 1);
  }
  if (count < numbers.size()) text += fmt::format(" and {} more", numbers.size() - count);
  return text;
}

std::string defect_in_words(std::string_view one, const std::vector<LocalIndex>& many,
                            std::string_view other, const std::vector<LocalIndex>& few,
                            std::size_t most) {
  const std::string_view verb = many.size() == 1 ? "has" : "have";
  if (few.empty()) return fmt::format("{} {} no non-zeros", named(one, many, most), verb);
  return fmt::format("{} {} non-zeros in {} only", named(one, many, most), verb,
                     named(other, few, most));
}

}  // namespace

BlockTriangularForm block_triangular_form(const Csr<double>& matrix,
                                          const std::vector<LocalIndex>& row_of_column) {
  check_square(matrix);
  if (static_cast<Index>(row_of_column.size()) != matrix.rows) {
    fail(ExitCode::internal, "a permutation of {} rows for a matrix of {}", row_of_column.size(),
         matrix.rows);
  }
  return fits_local(matrix) ? form_of<LocalIndex>(matrix, row_of_column)
                            : form_of<SuiteSparse_long>(matrix, row_of_column);
}

namespace {

/// Gives divided.block the pattern without the entries between blocks; empties it where there are
/// none.
void drop_between(const Csr<double>& matrix, const std::vector<LocalIndex>& block_of_row,
                  DividedPattern& divided) {
  divided.row_offsets.assign(1, 0);
  divided.columns.reserve(matrix.column_indices.size());
  for (Index i = 0; i < matrix.rows; ++i) {
    for (const LocalIndex j : matrix.row_columns(i)) {
      if (divided.block[j] == block_of_row[i]) divided.columns.push_back(j);
    }
    divided.row_offsets.push_back(static_cast<Index>(divided.columns.size()));
  }
  if (divided.columns.size() == matrix.column_indices.size()) divided = {};
}

}  // namespace

DividedPattern divide(const Csr<double>& matrix, std::vector<LocalIndex> row_of) {
  const Index n = matrix.rows;
  if (row_of.empty()) {
    row_of.resize(n);
    std::iota(row_of.begin(), row_of.end(), 0);
  }
  const BlockTriangularForm form = block_triangular_form(matrix, row_of);
  if (form.blocks() <= 1) return {};
  DividedPattern divided;
  divided.block.resize(n);
  std::vector<LocalIndex> block_of_row(n);
  for (LocalIndex b = 0; b < form.blocks(); ++b) {
    for (LocalIndex k = form.starts[b]; k < form.starts[b + 1]; ++k) {
      divided.block[form.columns[k]] = b;
      block_of_row[form.rows[k]] = b;
    }
  }
  drop_between(matrix, block_of_row, divided);
  return divided;
}

DividedPattern divide_from_rows_alone(const Csr<double>& matrix) {
  const std::vector<char> alone = rows_alone(matrix);
  if (alone.empty()) return {};
  DividedPattern divided;
  divided.block.assign(alone.begin(), alone.end());
  drop_between(matrix, divided.block, divided);
  return divided;
}

StructuralDefect structural_defect(const Csr<double>& matrix,
                                   const std::vector<LocalIndex>& row_of_column,
                                   const std::vector<LocalIndex>& unmatched_rows,
                                   const std::vector<LocalIndex>& unmatched_columns) {
  StructuralDefect defect;
  if (unmatched_rows.empty() && unmatched_columns.empty()) return defect;
  std::tie(defect.rows, defect.few_columns) = reached_from(matrix, unmatched_rows, row_of_column);
  std::vector<LocalIndex> column_of_row(row_of_column.size());
  for (std::size_t j = 0; j < row_of_column.size(); ++j) {
    column_of_row[row_of_column[j]] = static_cast<LocalIndex>(j);
  }
  std::tie(defect.columns, defect.few_rows) =
      reached_from(transpose(matrix), unmatched_columns, column_of_row);
  return defect;
}

std::string in_words(const StructuralDefect& defect, std::size_t most) {
  if (defect.rows.empty() && defect.columns.empty()) return "";
  const StructuralDefect told{
      RowNames::told_once(defect.rows), RowNames::told_once(defect.few_columns),
      RowNames::told_once(defect.columns), RowNames::told_once(defect.few_rows)};
  const std::string rows = defect_in_words("row", told.rows, "column", told.few_columns, most);
  const std::string columns = defect_in_words("column", told.columns, "row", told.few_rows, most);
  const bool few_rows = std::max(told.rows.size(), told.few_columns.size()) <= most;
  const bool few_columns = std::max(told.columns.size(), told.few_rows.size()) <= most;
  if (few_rows != few_columns) return few_rows ? rows : columns;
  return rows + "; " + columns;
}

}  // namespace spsolve::sparse
