#include "sockets/pardiso/parameters.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace spsolve::sockets {

namespace {

constexpr MatrixKind kinds[] = {
    {1, false, Symmetry::none, Method::sparse_lu, false},
    {2, false, Symmetry::symmetric, Method::sparse_cholesky, false},
    {-2, false, Symmetry::symmetric, Method::sparse_ldlt, true},
    {11, false, Symmetry::none, Method::sparse_lu, false},
    {3, true, Symmetry::none, Method::sparse_lu, false},
    {4, true, Symmetry::hermitian, Method::sparse_cholesky, false},
    {-4, true, Symmetry::hermitian, Method::sparse_ldlt, true},
    {6, true, Symmetry::symmetric, Method::sparse_ldlt, false},
    {13, true, Symmetry::none, Method::sparse_lu, false},
};

/// The values that an iparm may have; others stand for what is not done.
struct AllowedValues {
  Index number, least, most;
  const char* meaning;
};

constexpr AllowedValues of_mkl[] = {
    {5, 0, 1, "the permutation is not handed back"},
    {6, 0, 1, "x is written over b or not"},
    {12, 0, 2, "A, A^H or A^T"},
    {28, 0, 1, "double or single precision"},
    {31, 0, 0, "no partial solutions"},
    {35, 0, 1, "indices count from 1 or from 0"},
    {36, 0, 0, "no Schur complements"},
    {37, 0, 0, "compressed rows without blocks"},
    {43, 0, 0, "no diagonals of the inverse"},
    {56, 0, 0, "no diagonals of factors"},
    {60, 0, 1, "factors are in memory"},
};

constexpr AllowedValues of_panua[] = {
    {5, 0, 1, "the permutation is not handed back"},
    {6, 0, 1, "x is written over b or not"},
    {12, 0, 1, "A or A^T"},
    {26, 0, 0, "forward and back substitution are not done apart"},
    {29, 0, 1, "double or single precision"},
    {31, 0, 0, "no partial solutions"},
    {32, 0, 0, "no iterative solver"},
    {33, 0, 0, "no determinants"},
    {36, 0, 0, "no inverses"},
    {38, 0, 0, "no Schur complements"},
    {51, 0, 0, "one process"},
};

/// Whether nothing but iparm(12) was set, as callers do that begin with zeros and solve with A^T.
bool is_all_zero(const Parameters& iparm) {
  for (Index k = 1; k <= Parameters::count; ++k) {
    if (k != 12 && iparm(k) != 0) return false;
  }
  return true;
}

/// Ipopt's mark of its own calls, whose systems are as ill-conditioned as they come.
bool is_of_ipopt(Dialect dialect, const Parameters& iparm) {
  constexpr Index mark = 80;
  return dialect == Dialect::panua && iparm(30) == mark;
}

bool asks_for_residuals() {
  const char* const word = std::getenv("SPSOLVE_PARDISO_ACCEPT");
  return word != nullptr && std::string_view(word) == "residual";
}

}  // namespace

const MatrixKind& kind_of(Index mtype) {
  const auto* const found =
      std::ranges::find_if(kinds, [&](const MatrixKind& kind) { return kind.mtype == mtype; });
  if (found != std::end(kinds)) return *found;
  throw Error(ExitCode::input, "mtype = " + std::to_string(mtype) +
                                   " is no kind of matrix: take 1, 2, -2, 3, 4, -4, 6, 11 or 13");
}

void set_defaults(Dialect dialect, const MatrixKind& kind, Parameters& iparm) {
  const bool symmetric = kind.symmetry != Symmetry::none;
  iparm = {};
  iparm(1) = 1;
  iparm(2) = 2;
  iparm(10) = symmetric ? 8 : 13;
  iparm(11) = iparm(13) = symmetric ? 0 : 1;
  iparm(18) = -1;
  iparm(21) = 1;
  if (dialect == Dialect::panua) iparm(3) = iparm(25) = 1;
}

Wishes read_parameters(Dialect dialect, const MatrixKind& kind, Parameters& iparm) {
  if (iparm(1) == 0) {
    const Index of = is_all_zero(iparm) ? iparm(12) : 0;
    set_defaults(dialect, kind, iparm);
    iparm(12) = of;
  }
  const bool mkl = dialect == Dialect::mkl;
  for (const AllowedValues& allowed : mkl ? std::span<const AllowedValues>(of_mkl) : of_panua) {
    const Index value = iparm(allowed.number);
    if (allowed.least <= value && value <= allowed.most) continue;
    throw Error(ExitCode::input, "iparm(" + std::to_string(allowed.number) +
                                     ") = " + std::to_string(value) + ": " + allowed.meaning);
  }
  Wishes wishes;
  wishes.permutes = iparm(5) == 1;
  if (iparm(2) == 0) wishes.ordering = Ordering::amd;
  if (wishes.permutes) wishes.ordering = Ordering::natural;
  // Of LU whether rows are matched is this library's own affair.
  wishes.matches = iparm(13) != 0 && kind.method == Method::sparse_ldlt && !wishes.permutes;
  wishes.over_b = iparm(6) == 1;
  if (const Index sweeps = std::abs(iparm(8)); sweeps > 0) {
    wishes.refinement = static_cast<int>(std::min<Index>(sweeps, 1000));
  }
  wishes.checks = iparm(27) == 1 && mkl;
  if (iparm(12) == 1) wishes.of = mkl ? Transposition::adjoint : Transposition::transposed;
  if (iparm(12) == 2) wishes.of = Transposition::transposed;
  wishes.numbers_in_float = mkl && iparm(28) == 1;
  wishes.in_float = mkl ? iparm(28) == 1 : iparm(29) == 1;
  wishes.base = mkl && iparm(35) == 1 ? 0 : 1;
  wishes.by_residual = is_of_ipopt(dialect, iparm) || asks_for_residuals();
  return wishes;
}

}  // namespace spsolve::sockets
