#include "choice/factorization_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <omp.h>

#include "choice/factor_place.hpp"
#include "core/checksum.hpp"
#include "core/error.hpp"
#include "core/names/row_names.hpp"
#include "core/timer.hpp"
#include "core/tuning.hpp"
#include "io/order_file.hpp"
#include "matrix/real_form.hpp"
#include "process/log.hpp"
#include "sparse/analysis/analysis_file.hpp"
#include "sparse/gathered_matrix.hpp"
#include "sparse/pattern/clean.hpp"
#include "sparse/ranks/panels.hpp"
#include "sparse/ranks/team_factors.hpp"
#include "sparse/values/complex_matrix.hpp"
#include "sparse/values/scaling.hpp"
#include "team/lent_processors.hpp"

namespace spsolve::inline choice {

namespace {

/// Whether `auto` looks at sparse methods at all: what is small or full is as soon made dense. Of
/// complex symmetric and Hermitian rows dense L U takes twice the operations, each as long as four.
bool is_sparse_enough(const Csr<double>& matrix, bool complex) {
  const auto n = static_cast<double>(matrix.rows),
             nonzeros = static_cast<double>(matrix.nonzeros());
  const bool few = nonzeros <= host_tuning.few_nonzeros_a_row * n;
  const Index least = few ? host_tuning.least_order_of_few : host_tuning.least_order_for_sparse;
  const auto has_at_most = [&](double density) { return nonzeros <= density * n * n; };
  return matrix.rows >= least &&
         (has_at_most(host_tuning.most_density_for_sparse) ||
          (complex && has_at_most(host_tuning.most_density_of_complex_symmetric) &&
           symmetry_of(matrix).nearly_symmetric));
}

/// The analysis that is wanted.
struct Asked {
  const Csr<double>& matrix;
  Factorization kind;
  const SolverOptions& options;
  bool divides;
  OrderUse use;
  std::vector<LocalIndex> given;

