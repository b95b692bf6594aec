#include "sockets/pardiso/system.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

namespace spsolve::sockets {

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ExitCode::input, sentence);
}

/// Whether a call has the values of its matrix, and all are finite.
bool has_values(const Call& call, const GivenPattern& given, bool is_complex, bool in_float) {
  if (call.a == nullptr) return false;
  const Numbers values{call.a, in_float};
  const Index count = given.entries() * (is_complex ? 2 : 1);
  for (Index k = 0; k < count; ++k) {
    if (!std::isfinite(values.at<double>(k))) return false;
  }
  return true;
}

/// Whether all diagonal entries are there and positive, as those of a positive definite matrix are.
bool has_positive_diagonal(const Call& call, const GivenPattern& given, const MatrixKind& kind,
                           bool in_float) {
  const Numbers values{call.a, in_float};
  for (Index i = 0; i < given.order; ++i) {
    bool positive = false;
    for (Index k = given.ia[i] - given.base; k < given.ia[i + 1] - given.base && !positive; ++k) {
      if (given.ja[k] - given.base != i) continue;
      positive = (kind.is_complex ? values.at<double>(2 * k) : values.at<double>(k)) > 0;
    }
    if (!positive) return false;
  }
  return true;
}

/// Where each row goes, from the caller's perm: row i of A is row perm(i) of P A P^T.
std::vector<Index> places_of(const Call& call, const Wishes& wishes) {
  if (!wishes.permutes) return {};
  if (!call.perm) refuse("iparm(5) = 1, and perm is missing");
  std::vector<Index> places(static_cast<std::size_t>(call.n));
  std::vector<char> taken(places.size());
  for (Index i = 0; i < call.n; ++i) {
    const Index place = call.perm[i] - wishes.base;
    if (place < 0 || place >= call.n || taken[place] != 0) {
      refuse("perm is no permutation: its number " + std::to_string(i + 1) + " is " +
             std::to_string(call.perm[i]));
    }
    taken[place] = 1;
    places[i] = place;
  }
  return places;
}

std::complex<double> conjugate(std::complex<double> z) {
  return std::conj(z);
}
double conjugate(double z) {
  return z;
}

void put(void* to, bool in_float, Index k, double value) {
  if (in_float) {
    static_cast<float*>(to)[k] = static_cast<float>(value);
  } else {
    static_cast<double*>(to)[k] = value;
  }
}
void put(void* to, bool in_float, Index k, std::complex<double> value) {
  put(to, in_float, 2 * k, value.real());
  put(to, in_float, 2 * k + 1, value.imag());
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

/// The backward error of an x that solves its system, as docs/trust.md has it.
double largest_error(const Wishes& wishes) {
  return wishes.in_float ? 1e-5 : 1e-12;
}

}  // namespace

void System::require_order(const Call& call) const {
  if (call.n == order_) return;
  refuse("n = " + std::to_string(call.n) + ", and the matrix that was analysed has " +
         std::to_string(order_) + " rows");
}

template <typename T>
std::vector<T> System::all_values(const Call& call, bool in_float) const {
  const Numbers given{call.a, in_float};
  std::vector<T> values(static_cast<std::size_t>(entries_));
  for (Index k = 0; k < entries_; ++k) {
    const Index source = sources_.empty() ? k : sources_[k];
    values[k] = source >= 0 ? given.at<T>(source) : conjugate(given.at<T>(~source));
  }
  return values;
}

template <typename T>
void System::make_solver(const Call& call, const WholePattern& whole, const Options& options,
                         bool factors) {
  const std::vector<T> values =
      all_values<T>(call, call.dialect == Dialect::mkl && options.precision == Precision::float32);
  const Matrix a =
      Matrix::from_rows(order_, order_, whole.offsets, whole.columns, std::span<const T>(values));
  solver_ = factors ? Solver(a, options) : Solver::analysed(a, options);
}

