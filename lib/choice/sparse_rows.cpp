#include "choice/sparse_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/tuning.hpp"
#include "sparse/sparse_inverse.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::inline choice {

namespace {

/// Why there is no sparse elimination by that method, or "".
template <Method method>
std::string refuse_sparse(const SolverQuestion& question) {
  const SolverOptions& options = question.options;
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  if (const auto reason = why_not(method, options.pivoting); !reason.empty()) {
    return std::string(reason);
  }
  if (const auto reason = why_not(method, options.null_space); !reason.empty()) {
    return std::string(reason);
  }
  if (method != Method::sparse_lu && options.method == method && !estimate.analysed) {
    if (!estimate.facts.nearly_symmetric) {
      return fmt::format(
          "solve.method={} wants a symmetric matrix, and this one is not, by more than rounding: "
          "{}; use solve.method=sparse_lu",
          name(method), to_text(estimate.asymmetry));
    }
    return "solve.method=sparse_cholesky wants a positive definite matrix, and the diagonal of "
           "this one "
           "is not positive; use solve.method=sparse_ldlt";
  }
  if (!estimate.analysed || estimate.kind != factorization_of(method)) {
    return fmt::format(
        "solve.method={} is not what this matrix was analysed for; use solve.method=auto",
        name(method));
  }
  return "";
}

/// Whether all ranks eliminate, and hold the factors.
bool over_ranks(const SolverQuestion& question) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  return question.memory == MemoryKind::host ? estimate.over_ranks
                                             : estimate.over_gpus && question.ranks > 1;
}

/// The memory that a factorisation in double takes of the GPU, where the system's matrix and
/// vectors lie, too.
GpuFactorMemory fitted_gpu_memory(const SolverQuestion& question) {
  constexpr Index most_vectors = 12;  // in addition to the right-hand sides
  const auto vectors = static_cast<std::int64_t>(sizeof(double)) * question.shape.rows *
                       (4 * question.right_hand_sides + most_vectors);
  const std::int64_t beside =
      csr_bytes(question.shape.rows, question.shape.nonzeros, 2 * sizeof(double)) + vectors;
  const GpuFactorMemory& gpu = question.pattern_analysis.estimate.gpu_memory;
  if (question.gpu_memory == std::numeric_limits<std::int64_t>::max()) return gpu;
  return gpu.within(static_cast<std::int64_t>(gpu_tuning.usable_memory *
                                              static_cast<double>(question.gpu_memory - beside)));
}

/// Seconds of copying factors that a GPU has no room for: to host memory once, and back for each
/// sweep.
double seconds_on_the_way(const SolverQuestion& question) {
  if (question.memory != MemoryKind::gpu || over_ranks(question)) return 0;
  const std::int64_t factors = question.pattern_analysis.estimate.gpu_memory.factors;
  if (fitted_gpu_memory(question).factors >= factors) return 0;
  constexpr int sweeps = 2, solves = 2;  // one is refined
  return (1 + sweeps * solves) * static_cast<double>(factors) / gpu_tuning.bytes_over_link;
}

template <Method method>
SolverAnalysis analyse_sparse_row(const SolverQuestion& question) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  const double seconds =
      question.memory == MemoryKind::gpu
          ? predicted_gpu_seconds(estimate.flops, estimate.factor_entries, estimate.gpu_path) /
                (over_ranks(question) ? question.ranks : 1)
          : predicted_seconds(estimate.flops, estimate.factor_entries,
                              estimate.threads * (over_ranks(question) ? question.ranks : 1));
  return {estimate.flops,
          seconds + seconds_on_the_way(question) +
              predicted_solve_seconds(question, static_cast<double>(estimate.factor_entries))};
}

/// The memory of a rank that eliminates with all others, of question.ranks, as it was analysed; for
/// another number of ranks as much for all of them.
template <typename Memory>
std::pair<Memory, double> memory_in_team(const SolverQuestion& question,
                                         const std::vector<Memory>& known, int rank) {
  const bool is_known = std::ssize(known) == question.ranks;
  return {known[is_known ? rank : 0],
          is_known ? 1 : static_cast<double>(known.size()) / static_cast<double>(question.ranks)};
}