  /// Whether one that was kept is what would be made.
  bool is_served_by(const SparseAnalysis& cached) const {
    const bool fits = options.ordering == Ordering::automatic ||
                      (options.ordering == cached.ordering && given == cached.given);
    const bool whole = divides || cached.off_diagonal_blocks.empty();
    const bool matched_as_wanted = kind == Factorization::cholesky ||
                                   options.matching == AutoSwitch::automatic ||
                                   cached.is_matched() == (options.matching == AutoSwitch::on);
    return fits && matched_as_wanted && whole && cached.kind == kind && cached.serves(matrix);
  }
  SparseAnalysis make() const {
    const RowMatching matching = wanted_matching(matrix, kind, options.matching);
    return analyse_sparse(matrix, kind, options.ordering, matching, given, divides, use);
  }
  /// Its name in a folder of checkpoints: values take part in the matching.
  std::string name() const {
    const int words[] = {static_cast<int>(kind), static_cast<int>(options.ordering),
                         static_cast<int>(divides), static_cast<int>(use.memory),
                         static_cast<int>(options.matching)};
    Checksum sum;
    sum.add(std::as_bytes(std::span(words)));
    sum.add(std::as_bytes(std::span(given)));
    sum.add(std::as_bytes(std::span(matrix.row_offsets)));
    sum.add(std::as_bytes(std::span(matrix.column_indices)));
    sum.add(std::as_bytes(std::span(matrix.values)));
    return fmt::format("spsolve-{:016x}.analysis", sum.value());
  }
};

/// Writes the analysis; hands back a note where it cannot be written, or "": a run does without.
std::string keep(const SparseAnalysis& made, const std::filesystem::path& file) {
  try {
    save_analysis(file, made);
    return "";
  } catch (const Error& error) {
    return fmt::format("the analysis is not kept: {}", error.what());
  }
}

/// The analysis by the file that the options name.
SparseAnalysis cached_or_new(const Asked& asked, const std::string& file, std::string& note) {
  if (std::error_code none; std::filesystem::exists(file, none)) {
    SparseAnalysis cached = load_analysis(file);
    if (asked.is_served_by(cached)) return cached;
  }
  SparseAnalysis made = asked.make();
  note = keep(made, file);
  return made;
}

/// The analysis by a file that may be gone, or damaged, or not be written: a run does without.
SparseAnalysis cached_beside_checkpoints(const Asked& asked, const std::filesystem::path& file,
                                         bool reads) {
  std::error_code none;
  try {
    if (reads && std::filesystem::exists(file, none)) {
      SparseAnalysis cached = load_analysis(file);
      if (asked.is_served_by(cached)) return cached;
    }
  } catch (const Error& error) {
    log_line(fmt::format("the analysis is made anew: {}", error.what()));
  }
  SparseAnalysis made = asked.make();
  std::filesystem::create_directories(file.parent_path(), none);
  if (const std::string note = keep(made, file); !note.empty()) log_line(note);
  return made;
}

/// The order of elimination that a file or an array names.
std::vector<LocalIndex> given_order(const SolverOptions& options, Index rows) {
  if (!options.ordering_file.empty()) return read_order(options.ordering_file, rows);
  if (options.order != nullptr) return checked_order(*options.order, rows);
  fail(ExitCode::input,
       "Ordering::file wants the file's name in SolverOptions::ordering_file, or the order itself "
       "in SolverOptions::order");
}

/// The analysis by the file where it is kept, if it is; pattern_analysis.cached_in becomes that of
/// `kept`.
SparseAnalysis analysis_for(const Csr<double>& matrix, Factorization kind,
                            const SolverOptions& options, bool divides, OrderUse use,
                            const AnalysisCache& cache, PatternAnalysis& pattern_analysis) {
  Asked asked{matrix, kind, options, divides, use, {}};
  if (options.ordering == Ordering::file) {
    // Rows of A, each of which may be two of a real form.
    const Index parts = RowNames::parts();
    for (const LocalIndex row : given_order(options, matrix.rows / parts)) {
      for (Index part = 0; part < parts; ++part) {
        asked.given.push_back(static_cast<LocalIndex>(parts * row + part));
      }
    }
  }
  if (!options.analysis_file.empty()) {
    return cached_or_new(asked, options.analysis_file, pattern_analysis.note);
  }
  if (cache.folder.empty()) return asked.make();
  pattern_analysis.cached_in = cache.folder / asked.name();
  return cached_beside_checkpoints(asked, pattern_analysis.cached_in, cache.reads);
}

/// The memory that each rank takes if all ranks eliminate.
std::vector<FactorMemory> memory_of_ranks(const SparseAnalysis& analysis, Factorization kind,
                                          int ranks, int threads, std::size_t value_bytes) {
  const SharingRule rule = SharingRule::of(kind, MemoryKind::host);
  const ProportionalMapping teams = deal_fronts(analysis, kind, rule, ranks);
  std::vector<FactorMemory> result;
  for (int rank = 0; rank < ranks; ++rank) {
    result.push_back(
        team_factor_memory(part_of(analysis, kind, rule, teams, rank), threads, value_bytes));
  }
  return result;
}

/// The memory that each rank's GPU takes if all GPUs eliminate.
std::vector<GpuFactorMemory> memory_of_gpus(const SparseAnalysis& analysis, Factorization kind,
                                            int ranks) {
  const SharingRule rule = SharingRule::of(kind, MemoryKind::gpu);
  const ProportionalMapping teams = deal_fronts(analysis, kind, rule, ranks);
  std::vector<GpuFactorMemory> result;
  for (int rank = 0; rank < ranks; ++rank) {
    result.push_back(gpu_memory_in_team(part_of(analysis, kind, rule, teams, rank)));
  }
  return result;
}

/// Whether L D L^T would lose pivots for certain, so that the matching of LU is better: more than a
/// hundredth, and values differ, which that goes by.
bool loses_pivots(const SparseAnalysis& analysis, const Csr<double>& matrix) {
  constexpr double most = 0.01;
  if (static_cast<double>(certain_zero_pivots(analysis, matrix)) <=
      most * static_cast<double>(matrix.rows)) {
    return false;
  }
  const double first = std::abs(matrix.values.front());
  return std::any_of(matrix.values.begin(), matrix.values.end(),
                     [first](double value) { return std::abs(value) != first; });
}

/// The bytes of the values that are eliminated, where they are not the matrix' own, and of where in
/// it those are that are no stored zeros; `facts` are those of the matrix with them.
std::int64_t bytes_of_values(const Csr<double>& stored, const Csr<double>& taken, bool scales,
                             Factorization kind, const SymmetryFacts& facts, bool complex) {
  const bool leaves_out = &stored != &taken;
  if (!scales && !leaves_out && !complex) return 0;
  const auto value = static_cast<std::int64_t>((complex ? 2 : 1) * sizeof(double));
  // Complex numbers are made of the real form first, and then scaled.
  const auto values = taken.nonzeros() * value * (complex && scales ? 2 : 1);
  const bool keeps_places = leaves_out && GatheredMatrix::keeps_taken_entries(kind, facts);
  return values + (keeps_places ? stored.nonzeros() * static_cast<std::int64_t>(sizeof(Index)) : 0);
}

/// Whether options leave it to `auto` how a system is solved.
bool says_nothing_of_how(const SolverOptions& options) {
  return options.method == Method::automatic && options.pivoting == Pivoting::automatic &&
         options.precision == Precision::float64 && options.ranks == SolvingRanks::automatic &&
         options.ordering == Ordering::automatic && options.analysis_file.empty() &&
         options.matching == AutoSwitch::automatic &&
         options.preconditioner == Preconditioner::automatic &&
         options.null_space == NullSpaceKind::none && options.equilibrate != AutoSwitch::on;
}

/// A matrix as it is eliminated: without its stored zeros, and for elimination in complex numbers
/// the moduli of that whose real form it was.
struct EliminatedMatrix {
  explicit EliminatedMatrix(const Csr<double>& whole)
      : facts(symmetry_of(whole)), as_given_(&whole) {
    clean_ = cleaned(whole, facts);
  }