void System::analyse(const Call& call, const MatrixKind& kind, const Wishes& wishes, bool factors) {
  const GivenPattern given{call.n, call.ia, call.ja, wishes.base};
  given.require_whole(kind.symmetry, wishes.checks);
  std::vector<Index> places = places_of(call, wishes);
  WholePattern whole(given, kind.symmetry, places);
  const bool complete = has_values(call, given, kind.is_complex, wishes.numbers_in_float);
  if (factors && !complete) refuse("values of the matrix are missing, or not finite");
  *this = {};  // old factors go before there are new ones
  order_ = call.n;
  entries_ = static_cast<Index>(whole.columns.size());
  sources_ = std::move(whole.sources);
  places_ = std::move(places);
  // Values that cannot be eliminated leave the pattern: others may follow.
  fingerprint_ = given.fingerprint();
  stage_ = factors ? Stage::failed : Stage::analysed;
  const bool wants_diagonal = kind.method == Method::sparse_cholesky;
  if (complete && wants_diagonal &&
      !has_positive_diagonal(call, given, kind, wishes.numbers_in_float)) {
    if (!factors) return;
    throw Error(ExitCode::not_trustworthy,
                "the matrix is not positive definite: a diagonal entry is not positive");
  }
  if (complete) {
    Options options;
    options.method = kind.method;
    options.ordering = wishes.ordering;
    if (wishes.matches) options.matching = AutoSwitch::on;
    options.precision = wishes.in_float ? Precision::float32 : Precision::float64;
    options.refinement = wishes.refinement;
    options.condition = !wishes.by_residual;  // by which singular matrices are told
    constexpr Index all_phases = 13;
    if (call.phase == all_phases) options.right_hand_sides = std::max<Index>(1, call.nrhs);
    options.systems = 2;
    kind.is_complex ? make_solver<std::complex<double>>(call, whole, options, factors)
                    : make_solver<double>(call, whole, options, factors);
    plan_ = solver_->plan();
  }
  if (factors) stage_ = Stage::factored;
}

template <typename T>
void System::set_values(const Call& call, bool in_float) {
  if (sources_.empty() && !in_float) {
    solver_->set_values(
        std::span(static_cast<const T*>(call.a), static_cast<std::size_t>(entries_)));
  } else {
    solver_->set_values(std::span<const T>(all_values<T>(call, in_float)));
  }
}

void System::factor(const Call& call, const MatrixKind& kind, const Wishes& wishes) {
  if (!is_analysed()) refuse("phase 22 comes after phase 11");
  require_order(call);
  if (!call.ia || !call.ja) refuse("ia and ja, the compressed rows of the matrix, are missing");
  const GivenPattern given{call.n, call.ia, call.ja, wishes.base};
  given.require_whole(kind.symmetry, wishes.checks);
  if (given.fingerprint() != *fingerprint_) {
    refuse("ia and ja have another pattern than the matrix that was analysed; begin with phase 11");
  }
  if (!has_values(call, given, kind.is_complex, wishes.numbers_in_float)) {
    refuse("values of the matrix are missing, or not finite");
  }
  if (!solver_) return analyse(call, kind, wishes, true);
  last_ = {};
  stage_ = Stage::failed;
  kind.is_complex ? set_values<std::complex<double>>(call, wishes.numbers_in_float)
                  : set_values<double>(call, wishes.numbers_in_float);
  stage_ = Stage::factored;
}

namespace {

/// A Solver's way to name A, A^T and A^H for numbers of T: real ones know two.
template <typename T>
auto named_for(Transposition of) {
  if constexpr (std::is_same_v<T, double>) {
    return of != Transposition::none;
  } else {
    return of;
  }
}

}  // namespace

template <typename T, typename Solve>
void System::by_rows(const Call& call, const Wishes& wishes, const Solve& solve) const {
  const bool in_float = wishes.numbers_in_float;
  void* const to = wishes.over_b ? call.b : call.x;
  const auto size = static_cast<std::size_t>(order_ * call.nrhs);
  if (call.nrhs == 1 && !in_float && places_.empty()) {
    return solve(std::span(static_cast<const T*>(call.b), size),
                 std::span(static_cast<T*>(to), size));
  }
  const Numbers b{call.b, in_float};
  std::vector<T> rows(size);
  const auto place = [this](Index i) { return places_.empty() ? i : places_[i]; };
  for (Index c = 0; c < call.nrhs; ++c) {
    for (Index i = 0; i < order_; ++i) {
      rows[place(i) * call.nrhs + c] = b.at<T>(c * order_ + i);
    }
  }
  solve(std::span<const T>(rows), std::span<T>(rows));
  for (Index c = 0; c < call.nrhs; ++c) {
    for (Index i = 0; i < order_; ++i) {
      put(to, in_float, c * order_ + i, rows[place(i) * call.nrhs + c]);
    }
  }
}

template <typename T>
void System::solve_for(const Call& call, const Wishes& wishes) {
  by_rows<T>(call, wishes, [&](std::span<const T> b, std::span<T> x) {
    last_ = solver_->solve(b, call.nrhs, x, named_for<T>(wishes.of));
  });
}

