// Systems of complex numbers, by their real form.

#include <algorithm>

#include "api/solver_state.hpp"
#include "matrix/real_form.hpp"

namespace spsolve {

namespace {

/// Numbers of which the parts are given, or their conjugates.
void give_numbers(const Dense<double>& parts, std::span<std::complex<double>> to, bool conjugates) {
  for (std::size_t k = 0; k < to.size(); ++k) {
    const double imaginary = parts.values[2 * k + 1];
    to[k] = {parts.values[2 * k], conjugates ? -imaginary : imaginary};
  }
}

/// The parts of complex numbers, which lie one after the other.
std::span<const double> parts_in(std::span<const std::complex<double>> numbers) {
  return {reinterpret_cast<const double*>(numbers.data()), 2 * numbers.size()};
}

}  // namespace

// The transpose of the real form is the real form of A^H, and A^T x = b is A^H conj(x) = conj(b).
// With signs J of rows, the form is J M: J M x = J b, and x of (J M)^T x = b is J times that of
// M^T.
template <typename Work>
void Solver::State::in_parts(std::span<const std::complex<double>> b, Index own_columns,
                             std::span<std::complex<double>> x, Transposition of,
                             std::optional<Substitution> step, const Work& work) {
  const Index columns = broadcast_value(by.ranks.team(), own_columns, 0);
  require_sizes(b.size(), own_columns, columns, x.size());
  const bool transposed = of != Transposition::none;
  const Index rows = own().size();
  Dense<double> pairs(rows, complex_parts * columns);
  std::ranges::copy(parts_in(b), pairs.values.begin());
  if (by.parts == 1) {
    Dense<double> found(rows, pairs.columns);
    work(pairs, found, transposed);
    give_numbers(found, x, false);
    return;
  }
  const bool conjugates = of == Transposition::transposed;
  for (std::size_t k = 1; conjugates && k < pairs.values.size(); k += 2) {
    pairs.values[k] = -pairs.values[k];
  }
  Dense<double> parts = stacked(pairs), found(parts.rows, columns);
  const bool begins = step.value_or(Substitution::forward) == Substitution::forward;
  const bool ends = step.value_or(Substitution::backward) == Substitution::backward;
  if (by.conjugates && !transposed && begins) conjugate_rows(parts);
  work(parts, found, transposed);
  if (by.conjugates && transposed && ends) conjugate_rows(found);
  give_numbers(in_pairs(found), x, conjugates);
}

Solution Solver::State::solve(std::span<const std::complex<double>> b, Index columns,
                              std::span<std::complex<double>> x, Transposition of) {
  Solution told;
  in_parts(b, columns, x, of, {},
           [&](const Dense<double>& from, Dense<double>& to, bool transposed) {
             told = solve_parts(from.values, from.columns, to.values, transposed);
           });
  return told;
}

void Solver::State::precondition(std::span<const std::complex<double>> b, Index columns,
                                 std::span<std::complex<double>> x, Transposition of) {
  in_parts(b, columns, x, of, {},
           [&](const Dense<double>& from, Dense<double>& to, bool transposed) {
             precondition_parts(from.values, from.columns, to.values, transposed);
           });
}

void Solver::State::substitute(Substitution step, std::span<const std::complex<double>> b,
                               Index columns, std::span<std::complex<double>> x, Transposition of) {
  in_parts(b, columns, x, of, step,
           [&](const Dense<double>& from, Dense<double>& to, bool transposed) {
             substitute_parts(step, from.values, from.columns, to.values, transposed);
           });
}

void Solver::substitute(Substitution step, std::span<const std::complex<double>> b, Index columns,
                        std::span<std::complex<double>> x, Transposition of) {
  state_->substitute(step, b, columns, x, of);
}

void Solver::precondition(std::span<const std::complex<double>> b, Index columns,
                          std::span<std::complex<double>> x, Transposition of) {
  state_->precondition(b, columns, x, of);
}

Solution Solver::solve(std::span<const std::complex<double>> b, Index columns,
                       std::span<std::complex<double>> x, Transposition of) {
  return state_->solve(b, columns, x, of);
}

Solution Solver::solve(const Dense<std::complex<double>>& b, Transposition of) {
  Dense<std::complex<double>> x(b.rows, b.columns);
  Solution solution = solve(b.values, b.columns, x.values, of);
  solution.complex_x = std::move(x);
  return solution;
}

std::vector<double> Solver::State::values_of_form(std::span<const std::complex<double>> values) {
  std::vector<double> form;
  together(by.ranks.team(), [&] {
    const std::size_t count = solver ? solver->matrix().local_rows().values.size() / 4 : 0;
    if (values.size() != count) {
      fail(ExitCode::input, "there are {} values for {} non-zeros", values.size(), count);
    }
    if (count == 0) return;
    const std::vector<Index>& offsets = solver->matrix().local_rows().row_offsets;
    form.resize(4 * count);
    const double sign = by.conjugates ? -1 : 1;
    for (Index i = 0; i + 2 < std::ssize(offsets); i += 2) {
      Index upper = offsets[i], lower = offsets[i + 1];
      for (Index k = offsets[i] / 4; k < offsets[i + 2] / 4; ++k) {
        form[upper++] = values[k].real();
        form[upper++] = 0 - values[k].imag();
        form[lower++] = sign * values[k].imag();
        form[lower++] = sign * values[k].real();
      }
    }
  });
  return form;
}

void Solver::State::require_complex() const {
  if (by.parts > 1) return;
  fail_everywhere(ExitCode::input,
                  "the matrix is real, and its new values are complex; make a Solver of a complex "
                  "matrix");
}

void Solver::set_values(std::span<const std::complex<double>> values) {
  state_->require_complex();
  state_->set_values(state_->values_of_form(values), {});
}

void Solver::set_values(std::span<const std::complex<double>> values,
                        std::span<const double> shifts) {
  state_->require_complex();
  state_->set_values(state_->values_of_form(values), shifts);
}

}  // namespace spsolve
