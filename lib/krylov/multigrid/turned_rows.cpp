#include "krylov/multigrid/turned_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/worth_threads.hpp"
#include "matrix/made_of_rows.hpp"
#include "matrix/real_form.hpp"
#include "team/reduce.hpp"

namespace spsolve::inline krylov {

namespace {

using Complex = std::complex<double>;

/// Where the number of an entry of a row of real parts is, and that of imaginary parts.
struct NumberPlaces {
  double *upper, *lower;

  Complex get() const { return {upper[0], -upper[1]}; }
  void set(Complex number) const {
    upper[0] = lower[1] = number.real();
    upper[1] = -number.imag();
    lower[0] = number.imag();
  }
};

/// visit(its column, places) for all entries of the number's rows.
template <typename Visit>
void over_numbers(Csr<double>& rows, Index number, const Visit& visit) {
  const Index row = complex_parts * number;
  double* const upper = rows.values.data() + rows.row_offsets[row];
  double* const lower = rows.values.data() + rows.row_offsets[row + 1];
  const auto columns = rows.row_columns(row);
  for (std::size_t k = 0; k < columns.size(); k += complex_parts) {
    visit(columns[k] / complex_parts, NumberPlaces{upper + k, lower + k});
  }
}

}  // namespace

Turns turns_of(const Csr<double>& rows) {
  Turns turns(static_cast<std::size_t>(rows.rows / complex_parts), 1.0);
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows; i += complex_parts) {
    const auto columns = rows.row_columns(i);
    const auto values = rows.row_values(i);
    for (std::size_t k = 0; k < columns.size(); k += complex_parts) {
      const double size = std::hypot(values[k], values[k + 1]);
      if (columns[k] == i && size > 0) {
        turns[i / complex_parts] = Complex(values[k], values[k + 1]) / size;
      }
    }
  }
  return turns;
}

void turn_rows(std::span<const Complex> turns, Csr<double>& rows) {
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < std::ssize(turns); ++i) {
    over_numbers(rows, i, [&](Index, NumberPlaces at) { at.set(turns[i] * at.get()); });
  }
}

void conjugate_numbers(Csr<double>& rows) {
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < rows.rows / complex_parts; ++i) {
    over_numbers(rows, i, [](Index, NumberPlaces at) { at.set(std::conj(at.get())); });
  }
}

Csr<double> matrix_of_turns(const Turns& turns, bool conjugated, Index first, Index columns) {
  return made_of_rows(complex_parts * std::ssize(turns), columns, [&] {
    return [&](Index i, RowChunk& chunk) {
      const Complex u = turns[i / complex_parts];
      const double sign = conjugated ? -1 : 1;
      const bool upper = i % complex_parts == 0;
      const auto column = static_cast<LocalIndex>(first + i - i % complex_parts);
      chunk.columns.insert(chunk.columns.end(), {column, column + 1});
      if (upper) {
        chunk.values.insert(chunk.values.end(), {u.real(), sign * -u.imag()});
      } else {
        chunk.values.insert(chunk.values.end(), {u.imag(), sign * u.real()});
      }
    };
  });
}

bool add_damping(Team& team, double share, Csr<double>& rows) {
  const Index numbers = rows.rows / complex_parts;
  Turns sums(static_cast<std::size_t>(numbers));
  double imaginary = 0, masses = 0;
  for (Index i = 0; i < numbers; ++i) {
    over_numbers(rows, i, [&](Index, NumberPlaces at) { sums[i] += at.get(); });
    masses += std::max(0.0, -sums[i].real());
    imaginary += sums[i].imag();
  }
  const double sign = all_sum(team, imaginary) > 0 ? 1 : -1;
#pragma omp parallel for schedule(static) if (worth_threads(rows.nonzeros()))
  for (Index i = 0; i < numbers; ++i) {
    const Complex shift(0, sign * share * std::max(0.0, -sums[i].real()));
    over_numbers(rows, i, [&](Index column, NumberPlaces at) {
      if (column == i) at.set(at.get() + shift);
    });
  }
  return all_sum(team, masses) > 0;
}

}  // namespace spsolve::krylov