template <typename T>
void System::substitute_for(Substitution step, const Call& call, const Wishes& wishes) {
  by_rows<T>(call, wishes, [&](std::span<const T> b, std::span<T> x) {
    solver_->substitute(step, b, call.nrhs, x, named_for<T>(wishes.of));
  });
}

void System::require_solvable(const Call& call, const Wishes& wishes) const {
  if (stage_ == Stage::failed) {
    throw Error(ExitCode::not_trustworthy, "the last values could not be factored");
  }
  if (stage_ != Stage::factored) {
    refuse("phase " + std::to_string(call.phase) + " comes after phase 22");
  }
  require_order(call);
  if (call.nrhs < 1) refuse("nrhs = " + std::to_string(call.nrhs) + ": give one at least");
  if (call.nrhs > std::numeric_limits<std::int32_t>::max() / 64) {
    refuse("nrhs = " + std::to_string(call.nrhs) + " right-hand sides are too many");
  }
  if (call.b == nullptr) refuse("b is missing");
  if (call.x == nullptr && !wishes.over_b) refuse("x is missing");
}

void System::substitute(Substitution step, const Call& call, const MatrixKind& kind,
                        const Wishes& wishes) {
  require_solvable(call, wishes);
  kind.is_complex ? substitute_for<std::complex<double>>(step, call, wishes)
                  : substitute_for<double>(step, call, wishes);
}

void System::solve(const Call& call, const MatrixKind& kind, const Wishes& wishes) {
  require_solvable(call, wishes);
  try {
    kind.is_complex ? solve_for<std::complex<double>>(call, wishes)
                    : solve_for<double>(call, wishes);
  } catch (const Error& error) {
    if (error.code() == ExitCode::not_trustworthy) stage_ = Stage::failed;  // factors do not do
    throw;
  }
  (*call.iparm)(7) = last_.sweeps;
  (*call.iparm)(20) = 0;
  const bool near = last_.backward_error <= largest_error(wishes);
  if (last_.solved || (wishes.by_residual && near)) return;
  throw Error(ExitCode::not_trustworthy,
              "x cannot be trusted, and is written all the same: " + joined(last_.notes));
}

void System::tell(const MatrixKind& kind, Parameters& iparm) {
  if (!solver_) return;
  const bool factored = stage_ == Stage::factored;
  // Before, as factors that are tried may be made anew.
  if (factored && kind.tells_inertia) {
    const std::optional<Inertia> told = solver_->inertia();
    const bool known = told && told->certainty != Certainty::unknown;
    const Index negative = known ? told->negative : solver_->report().negative_pivots.value_or(0);
    iparm(22) = order_ - negative;
    iparm(23) = negative;
  }
  const SetUpReport& report = solver_->report();
  const Index factor_entries = factored ? report.factor_entries : plan_.factor_entries;
  constexpr Index kilobyte = 1024, in_pattern = 3 * sizeof(Index);
  const Index in_factors = (kind.is_complex ? 2 : 1) * Index{sizeof(double)};
  if (factored) iparm(14) = report.perturbed_pivots;
  iparm(15) = iparm(16) = 1 + entries_ * in_pattern / kilobyte;
  iparm(17) = 1 + (factor_entries + entries_) * in_factors / kilobyte;
  if (iparm(18) < 0) iparm(18) = factor_entries;
  if (iparm(19) < 0) {
    iparm(19) = static_cast<Index>((factored ? report.flops : plan_.flops) / 1e6);
  }
}

std::string System::statistics() const {
  std::string text;
  const auto line = [&text](std::string name, const std::string& value) {
    name.resize(20, ' ');
    text += "  " + name + value + "\n";
  };
  line("rows", std::to_string(order_));
  line("entries", std::to_string(entries_));
  if (!solver_) return text;
  line("method", plan_.method + ", " + plan_.ordering + ", on " + plan_.device);
  const bool factored = stage_ == Stage::factored;
  const SetUpReport& report = solver_->report();
  line("entries of factors",
       std::to_string(factored ? report.factor_entries : plan_.factor_entries));
  line("flops", std::to_string(factored ? report.flops : plan_.flops));
  if (!factored) return text;
  line("perturbed pivots", std::to_string(report.perturbed_pivots));
  for (const std::string& note : report.notes) line("note", note);
  if (last_.backward_error > 0 || last_.sweeps > 0) {
    char error[32];
    std::snprintf(error, sizeof error, "%.2e", last_.backward_error);
    line("backward error",
         std::string(error) + ", refinement by " + std::to_string(last_.sweeps) + " sweeps");
    for (const std::string& note : last_.notes) line("note", note);
  }
  return text;
}

}  // namespace spsolve::sockets
