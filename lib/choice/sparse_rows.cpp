#include "choice/sparse_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/names/row_names.hpp"
#include "core/tuning.hpp"
#include "matrix/real_form.hpp"
#include "solve/gmres.hpp"
#include "sparse/sparse_inverse.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::inline choice {

namespace {

// Of a rank that eliminates alone on a host.
constexpr std::string_view whole_factors = "sparse factors", whole_stack = "stack of fronts";

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
  if (method == Method::sparse_ldlt && options.matching == AutoSwitch::on &&
      options.ordering == Ordering::file) {
    return "solve.matching=on of L D L^T orders matched rows together, and solve.ordering names a "
           "file with an order; use solve.matching=off, or another order";
  }
  if (options.factors == FactorPlace::disk && question.memory == MemoryKind::gpu) {
    return "solve.factors=disk goes with factors on a host; use device=host";
  }
  if (options.factors == FactorPlace::disk && question.ranks > 1) {
    return "solve.factors=disk goes with one rank; use threads in its place";
  }
  if (options.factors == FactorPlace::disk && question.wants_checkpoints) {
    return "solve.factors=disk keeps no checkpoints; use solve.factors=memory, or none";
  }
  if (method != Method::sparse_lu && options.method == method && !estimate.analysed) {
    if (!estimate.facts.nearly_symmetric) {
      return fmt::format(
          "solve.method={} wants a {} matrix, and this one is not, by more than rounding: "
          "{}; use solve.method=sparse_lu",
          name(method), RowNames::symmetric(), to_text(estimate.asymmetry));
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
          : predicted_seconds(estimate.flops, estimate.numbers(),
                              estimate.threads * (over_ranks(question) ? question.ranks : 1));
  return {estimate.flops,
          seconds + seconds_on_the_way(question) +
              predicted_solve_seconds(question, static_cast<double>(estimate.numbers()))};
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

using Phases = std::span<const char* const>;

/// Adds that to a plan.
void plan_over_ranks(const SolverQuestion& question, int rank, double share, Phases phases,
                     MemoryPlan& plan) {
  const auto n = static_cast<double>(question.shape.rows);
  const double columns = static_cast<double>(question.right_hand_sides);
  plan.add(phases, "vectors in the order of elimination",
           static_cast<std::int64_t>(4 * sizeof(double) * n * columns /
                                     static_cast<double>(question.ranks)));
  const auto scaled = [](std::int64_t bytes, double by) {
    return static_cast<std::int64_t>(by * static_cast<double>(bytes));
  };
  if (question.memory == MemoryKind::gpu) {
    const auto [of, scale] = memory_in_team(question, question.pattern_analysis.of_gpus, rank);
    const double width =
        static_cast<double>(std::min<Index>(most_sweep_columns, question.right_hand_sides));
    const char* const phase = phases.front();
    plan.add(phases, "fronts of this rank, values of its part",
             scaled(question.pattern_analysis.estimate.analysis_bytes, 1.0 / question.ranks));
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
  plan.add(phases, "sparse factors of this rank", scaled(of.factors, share * scale));
  plan.add(phases, "stack of fronts, columns of shared ones", scaled(of.stack, share * scale));
  plan.add(phases, "fronts of this rank, values of its part", scaled(of.rest, scale));
}

/// Adds the vectors inside of solves by rank 0, which eliminates on a host: found solutions, also
/// of some columns at a time, and places of rows; with other ranks, their rows on their way as
/// well, and of complex numbers their parts.
void plan_vectors_inside(const SolverQuestion& question, Phases phases, MemoryPlan& plan) {
  const Index n = question.shape.rows, k = question.right_hand_sides;
  constexpr Index of_estimate = 2;  // columns
  const bool is_copied = question.ranks > 1 || question.pattern_analysis.estimate.complex;
  const auto inside = [&](Index columns) {
    const Index found = columns + 1 + (columns > most_sweep_columns ? 2 * most_sweep_columns : 0);
    return vectors_bytes(n, is_copied ? 4 * columns : found);
  };
  constexpr std::string_view words = "vectors in the order of elimination";
  for (const char* const phase : phases) {
    if (phase == std::string_view("eliminate")) continue;  // no solves yet
    plan.add({phase}, words, inside(phase == std::string_view("estimate") ? of_estimate : k));
  }
}

/// Adds the vectors of a few steps of GMRES, which goes on where pivots turn out to be too small: L
/// D L^T with zeros on the diagonal, and L U of a symmetric matrix whose diagonal is weak, so that
/// it was matched, such as of optimisation.
void plan_gmres(const SolverQuestion& question, Phases phases, MemoryPlan& plan) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  const bool is_weak =
      estimate.kind == Factorization::lu
          ? estimate.matched && estimate.facts.nearly_symmetric
          : estimate.kind == Factorization::ldlt && estimate.facts.zero_diagonals > 0;
  if (!is_weak) return;
  constexpr Index of_estimate = 2;  // columns
  constexpr int few_steps = 2;
  for (const char* const phase : phases) {
    if (phase == std::string_view("eliminate")) continue;  // no solves yet
    // A digit is enough of estimates, which the factors have alone.
    const bool estimates = phase == std::string_view("estimate");
    plan.add({phase}, "vectors of GMRES, should pivots be too small",
             gmres_bytes(question.shape.rows, estimates ? of_estimate : question.right_hand_sides,
                         estimates ? 0 : few_steps),
             MemoryPlan::Occasion::small_pivots);
  }
}

/// Adds the factors and what goes with them on a rank that eliminates alone; `share` of the bytes
/// of factors in double.
void plan_factors(const SolverQuestion& question, double share, Phases phases, MemoryPlan& plan) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  const auto part = [&](std::int64_t bytes) {
    return static_cast<std::int64_t>(share * static_cast<double>(bytes));
  };
  if (question.memory == MemoryKind::gpu) {
    const char* const phase = phases.front();
    const GpuFactorMemory gpu = fitted_gpu_memory(question);
    const std::int64_t factors = estimate.gpu_memory.factors;
    if (gpu.factors < factors) {
      plan.on_gpu.push_back({phase, "sparse factors, some levels at a time", part(gpu.factors)});
      plan.add(phases, "sparse factors of the GPU", part(factors));
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
  plan.add(phases, whole_factors, part(estimate.memory.factors));
  // An estimate of the condition, where there is one, begins without it.
  const bool estimates = phases.back() == std::string_view("estimate");
  plan.add(estimates ? phases.first(1) : phases, whole_stack, part(estimate.memory.stack));
  plan.add(phases, "rows of pivots, lists of fronts", estimate.memory.rest);
  // As measured of OpenBLAS: of large products.
  constexpr std::int64_t most_of_thread = 3 << 20;
  plan.add(phases, "buffers of the BLAS",
           estimate.threads * std::min(most_of_thread, estimate.memory.factors / 64));
  plan_vectors_inside(question, phases, plan);
  plan_gmres(question, phases, plan);
}

/// Adds what rank 0 takes, which eliminates, or what each rank does, in these phases.
void plan_sparse(const SolverQuestion& question, int rank, double share, Phases phases,
                 MemoryPlan& plan) {
  const bool shared = over_ranks(question);
  if (shared) plan_over_ranks(question, rank, share, phases, plan);
  if (rank != 0) return;
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  const Index n = question.shape.rows, nonzeros = question.shape.nonzeros;
  plan.add({"prepare"}, "matrix for sparse elimination",
           csr_bytes(n, nonzeros, 2 * sizeof(double)));
  plan.add({"prepare"}, "analysis of the pattern", estimate.analysis_bytes);
  plan.add(phases, "analysis of the pattern", estimate.analysis_bytes);
  if (question.ranks > 1 && !shared && question.memory == MemoryKind::host) {
    plan.add(phases, "matrix whose values are eliminated", csr_bytes(n, nonzeros, sizeof(double)));
  }
  const auto own = nonzeros * static_cast<std::int64_t>(sizeof(double));
  const bool on_host = question.memory == MemoryKind::host && !shared;
  plan.add(phases, "values that are eliminated", on_host ? estimate.value_bytes : own);
  if (shared) {
    plan.add(phases, "pattern of the matrix, whose values go where",
             csr_bytes(n, nonzeros, sizeof(Index)));
    return;
  }
  plan_factors(question, share, phases, plan);
}

/// Adds to rank 0's plan what the analysis took that there is: itself and, as measured, up to 90
/// bytes a row and 18 a non-zero on the way.
void plan_made_analysis(MemoryPlan& plan, const MatrixShape& shape,
                        const FactorizationEstimate& estimate) {
  const Index parts = estimate.complex ? complex_parts : 1;
  const Index rows = shape.rows / parts, nonzeros = shape.nonzeros / (parts * parts);
  plan.add({"analyse"}, "compressed rows of the whole matrix",
           csr_bytes(shape.rows, shape.nonzeros, sizeof(double)));
  if (estimate.complex) {
    plan.add({"analyse"}, "moduli of complex numbers",
             2 * csr_bytes(rows, nonzeros, sizeof(double)));
  }
  plan.add({"analyse"}, "graph and order on the way", 90 * rows + 18 * nonzeros);
  plan.add({"analyse"}, "analysis of the pattern", estimate.analysis_bytes);
}

void plan_sparse_row(const SolverQuestion& question, int rank, MemoryPlan& plan) {
  plan.about = to_text(question.pattern_analysis.estimate, question.memory);
  if (rank == 0) plan_made_analysis(plan, question.shape, question.pattern_analysis.estimate);
  const double share = question.options.precision == Precision::float64 ? 1.0 : 0.5;
  const Phases phases = solving_phases(question);
  plan_sparse(question, rank, share, phases, plan);
  if (question.memory == MemoryKind::gpu) return;
  // As measured of glibc: up to a sixteenth, in pieces between those that are in use. Factors and
  // stacks of a rank alone are no pieces.
  const bool shared = over_ranks(question);
  for (const char* const phase : phases) {
    std::int64_t whole = 0;
    for (const MemoryPlan::PlannedBytes& part : plan.parts) {
      const bool is_whole = part.what == whole_factors || part.what == whole_stack;
      if (!shared && part.phase == phase && is_whole) whole += part.bytes;
    }
    plan.add({phase}, "memory that was freed and is kept", (plan.bytes_in(phase) - whole) / 16);
  }
}

MemoryPlan plan_sparse_in_double(const SolverQuestion& question, int rank) {
  MemoryPlan plan;
  constexpr const char* phase[] = {"in double"};
  plan_sparse(question, rank, 1.0, phase, plan);
  return plan;
}

template <Method method>
std::unique_ptr<Inverse> make_sparse(Team& team, ComputeDevice& memory,
                                     const SolverQuestion& question, BeforeDouble before_double) {
  SparseMemory& where = memory.sparse();
  SparseChoice choice;
  choice.kind = factorization_of(method);
  choice.ordering = question.options.ordering;
  choice.matching = question.options.matching;
  choice.equilibrate = question.options.equilibrate;
  choice.over_ranks = over_ranks(question);
  choice.may_change = question.options.method == Method::automatic;
  choice.estimated = question.options.condition;
  choice.complex = question.pattern_analysis.estimate.complex;
  choice.systems = question.pattern_analysis.estimate.systems;
  const auto in = [&team, &where, analysis = question.pattern_analysis.analysis](
                      Precision precision, const SparseChoice& chosen) {
    const auto make = [&]<typename T>(T) -> std::unique_ptr<Inverse> {
      return std::make_unique<SparseInverse<T>>(team, where, chosen, analysis);
    };
    return chosen.complex ? with_scalar<std::complex<double>>(precision, make)
                          : with_scalar(precision, make);
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