  void take_moduli(Factorization kind) {
    moduli_ = complex_matrix_of(*as_given_).moduli;
    as_given_ = &*moduli_;
    if (kind == Factorization::lu) facts = {};
    clean_ = cleaned(*moduli_, facts);
    names_.emplace(1);  // rows are those of A
  }

  const Csr<double>& with_zeros() const { return *as_given_; }
  const Csr<double>& matrix() const { return clean_ ? *clean_ : *as_given_; }

  SymmetryFacts facts;  ///< of that with its zeros

 private:
  const Csr<double>* as_given_;
  std::optional<Csr<double>> moduli_, clean_;
  std::optional<RowNames> names_;
};

/// `threads`: of each rank, without those that others lend.
PatternAnalysis analyse_on_rank_0(const Csr<double>& whole, const SolverOptions& options,
                                  MemoryKind memory, const AnalysisCache& cache,
                                  const SystemHints& hints, const Team& team, int threads) {
  PatternAnalysis result;
  result.estimate.complex = hints.complex;
  result.estimate.systems = hints.systems;
  result.estimate.conjugated = real_form_kind(whole) == RealFormKind::conjugated;
  const bool singular =
      options.method == Method::automatic && options.null_space != NullSpaceKind::none;
  if (singular) {
    const SymmetryFacts facts = symmetry_of(whole);
    const Method symmetric = facts.positive_diagonal ? Method::cg : Method::minres;
    result.estimate.facts = facts;
    result.estimate.of_singular = facts.nearly_symmetric ? symmetric : Method::gmres;
    return result;
  }
  const bool by_name = options.method != Method::automatic;
  if (by_name ? !is_sparse(options.method) : !is_sparse_enough(whole, hints.complex)) return result;
  FactorizationEstimate& estimate = result.estimate;
  EliminatedMatrix eliminated(whole);
  estimate.facts = eliminated.facts;
  const Csr<double>& form = eliminated.matrix();
  if (&form != &whole) estimate.facts = symmetry_of(form);
  // Rows that hold their diagonal alone are solved first, and what is left may be symmetric.
  const bool symmetric = mirrors_inside(form, estimate.facts) != Mirrors::differ;
  if (by_name) {
    estimate.kind = factorization_of(options.method);
    if (estimate.kind != Factorization::lu && !symmetric) {
      estimate.asymmetry = furthest_from_symmetric(form);
      return result;
    }
    if (estimate.kind == Factorization::cholesky && !estimate.facts.positive_diagonal)
      return result;
  } else if (symmetric) {
    estimate.kind =
        estimate.facts.positive_diagonal ? Factorization::cholesky : Factorization::ldlt;
    const bool iterates = estimate.facts.nearly_symmetric || memory == MemoryKind::host;
    estimate.elliptic = iterates && looks_elliptic(form);
    estimate.hubs = estimate.elliptic && has_hubs(form);
  }
  estimate.threads = omp_get_max_threads();
  if (estimate.elliptic && !hints.eliminates &&
      form.rows >= host_tuning.least_order_for_iteration && options.analysis_file.empty() &&
      options.ordering == Ordering::automatic) {
    return result;
  }
  if (hints.may_iterate && says_nothing_of_how(options)) {
    const bool elastic =
        hints.elastic && estimate.facts.nearly_symmetric && estimate.facts.positive_diagonal;
    if (memory == MemoryKind::host) {
      SymmetryFacts inside = estimate.facts;
      inside.nearly_symmetric = symmetric;
      estimate.iteration =
          estimate_iteration(form, inside, options.condition, estimate.threads, hints.systems);
    } else if (hints.systems == 1 && (estimate.elliptic || elastic)) {
      const MatrixShape shape{form.rows, form.columns, 0, form.nonzeros()};
      estimate.iteration = estimate_iteration_on_gpu(shape, options.condition);
    }
    if (estimate.iteration.made()) return result;
  }
  if (hints.complex) eliminated.take_moduli(estimate.kind);
  const Csr<double>& matrix = eliminated.matrix();
  const std::size_t value_bytes = (hints.complex ? 2 : 1) * sizeof(double);
  const bool all = team.size() > 1 && options.ranks == SolvingRanks::all;
  const OrderUse use{memory, hints.systems, hints.progress};
  auto analysis = std::make_shared<SparseAnalysis>(
      analysis_for(matrix, estimate.kind, options, !all, use, cache, result));
  if (options.method == Method::automatic && estimate.kind == Factorization::ldlt &&
      options.ordering == Ordering::automatic && options.analysis_file.empty() &&
      options.matching != AutoSwitch::on && loses_pivots(*analysis, matrix)) {
    estimate.kind = Factorization::lu;
    std::error_code none;
    if (!result.cached_in.empty()) std::filesystem::remove(result.cached_in, none);
    *analysis = analysis_for(matrix, estimate.kind, options, !all, use, cache, result);
  }
  estimate.analysed = true;
  estimate.ordering = analysis->ordering;
  estimate.flops = (hints.complex ? 4 : 1) * analysis->flops;  // of real numbers
  estimate.factor_entries = analysis->factor_entries;
  estimate.gpu_path = longest_path_on_gpu(analysis->fronts);
  // L D L^T takes over where Cholesky fails, which takes a little more.
  const Factorization most =
      estimate.kind == Factorization::cholesky ? Factorization::ldlt : estimate.kind;
  place_factors(options, matrix, most, value_bytes, hints.may_use_disk, *analysis, estimate);
  const bool may_share = team.size() > 1 && analysis->off_diagonal_blocks.empty();
  estimate.over_ranks = all || (may_share && estimate.flops >= host_tuning.least_flops_over_ranks);
  if (estimate.over_ranks) {
    estimate.threads = threads;
    result.of_ranks = memory_of_ranks(*analysis, most, team.size(), threads, value_bytes);
  }
  estimate.gpu_memory = gpu_factor_memory(analysis->fronts, estimate.kind, matrix.nonzeros(),
                                          std::ssize(analysis->entries.entries));
  const std::int64_t bytes = estimate.gpu_memory.factors + estimate.gpu_memory.stack;
  const double flops_of_all = static_cast<double>(hints.systems) * analysis->flops;
  estimate.over_gpus = all || (may_share && (flops_of_all >= gpu_tuning.least_flops_over_ranks ||
                                             bytes >= gpu_tuning.least_bytes_over_ranks));
  if (estimate.over_gpus) result.of_gpus = memory_of_gpus(*analysis, estimate.kind, team.size());
  estimate.scales = is_scaled(matrix, *analysis, options.equilibrate, options.precision);
  estimate.value_bytes = bytes_of_values(eliminated.with_zeros(), matrix, estimate.scales,
                                         estimate.kind, eliminated.facts, hints.complex);
  estimate.matched = analysis->is_matched();
  estimate.analysis_bytes = analysis->bytes();
  estimate.analysis_seconds = analysis->seconds;
  result.analysis = std::move(analysis);
  return result;
}

}  // namespace

std::string to_text(const FactorizationEstimate& estimate, MemoryKind memory) {
  constexpr std::string_view words[] = {"L L^T", "L D L^T", "L U"};
  return fmt::format(
      "Analysis: {} in the order of {}, found in {:.3f} s: {} {}entries of factors, {:.3g} flops, "
      "about {}\n{}",
      words[static_cast<int>(estimate.kind)],
      estimate.ordering == Ordering::file ? "a file" : name(estimate.ordering),
      estimate.analysis_seconds, estimate.factor_entries, estimate.complex ? "complex " : "",
      estimate.flops,
      memory == MemoryKind::gpu
          ? fmt::format(
                "{:.2g} s on a GPU",
                predicted_gpu_seconds(estimate.flops, estimate.factor_entries, estimate.gpu_path))
          : fmt::format("{:.2g} s with {} threads",
                        predicted_seconds(estimate.flops, estimate.numbers(), estimate.threads),
                        estimate.threads),
      estimate.memory.on_disk == 0 || memory == MemoryKind::gpu
          ? ""
          : fmt::format("Factors on disk: {}\n", readable_bytes(estimate.memory.on_disk)));
}

std::string ordering_table(const Csr<double>& matrix) {
  const CompressedGraph compressed = compress(graph_of(matrix.row_offsets, matrix.column_indices));
  std::string text = fmt::format("{:<18} {:>10} {:>14} {:>10} {:>12}\n", "ordering", "seconds",
                                 "entries of L", "flops", "elimination");
  for (const Ordering ordering :
       {Ordering::nested_dissection, Ordering::amd, Ordering::rcm, Ordering::natural}) {
    const Timer timer;
    const OrderedGraph ordered = order_graph(compressed.graph, ordering);
    text += fmt::format(
        "{:<18} {:>10.3f} {:>14} {:>10.3g} {:>10.3f} s\n", name(ordering), timer.seconds(),
        ordered.cost.entries, ordered.cost.flops,
        predicted_seconds(ordered.cost.flops, ordered.cost.entries, omp_get_max_threads()));
  }
  return text;
}

void plan_pattern_analysis(MemoryPlan& plan, const MatrixShape& shape, int rank) {
  if (rank != 0) return;
  plan.parts.push_back({"analyse", "compressed rows of the whole matrix",
                        csr_bytes(shape.rows, shape.nonzeros, sizeof(double))});
  plan.parts.push_back(
      {"analyse", "graph, order and fronts on the way", 200 * shape.rows + 40 * shape.nonzeros});
}

PatternAnalysis analyse_pattern(Team& team, const Csr<double>& whole, const SolverOptions& options,
                                MemoryKind memory, const AnalysisCache& cache,
                                const SystemHints& hints) {
  PatternAnalysis result;
  constexpr Index least_nonzeros = 100000;
  const int threads = omp_get_max_threads();
  LentProcessors(team).on_first_rank(whole.nonzeros() >= least_nonzeros, [&] {
    result = analyse_on_rank_0(whole, options, memory, cache, hints, team, threads);
  });
  result.estimate = broadcast_value(team, result.estimate, 0);
  if (result.estimate.over_ranks) {
    result.of_ranks.resize(team.size());
    broadcast(team, std::span(result.of_ranks), 0);
  }
  if (result.estimate.over_gpus) {
    result.of_gpus.resize(team.size());
    broadcast(team, std::span(result.of_gpus), 0);
  }
  return result;
}

}  // namespace spsolve::choice
