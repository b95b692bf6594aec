#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "helpers/sparse_cases.hpp"
#include "helpers/systems_in_bands.hpp"
#include "matrix/real_form.hpp"
#include "sparse/sparse_memory.hpp"
#include "sparse/team_elimination.hpp"
#include "sparse/values/complex_matrix.hpp"
#include "vectors/multivector/host_vectors.hpp"

namespace spsolve::test {

/// The real form of D S E for a real S and diagonal matrices D, E of random numbers of modulus 1:
/// E = D^H for Hermitian kinds, of which the result has the eigenvalues of S; D for L D L^T; any
/// for L U.
inline Csr<double> turned_form(const Csr<double>& s, Factorization kind) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> angle(0, 6.28);
  std::vector<double> left(static_cast<std::size_t>(s.rows)), right(left.size());
  for (double& a : left) a = angle(random);
  for (double& a : right) a = angle(random);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (is_hermitian(kind)) right[i] = -left[i];
    if (kind == Factorization::ldlt) right[i] = left[i];
  }
  Csr<double> re = s, im = s;
  for (Index i = 0; i < s.rows; ++i) {
    for (Index k = s.row_offsets[i]; k < s.row_offsets[i + 1]; ++k) {
      const double turn = left[i] + right[s.column_indices[k]];
      re.values[k] *= std::cos(turn);
      im.values[k] *= std::sin(turn);
    }
  }
  return real_form(re, im);
}

/// Calls work(S, kind) for the cases of for_sparse_cases(), those of L D L^T for L D L^H, too.
inline void for_complex_cases(const std::function<void(const Csr<double>&, Factorization)>& work) {
  for_sparse_cases([&](const Csr<double>& matrix, Factorization kind) {
    work(matrix, kind);
    if (kind == Factorization::ldlt) work(matrix, Factorization::ldlh);
  });
}

/// The elimination of a real form in complex numbers, by all ranks of a team.
template <typename T>
struct ComplexElimination {
  ComplexElimination(Team& of, SparseMemory& memory, const Csr<double>& whole, Factorization kind)
      : team(of), form(whole), a(complex_matrix_of(form)) {
    const Factorization analysed = kind == Factorization::ldlh ? Factorization::ldlt : kind;
    const auto analysis = analysis_of(a.moduli, analysed, Ordering::automatic, team.size() == 1);
    bands = bands_of_nodes(form.rows, team.size(), complex_parts);
    elimination.emplace(team, memory, team.rank() == 0 ? analysis : nullptr, kind, bands);
  }

  PivotCounts factor() {
    return elimination->factor(team.rank() == 0 ? a.values : std::vector<double>{},
                               perturbing_rule<T>(largest_magnitude(a.moduli.values)));
  }

  /// The backward error of a solve with the real form, or with its transpose.
  double error(bool transposed, Index columns) {
    const Dense<double> b = right_hand_sides(form.rows, columns);
    HostVectors right(team, bands, columns), x(team, bands, columns);
    const Range own = right.own();
    right.write_rows({0, own.size()},
                     std::span(b.values).subspan(own.first * columns, own.size() * columns));
    elimination->solve(transposed, right, x);
    return backward_error(transposed ? transpose(form) : form, b, test::whole(x));
  }

  Team& team;
  Csr<double> form;
  ComplexMatrix a;
  RowLayout bands;
  std::optional<TeamElimination<T>> elimination;
};

}  // namespace spsolve::test