/// Adds that to a plan.
void plan_over_ranks(const SolverQuestion& question, int rank, double share, const char* phase,
                     MemoryPlan& plan) {
  const auto n = static_cast<double>(question.shape.rows);
  const double columns = static_cast<double>(question.right_hand_sides);
  plan.parts.push_back({phase, "vectors in the order of elimination",
                        static_cast<std::int64_t>(4 * sizeof(double) * n * columns /
                                                  static_cast<double>(question.ranks))});
  const auto scaled = [](std::int64_t bytes, double by) {
    return static_cast<std::int64_t>(by * static_cast<double>(bytes));
  };
  if (question.memory == MemoryKind::gpu) {
    const auto [of, scale] = memory_in_team(question, question.pattern_analysis.of_gpus, rank);
    const double width =
        static_cast<double>(std::min<Index>(most_sweep_columns, question.right_hand_sides));
    plan.parts.push_back(
        {phase, "fronts of this rank, values of its part",
         scaled(question.pattern_analysis.estimate.analysis_bytes, 1.0 / question.ranks)});
    plan.on_gpu.push_back(
        {phase, "sparse factors of this rank", scaled(of.factors, share * scale)});
    plan.on_gpu.push_back(
        {phase, "what fronts pass up, panels of others", scaled(of.stack, share * scale)});
    plan.on_gpu.push_back(
        {phase, "places of fronts, values of the matrix", scaled(of.lists, scale)});
    plan.on_gpu.push_back(
        {phase, "vectors in the order of elimination", scaled(of.column, share * scale * width)});
    if (rank == 0) {
      // The rows, their values scaled, a list of whose they are, and another rank's.
      plan.on_gpu.push_back(
          {phase, "matrix, whose values are dealt out",
           csr_bytes(question.shape.rows, question.shape.nonzeros, 4 * sizeof(double))});
    }
    return;
  }
  const auto [of, scale] = memory_in_team(question, question.pattern_analysis.of_ranks, rank);
  plan.parts.push_back({phase, "sparse factors of this rank", scaled(of.factors, share * scale)});
  plan.parts.push_back(
      {phase, "stack of fronts, columns of shared ones", scaled(of.stack, share * scale)});
  plan.parts.push_back({phase, "fronts of this rank, values of its part", scaled(of.rest, scale)});
}

constexpr std::string_view stack_of_fronts = "stack of fronts";
constexpr std::string_view vectors_inside = "rows of pivots, vectors in the order of elimination";

/// Adds what rank 0 takes, which eliminates, or what each rank does; `share` of the bytes of
/// factors in double.
void plan_sparse(const SolverQuestion& question, int rank, double share, const char* phase,
                 MemoryPlan& plan) {
  const bool shared = over_ranks(question);
  if (shared) plan_over_ranks(question, rank, share, phase, plan);
  if (rank != 0) return;
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  const Index n = question.shape.rows;
  const auto part = [&](std::int64_t bytes) {
    return static_cast<std::int64_t>(share * static_cast<double>(bytes));
  };
  const auto vectors = static_cast<std::int64_t>(sizeof(double)) * n;
  plan.parts.push_back({"prepare", "matrix for sparse elimination",
                        csr_bytes(n, question.shape.nonzeros, 2 * sizeof(double))});
  plan.parts.push_back({"prepare", "analysis of the pattern", estimate.analysis_bytes});
  plan.parts.push_back({phase, "analysis of the pattern", estimate.analysis_bytes});
  plan.parts.push_back({phase, "values of the matrix",
                        question.shape.nonzeros * static_cast<std::int64_t>(sizeof(double))});
  if (shared) {
    plan.parts.push_back({phase, "pattern of the matrix, whose values go where",
                          csr_bytes(n, question.shape.nonzeros, sizeof(Index))});
    return;
  }
  if (question.memory == MemoryKind::gpu) {
    const GpuFactorMemory gpu = fitted_gpu_memory(question);
    const std::int64_t factors = estimate.gpu_memory.factors;
    if (gpu.factors < factors) {
      plan.on_gpu.push_back({phase, "sparse factors, some levels at a time", part(gpu.factors)});
      plan.parts.push_back({phase, "sparse factors of the GPU", part(factors)});
    } else {
      plan.on_gpu.push_back({phase, "sparse factors", part(gpu.factors)});
    }
    plan.on_gpu.push_back({phase, "what fronts pass up", part(gpu.stack)});
    plan.on_gpu.push_back({phase, "places of fronts, values of the matrix", gpu.lists});
    plan.on_gpu.push_back(
        {phase, "vectors in the order of elimination",
         part(gpu.column) * std::min<Index>(most_sweep_columns, question.right_hand_sides)});
    return;
  }
  plan.parts.push_back({phase, "sparse factors", part(estimate.memory.factors)});
  plan.parts.push_back({phase, std::string(stack_of_fronts), part(estimate.memory.stack)});
  plan.parts.push_back({phase, std::string(vectors_inside),
                        estimate.memory.rest + 4 * vectors * question.right_hand_sides});
}

