#include "sparse/gathered_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "distribute/reading/scatter.hpp"
#include "distribute/redistribute.hpp"
#include "matrix/real_form.hpp"
#include "matrix/symmetry.hpp"
#include "sparse/values/scaling.hpp"

namespace spsolve::inline sparse {

namespace {

/// The scale factors as two columns, and back.
Dense<double> in_columns(const Equilibration& scaling) {
  const std::vector<double>&r = scaling.rows.on_host(), &c = scaling.columns.on_host();
  Dense<double> both(static_cast<Index>(r.size()), 2);
  for (Index i = 0; i < both.rows; ++i) {
    both(i, 0) = r[i];
    both(i, 1) = c[i];
  }
  return both;
}

Equilibration from_columns(const Dense<double>& both) {
  std::vector<double> r, c;
  for (Index i = 0; i < both.rows; ++i) {
    r.push_back(both(i, 0));
    c.push_back(both(i, 1));
  }
  return {true, std::move(r), std::move(c)};
}

/// Every second of the factors of a real form, whose pairs of rows have equal ones, and the way
/// back.
Equilibration of_moduli(const Equilibration& of_form) {
  const auto second = [](const std::vector<double>& all) {
    std::vector<double> some(all.size() / complex_parts);
    for (std::size_t i = 0; i < some.size(); ++i) some[i] = all[complex_parts * i];
    return some;
  };
  return {of_form.scales, second(of_form.rows.on_host()), second(of_form.columns.on_host())};
}

Equilibration of_real_form(const Equilibration& of_moduli) {
  const auto twice = [](const std::vector<double>& each) {
    std::vector<double> all(complex_parts * each.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = each[i / complex_parts];
    return all;
  };
  return {of_moduli.scales, twice(of_moduli.rows.on_host()), twice(of_moduli.columns.on_host())};
}

[[noreturn]] void fail_unsymmetric(const Csr<double>& rows) {
  fail(ExitCode::input,
       "the matrix is not {}, as L L^T and L D L^T want it: {}; use solve.method=sparse_lu",
       RowNames::symmetric(), to_text(furthest_from_symmetric(rows)));
}

}  // namespace

GatheredMatrix::GatheredMatrix(Team& team, SparseMemory& memory, LentProcessors& lent,
                               const SparseChoice& choice,
                               std::shared_ptr<const SparseAnalysis> analysis)
    : team_(team), memory_(memory), lent_(lent), choice_(choice), analysis_(std::move(analysis)) {}

bool GatheredMatrix::is_large(const SparseAnalysis& analysis) {
  constexpr Index most_nonzeros = 100000;
  constexpr double most_flops = 1e8;
  return analysis.nonzeros > most_nonzeros || analysis.flops > most_flops;
}

bool GatheredMatrix::is_large() const {
  constexpr Index most_nonzeros = 100000;
  if (rows_ != nullptr && rows_->nonzeros() > most_nonzeros) return true;
  return analysis_ != nullptr && is_large(*analysis_);
}

bool GatheredMatrix::has_large_passes() const {
  constexpr Index most_nonzeros = 1000000;  // a pass takes less than threads to start
  return values_ != nullptr && values_->by_threads() && analysis_->nonzeros > most_nonzeros;
}

/// Whether nothing is left to do of these rows but to take new values.
bool GatheredMatrix::has_pattern_of(const SystemMatrix& matrix) const {
  return known_ == &matrix && entries_.taken.empty() && values_of_ == rows_;
}

/// On rank 0 of several; of a pattern that is there values alone.
void GatheredMatrix::gather_rows_of(SystemMatrix& matrix) {
  if (broadcast_value(team_, kept_ == &matrix, 0)) {
    // Nothing is looked for in values of a pattern all of which L U takes.
    const bool as_they_are = choice_.kind == Factorization::lu && entries_.taken.empty();
    if (gather_values_ && broadcast_value(team_, as_they_are, 0) &&
        gather_values_(matrix, values_.get())) {
      kept_ = nullptr;
      rows_ = &whole_;
      return;
    }
    const std::vector<double>& own = matrix.local_rows().values;
    const std::vector<Index> sizes = all_gather(team_, static_cast<Index>(own.size()));
    together(team_, [&] {
      if (team_.rank() == 0) whole_.values.resize(whole_.column_indices.size());
    });
    gather_parts(team_, std::span<const double>(own), std::span<double>(whole_.values), sizes, 0);
  } else {
    forget_values();
    const RowLayout to = RowLayout::on_first_rank(matrix.order(), team_.size());
    whole_ = redistribute_rows(team_, matrix.layout(), matrix.scaled_rows({}), to);
  }
  kept_ = nullptr;
  rows_ = &whole_;
}

void GatheredMatrix::gather(SystemMatrix& matrix) {
  if (team_.size() == 1) {
    rows_ = &matrix.local_rows();
  } else {
    gather_rows_of(matrix);
  }
  lent_.on_first_rank(!has_pattern_of(matrix) && is_large(), [&] {
    SymmetryFacts facts;
    if (choice_.complex) facts = take_complex();
    const bool known = known_ == &matrix && entries_.serve(rows_->values);
    if (!known) {
      const bool looks = choice_.kind != Factorization::lu && !choice_.complex;
      const Csr<double>* const stored = rows_;
      if (looks) facts = symmetry_of(*stored);
      const std::optional<Csr<double>> taken = clean(facts);
      const Csr<double>& rows = taken ? *taken : *rows_;
      if (looks && &rows != stored) facts = symmetry_of(rows);
      if (looks) take_mirrors(mirrors_inside(rows, facts), rows);
      analyse(rows, matrix);
    }
    take_values(matrix);
  });
}

/// From now on the rows are the moduli of the complex matrix whose real form they were; the facts
/// of its symmetry, if that is asked for.
SymmetryFacts GatheredMatrix::take_complex() {
  const Csr<double>& form = *rows_;
  complex_ = complex_matrix_of(form);
  SymmetryFacts facts;
  if (choice_.kind != Factorization::lu) {
    facts = exact_symmetry_of(complex_);
    rounds_mirrors_ = false;
    if (!facts.symmetric) {
      facts = symmetry_of(form);
      // Rows that hold their diagonal alone may have stored zeros.
      std::optional<Csr<double>> clean;
      if (facts.mirrors() == Mirrors::differ) clean = cleaned(form, facts);
      take_mirrors(
          clean ? mirrors_inside(*clean, symmetry_of(*clean)) : mirrors_inside(form, facts), form);
    }
  }
  rows_ = &complex_.moduli;
  return facts;
}

/// L L^T and L D L^T take one of a_ij and a_ji, whichever it is.
void GatheredMatrix::take_mirrors(Mirrors mirrors, const Csr<double>& rows) {
  if (mirrors == Mirrors::differ) fail_unsymmetric(rows);
  rounds_mirrors_ = mirrors == Mirrors::round;
}

/// New values of a symmetric pattern may not be symmetric; where the values are is looked.
void GatheredMatrix::take_new_mirrors() {
  if (choice_.kind == Factorization::lu || choice_.complex) return;
  const bool is_whole = analysis_->off_diagonal_blocks.empty();
  take_mirrors(is_whole ? values_->mirrors() : mirrors_inside(*rows_, symmetry_of(*rows_)), *rows_);
}

std::vector<std::string_view> GatheredMatrix::notes() const {
  const bool symmetric = choice_.kind != Factorization::lu;
  const bool has_rows_alone = broadcast_value(
      team_, symmetric && team_.rank() == 0 && !analysis_->off_diagonal_blocks.empty(), 0);
  std::vector<std::string_view> notes;
  if (has_rows_alone) {
    notes.push_back(
        "rows that hold their diagonal alone are solved first; the rest of A is symmetric");
  }
  if (broadcast_value(team_, symmetric && rounds_mirrors_, 0)) {
    notes.push_back(
        "A is symmetric but for rounding: one of a_ij and a_ji is eliminated for both, and x is "
        "refined and judged for A as it is");
  }
  return notes;
}

/// Leaves stored zeros out: by what takes in the other values whenever they change, and where the
/// zeros alone make a pattern unsymmetric, in which symmetry is looked for each time, or mirrors
/// are missing, by a copy. Hands back what is left of the rows in the first case.
std::optional<Csr<double>> GatheredMatrix::clean(const SymmetryFacts& facts) {
  entries_ = {};
  forget_values();
  std::optional<Csr<double>> clean = cleaned(*rows_, facts);
  if (!clean) return std::nullopt;
  if (keeps_taken_entries(choice_.kind, facts)) {
    entries_ = without_zeros(*rows_, *clean);
  }
  if (!entries_.taken.empty()) return clean;
  entries_ = {};
  if (choice_.complex) {
    complex_.take_only(std::move(*clean));
    return std::nullopt;
  }
  whole_ = std::move(*clean);
  rows_ = &whole_;
  return std::nullopt;
}

/// Before what they are of changes its pattern, or goes.
void GatheredMatrix::forget_values() {
  values_.reset();
  values_of_ = nullptr;
}

/// Makes what scales the values of rows_, unless it is there.
void GatheredMatrix::take_values(SystemMatrix& matrix) {
  if (values_of_ == rows_) return;
  values_ = choice_.complex ? host_scaled_values(complex_) : memory_.values_of(*rows_, matrix);
  values_->take_only(entries_.taken);
  values_of_ = rows_;
}

void GatheredMatrix::analyse(const Csr<double>& rows, const SystemMatrix& matrix) {
  std::optional<RowNames> names;
  if (choice_.complex) names.emplace(1);  // rows are those of A
  if (analysis_ == nullptr || !analysis_->serves(rows)) {
    const RowMatching matching = wanted_matching(rows, choice_.kind, choice_.matching);
    std::vector<LocalIndex> given;
    if (analysis_ != nullptr && choice_.ordering == Ordering::file) given = analysis_->given;
    analysis_ = std::make_shared<SparseAnalysis>(
        analyse_sparse(rows, choice_.kind, choice_.ordering, matching, std::move(given),
                       !choice_.over_ranks, {memory_.memory(), choice_.systems}));
  }
  if (accept_ != nullptr) analyse_matched(rows);
  const Index blocks = choice_.complex ? complex_parts * complex_parts : 1;
  const bool whole = blocks * analysis_->nonzeros == matrix.nonzeros();
  known_ = whole || !entries_.taken.empty() ? &matrix : nullptr;
}

double GatheredMatrix::largest_value(SystemMatrix& matrix) {
  double largest = 0;
  lent_.on_first_rank(has_large_passes(), [&] {
    largest = values_->largest();
    if (!std::isfinite(largest)) {
      const std::vector<double>& values = matrix.bands().local_rows().values;
      if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
        fail(ExitCode::input, "a value of the matrix is not a finite number");
      }
      fail(ExitCode::not_trustworthy,
           "values of the matrix differ by so many orders of magnitude that some are beyond the "
           "range of double when rows and columns are scaled as pivots want it; scale A, or try "
           "solve.method=gauss with solve.pivoting=complete");
    }
    if (largest == 0 && analysis_->rows() > 0) {
      fail(ExitCode::not_trustworthy, "the matrix is singular: it has no non-zero entry");
    }
  });
  return largest;
}

void GatheredMatrix::analyse_matched(const Csr<double>& rows) {
  constexpr Index likely = 10;  // systems that follow, where some came before
  const OrderUse use{memory_.memory(), std::max(likely, choice_.systems)};
  auto matched = std::make_shared<SparseAnalysis>(
      analyse_sparse(rows, Factorization::ldlt, choice_.ordering, RowMatching::pairs, {},
                     !choice_.over_ranks, use));
  accepted_ = (*accept_)(*matched, *analysis_);
  if (accepted_) analysis_ = std::move(matched);
}

bool GatheredMatrix::match(SystemMatrix& matrix, const Accept& accept) {
  known_ = nullptr;
  accept_ = &accept;
  accepted_ = false;
  try {
    gather(matrix);
  } catch (...) {
    accept_ = nullptr;
    throw;
  }
  accept_ = nullptr;
  rows_ = nullptr;
  return broadcast_value(team_, accepted_, 0);
}

/// Sends each rank its own scale factors from rank 0, which has those of all rows.
void GatheredMatrix::scatter_scaling(const SystemMatrix& matrix, Equilibration& scaling) const {
  Dense<double> all;
  if (team_.rank() == 0) {
    all = in_columns(scaling);
  }
  const Dense<double> own = scatter_rows(team_, matrix.layout(), all);
  scaling = from_columns(own);
}

/// The way back.
Equilibration GatheredMatrix::gathered_scaling(const SystemMatrix& matrix,
                                               const Equilibration& scaling) const {
  return from_columns(gather_rows(team_, matrix.layout(), in_columns(scaling)));
}

void GatheredMatrix::find_scaling(SystemMatrix& matrix, AutoSwitch wanted, Precision precision,
                                  Equilibration& scaling) {
  const bool is_known = known_ == &matrix;
  gather(matrix);
  scaling.scales = false;
  lent_.on_first_rank(has_large_passes(), [&] {
    if (wanted == AutoSwitch::off) {
      values_->begin({}, {});
    } else {
      find_scale_factors(*values_, *analysis_, wanted, precision, scaling);
      if (choice_.complex) scaling = of_real_form(scaling);
    }
    if (is_known) take_new_mirrors();
  });
  scaling.scales = broadcast_value(team_, scaling.scales, 0);
  if (!scaling.scales) {
    scaling = {};
  } else if (team_.size() > 1) {
    scatter_scaling(matrix, scaling);
  }
}

void GatheredMatrix::prepare(SystemMatrix& matrix, const Equilibration& scaling) {
  if (broadcast_value(team_, rows_ == nullptr, 0)) {  // the factors are somebody else's
    const bool is_known = known_ == &matrix;
    gather(matrix);
    Equilibration whole;
    const bool shared = team_.size() > 1;
    if (scaling.scales && shared) whole = gathered_scaling(matrix, scaling);
    if (choice_.complex) whole = of_moduli(shared ? whole : scaling);
    const Equilibration& given = shared || choice_.complex ? whole : scaling;
    lent_.on_first_rank(has_large_passes(), [&] {
      values_->begin(given.rows.on_host(), given.columns.on_host());
      if (is_known) take_new_mirrors();
    });
  }
  lent_.on_first_rank(has_large_passes(), [&] { values_->finish(scaling.scales); });
  rows_ = nullptr;
  const bool keeps_given = !scaling.scales && entries_.taken.empty();
  if (choice_.complex) {
    complex_.moduli = {};
    if (!keeps_given) complex_.values = {};
  }
  if (team_.size() > 1 && known_ == &matrix) {
    kept_ = &matrix;
    return;
  }
  Csr<double> left;
  if (keeps_given && !choice_.complex) left.values = std::move(whole_.values);
  whole_ = std::move(left);
}

}  // namespace spsolve::sparse