/// Lets parts of a plan that are not alive at the same time take turns where rank 0 eliminates on a
/// host: right-hand sides while fronts are eliminated; solutions and their refinement then, next to
/// the stack where no condition is estimated; the vectors of the estimate in the end. With several
/// ranks all gather and scatter the solutions.
void take_turns(const SolverQuestion& question, MemoryPlan& plan) {
  const Index n = question.shape.rows, k = question.right_hand_sides;
  const bool estimates = question.options.condition, alone = question.ranks == 1;
  // b and b scaled; b, x, residual, correction and the factors of a scaling; b, x.
  const Index while_eliminated = 2 * k, while_solved = 4 * k + 2, while_estimated = 2 * k;
  // Inside of a solve: what is found, also of some columns at a time, and places of rows.
  const Index inside = k + (k > most_sweep_columns ? 2 * most_sweep_columns : 0) + 1;
  constexpr Index inside_of_estimate = 2 + 1;
  const std::int64_t rest = question.pattern_analysis.estimate.memory.rest;
  std::vector<MemoryPlan::PlannedBytes> in_turns;
  const auto add = [&](const char* phase, const MemoryPlan::PlannedBytes& part,
                       std::int64_t bytes) {
    if (bytes > 0) in_turns.push_back({phase, part.what, bytes});
  };
  for (const MemoryPlan::PlannedBytes& part : plan.parts) {
    if (part.phase != "eliminate") {
      in_turns.push_back(part);
    } else if (alone && part.what == solved_vectors) {
      add("eliminate", part, vectors_bytes(n, while_eliminated));
      add("solve", part, vectors_bytes(n, while_solved));
      if (estimates) add("estimate", part, vectors_bytes(n, while_estimated));
    } else if (part.what == estimate_vectors) {
      add("estimate", part, part.bytes);
    } else if (part.what == stack_of_fronts) {
      add("eliminate", part, part.bytes);
      if (!estimates) add("solve", part, part.bytes);
    } else if (alone && part.what == vectors_inside) {
      add("eliminate", part, rest);
      add("solve", part, rest + vectors_bytes(n, inside));
      if (estimates) add("estimate", part, rest + vectors_bytes(n, inside_of_estimate));
    } else {
      add("eliminate", part, part.bytes);
      add("solve", part, part.bytes);
      if (estimates) add("estimate", part, part.bytes);
    }
  }
  plan.parts = std::move(in_turns);
}

void plan_sparse_row(const SolverQuestion& question, int rank, MemoryPlan& plan) {
  plan.about = to_text(question.pattern_analysis.estimate, question.memory);
  plan_pattern_analysis(plan, question.shape, rank);
  const double share = question.options.precision == Precision::float64 ? 1.0 : 0.5;
  plan_sparse(question, rank, share, "eliminate", plan);
  if (question.memory == MemoryKind::host && !over_ranks(question) && rank == 0) {
    take_turns(question, plan);
  }
}

MemoryPlan plan_sparse_in_double(const SolverQuestion& question, int rank) {
  MemoryPlan plan;
  plan_sparse(question, rank, 1.0, "in double", plan);
  return plan;
}

template <Method method>
std::unique_ptr<Inverse> make_sparse(Team& team, ComputeDevice& memory,
                                     const SolverQuestion& question, BeforeDouble before_double) {
  SparseMemory& where = memory.sparse();
  SparseChoice choice;
  choice.kind = factorization_of(method);
  choice.ordering = question.options.ordering;
  choice.over_ranks = over_ranks(question);
  choice.may_change = question.options.method == Method::automatic;
  choice.estimated = question.options.condition;
  const auto in = [&team, &where, analysis = question.pattern_analysis.analysis](
                      Precision precision, const SparseChoice& chosen) {
    return with_scalar(precision, [&]<typename T>(T) -> std::unique_ptr<Inverse> {
      return std::make_unique<SparseInverse<T>>(team, where, chosen, analysis);
    });
  };
  const Precision precision = question.options.precision;
  if (precision != Precision::mixed) return in(precision, choice);
  SparseChoice refined = choice;
  refined.refined = true;
  return std::make_unique<MixedInverse>([in, refined] { return in(Precision::float32, refined); },
                                        [in, choice] { return in(Precision::float64, choice); },
                                        std::move(before_double));
}

template <Method method>
EliminationChoice sparse_choice(const SolverQuestion& question) {
  EliminationChoice choice;
  choice.method = method;
  choice.pivoting = method == Method::sparse_cholesky ? Pivoting::none : Pivoting::partial;
  choice.precision = question.options.precision;
  return choice;
}

template <Method method>
SolverRow sparse_row(std::string_view sentence) {
  return {method,
          sentence,
          refuse_sparse<method>,
          analyse_sparse_row<method>,
          plan_sparse_row,
          plan_sparse_in_double,
          make_sparse<method>,
          sparse_choice<method>};
}

}  // namespace

SolverRow sparse_cholesky_row() {
  return sparse_row<Method::sparse_cholesky>(
      "keeps A sparse and eliminates it front by front (multifrontal L L^T): for symmetric "
      "positive "
      "definite matrices, which it proves them to be");
}

SolverRow sparse_ldlt_row() {
  return sparse_row<Method::sparse_ldlt>(
      "keeps A sparse, L D L^T: for symmetric matrices, pivots of one or two rows; tells the "
      "number "
      "of negative eigenvalues");
}

SolverRow sparse_lu_row() {
  return sparse_row<Method::sparse_lu>(
      "keeps A sparse, P L U: for any matrix, rows matched with columns beforehand where its "
      "diagonal is weak");
}

}  // namespace spsolve::choice
