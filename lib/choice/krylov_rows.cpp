#include "choice/krylov_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "choice/krylov_first.hpp"
#include "core/error.hpp"
#include "core/tuning.hpp"
#include "krylov/krylov_inverse.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::inline choice {

namespace {

/// Why there is no such iteration, or "".
template <Method method>
std::string refuse_krylov(const SolverQuestion& question) {
  const SolverOptions& options = question.options;
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  const bool is_taken = estimate.iteration.method == method || estimate.of_singular == method ||
                        (method == Method::cg && estimate.elliptic);
  if (options.method == Method::automatic && !is_taken) {
    return fmt::format("solve.method=auto does not take {} for this matrix", name(method));
  }
  if (const auto reason = why_not(method, options.pivoting); !reason.empty()) {
    return std::string(reason);
  }
  if (options.precision != Precision::float64) {
    return fmt::format(
        "solve.precision={} does not go with solve.method={}, which computes in double; use "
        "solve.precision=double, or a sparse method",
        name(options.precision), name(method));
  }
  if (options.null_space != NullSpaceKind::none && options.equilibrate == AutoSwitch::on) {
    return "solve.equilibrate=on does not go with solve.null_space, whose vectors are those of A "
           "as "
           "it is; use solve.equilibrate=auto";
  }
  if (method == Method::cocr && options.null_space != NullSpaceKind::none) {
    return "solve.method=cocr does not take solve.null_space; use solve.method=minres or gmres";
  }
  if (krylov_method(method)->symmetric() && options.equilibrate == AutoSwitch::on) {
    return fmt::format(
        "solve.equilibrate=on does not go with solve.method={}, as it would leave A unsymmetric; "
        "use solve.equilibrate=auto",
        name(method));
  }
  return "";
}

/// For what looks elliptic, multigrid and what vouches for x, and so much more that iteration must
/// be worth it. Else the bytes that a step moves, at a rate of memory, for a number of steps that
/// nobody knows before: a hundred.
template <Method method>
SolverAnalysis analyse_krylov(const SolverQuestion& question) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  if (question.options.method == Method::automatic && estimate.iteration.method == method) {
    return {0, estimate.iteration.seconds};
  }
  if (estimate.elliptic) {
    const bool estimates = question.options.condition;
    if (question.memory == MemoryKind::gpu) {
      return {0, seconds_of_multigrid_on_gpus(question.shape, question.ranks, estimates) /
                     host_tuning.worthwhile_iteration};
    }
    const auto units =
        static_cast<double>(question.shape.nonzeros) + 5 * static_cast<double>(question.shape.rows);
    const double held_up = std::pow(0.5 * question.ranks * std::max(1, estimate.threads),
                                    -host_tuning.power_of_threads);
    const double of_unit = host_tuning.seconds_of_setup + host_tuning.seconds_of_iteration +
                           (estimates ? host_tuning.seconds_of_estimates : 0);
    // As measured of power_law:8000:4: levels have nine times the non-zeros of A.
    constexpr double filled = 7;
    return {0, (estimate.hubs ? filled : 1) * of_unit * units * held_up /
                   host_tuning.worthwhile_iteration};
  }
  constexpr double steps = 100, bytes_of_nonzero = 12, bytes_of_row = 100;
  const double rate = question.memory == MemoryKind::gpu ? gpu_tuning.bytes_per_second
                                                         : host_tuning.bytes_per_second;
  const double bytes = bytes_of_nonzero * static_cast<double>(question.shape.nonzeros) +
                       bytes_of_row * static_cast<double>(question.shape.rows);
  return {0, steps * bytes / (rate * question.ranks)};
}

/// The bytes of the preconditioner that takes the most of those that `auto` may choose, on a rank
/// of such a share.
std::int64_t preconditioner_bytes(const SolverQuestion& question, Index height, Index nonzeros) {
  const Preconditioner wanted = question.options.preconditioner;
  const PreconditionerRow& row =
      preconditioner_row(wanted == Preconditioner::automatic ? Preconditioner::multigrid : wanted);
  std::int64_t bytes = row.bytes(height, nonzeros, question.memory);
  if (is_multigrid(row.kind) && question.ranks > 1) {
    // Levels that every rank has whole: all of them where the matrix is small.
    const Index whole =
        std::min(replicated_level_nonzeros(question.memory), question.shape.nonzeros);
    const double share = static_cast<double>(whole) /
                         static_cast<double>(std::max<Index>(1, question.shape.nonzeros));
    bytes += row.bytes(static_cast<Index>(share * static_cast<double>(question.shape.rows)), whole,
                       question.memory);
  }
  return bytes;
}

/// The bytes of the vectors that a method works in, for so many right-hand sides.
std::int64_t krylov_bytes(const KrylovMethod& row, const SolverQuestion& question, Index height,
                          Index columns) {
  Index vectors = row.vectors + 2;  // the residual, and the best solution so far
  if (row.keeps_basis) vectors += 2 * (question.options.restart + 1);
  return vectors *
         vectors_bytes(height, row.at_once > 0 ? std::min(columns, row.at_once) : columns);
}

/// The bytes of the vectors that a preconditioner works in for columns after the first, whose are
/// part of its own: residuals, the polynomial's other vector, and those of coarser levels.
std::int64_t work_bytes(Preconditioner kind, Index height, Index columns) {
  const bool has_levels = is_multigrid(kind) || kind == Preconditioner::automatic;
  const Index halves = has_levels ? 5 : kind == Preconditioner::chebyshev ? 2 : 0;
  return halves * vectors_bytes(height, std::max<Index>(0, columns - 1)) / 2;
}

/// Adds what is there of the null space, the first guess and checkpoints.
void plan_beside_iteration(const SolverQuestion& question, Index height, MemoryPlan& plan) {
  const std::int64_t guess =
      question.guesses ? vectors_bytes(height, question.right_hand_sides) : 0;
  // And what A makes of its vectors, as they are tried.
  const std::int64_t of_null_space = 3 * vectors_bytes(height, question.null_vectors);
  if (question.memory == MemoryKind::gpu) {
    plan.on_gpu.push_back({"eliminate", "null space", of_null_space});
    plan.on_gpu.push_back({"eliminate", "first guess", guess});
  } else {
    plan.add(solving_phases(question), "null space", of_null_space);
    plan.add({"eliminate"}, "first guess", guess);
  }
  if (question.wants_checkpoints) {
    plan.add({"prepare"}, "right-hand sides, for the names of checkpoints",
             vectors_bytes(height, question.right_hand_sides));
  }
}

/// The plan of an iteration on a GPU; its preconditioner is made in part on the host.
void plan_krylov_on_gpu(const SolverQuestion& question, const KrylovMethod& row, Index height,
                        MemoryPlan& plan) {
  const Index nonzeros = share_of_nonzeros(question.shape, height);
  constexpr Index of_estimate = 4;  // columns
  const Index columns =
      std::max<Index>(question.right_hand_sides, question.options.condition ? of_estimate : 1);
  plan.on_gpu.push_back(
      {"eliminate", "vectors of the Krylov method", krylov_bytes(row, question, height, columns)});
  plan_beside_iteration(question, height, plan);
  const std::int64_t bytes = preconditioner_bytes(question, height, nonzeros);
  plan.add({"prepare"}, "preconditioner, while it is made", 2 * bytes);
  plan.add({"eliminate"}, "preconditioner", bytes);
  plan.on_gpu.push_back({"eliminate", "rows of A in one more form",
                         6 * csr_bytes(height, nonzeros, sizeof(double)) / 5});
  plan.on_gpu.push_back({"eliminate", "preconditioner, likewise", 2 * bytes});
  if (row.symmetric() || question.options.equilibrate == AutoSwitch::off) return;
  const std::int64_t rows = csr_bytes(height, nonzeros, sizeof(double));
  for (const char* const phase : {"prepare", "eliminate"}) {
    plan.add({phase}, "scaled rows", rows);
    plan.on_gpu.push_back({phase, "scaled rows", rows});
  }
}

/// Adds the preconditioner on a host, of `auto` both that it may come to.
void plan_preconditioner(const SolverQuestion& question, Index height, Index nonzeros,
                         MemoryPlan& plan) {
  const std::span<const char* const> phases = solving_phases(question);
  const std::int64_t preconditioner = preconditioner_bytes(question, height, nonzeros);
  // Of multigrid what it is made of is small; of others it is as large as they are.
  const Preconditioner kind = question.options.preconditioner;
  const bool has_levels = is_multigrid(kind) || kind == Preconditioner::automatic;
  using enum MemoryPlan::Occasion;
  if (kind == Preconditioner::automatic) {
    const std::int64_t incomplete =
        preconditioner_row(Preconditioner::ilu0).bytes(height, nonzeros, question.memory);
    constexpr std::string_view words = "preconditioner, should it be multigrid";
    const auto more = [=](int times) {
      return std::max<std::int64_t>(0, preconditioner - times * incomplete);
    };
    plan.add({"prepare"}, "preconditioner, while it is made", 2 * incomplete);
    plan.add({"prepare"}, words, more(2), multigrid);
    plan.add(phases, "preconditioner", incomplete);
    plan.add(phases, words, more(1), multigrid);
  } else {
    plan.add({"prepare"}, "preconditioner, while it is made",
             (has_levels ? 1 : 2) * preconditioner);
    plan.add(phases, "preconditioner", preconditioner);
  }
  // As measured of glibc.
  if (has_levels) {
    plan.add(phases, "memory that was freed and is kept", preconditioner / 16,
             kind == Preconditioner::automatic ? multigrid : always);
  }
}

template <Method method>
void plan_krylov(const SolverQuestion& question, int rank, MemoryPlan& plan) {
  const Index height = rows_of_rank(question, rank);
  const Index nonzeros = share_of_nonzeros(question.shape, height);
  const KrylovMethod& row = *krylov_method(method);
  if (question.memory == MemoryKind::gpu) return plan_krylov_on_gpu(question, row, height, plan);
  const std::span<const char* const> phases = solving_phases(question);
  const Index k = question.right_hand_sides;
  for (const char* const phase : phases) {
    constexpr Index of_estimate = 2;  // columns
    const Index columns = phase == std::string_view("estimate") ? of_estimate : k;
    plan.add({phase}, "vectors of the Krylov method", krylov_bytes(row, question, height, columns));
    plan.add({phase}, "vectors of the preconditioner",
             work_bytes(question.options.preconditioner, height,
                        row.at_once > 0 ? std::min(columns, row.at_once) : columns));
  }
  plan_beside_iteration(question, height, plan);
  plan.add({"solve"}, "vectors of a solution that is known", vectors_bytes(height, 2));
  plan_preconditioner(question, height, nonzeros, plan);
  // Many products are expected: see BandProducts::expect_many(). Rows are cut by columns first; of
  // long ones types alone have another form, without values.
  const bool as_it_is = nonzeros > host_tuning.most_grouped_nonzeros &&
                        static_cast<double>(nonzeros) >=
                            host_tuning.nonzeros_of_sliced_row * static_cast<double>(height);
  const std::int64_t of_rows = csr_bytes(height, nonzeros, sizeof(double));
  // Rows of few types have runs of at least eight, of 8 bytes each; those of complex numbers have
  // each number once, and multigrid may turn phases of a copy.
  const std::int64_t again = question.rows_repeat ? height
                             : as_it_is           ? 2 * height * std::int64_t{sizeof(double)}
                             : question.shape.is_complex() ? of_rows / 4 * 3
                                                           : of_rows;
  plan.add({"prepare"}, "rows of A in one more form", (question.ranks > 1 ? 2 : 1) * again);
  plan.add(phases, "rows of A in one more form", again);
  if (row.wants == WantedSymmetry::symmetric && question.options.condition) {
    plan.add({"estimate"}, "rows of A^T", of_rows);
  }
  if (row.symmetric()) return;
  // Estimates solve with A^T.
  if (question.options.condition) plan.add({"estimate"}, "rows of A^T", of_rows);
  if (question.options.equilibrate == AutoSwitch::off) return;
  using enum MemoryPlan::Occasion;
  const auto perhaps =
      question.options.equilibrate == AutoSwitch::automatic ? equilibration : always;
  plan.add({"prepare"}, "scaled rows", of_rows, perhaps);
  plan.add(phases, "scaled rows", of_rows, perhaps);
}

template <Method method>
std::unique_ptr<Inverse> make_krylov(Team& team, ComputeDevice& memory,
                                     const SolverQuestion& question, BeforeDouble before_second) {
  if (auto_tries(question) || question.short_of_memory) {
    return make_krylov_first(team, memory, question, method, std::move(before_second));
  }
  SolverOptions options = question.options;
  options.method = method;
  return std::make_unique<KrylovInverse>(memory, options);
}

template <Method method>
EliminationChoice krylov_choice(const SolverQuestion&) {
  EliminationChoice choice;
  choice.method = method;
  choice.pivoting = Pivoting::none;
  return choice;
}

template <Method method>
constexpr SolverRow krylov_row(std::string_view sentence) {
  return {method,
          sentence,
          refuse_krylov<method>,
          analyse_krylov<method>,
          plan_krylov<method>,
          plan_after_trial,
          make_krylov<method>,
          krylov_choice<method>};
}

}  // namespace

std::span<const SolverRow> krylov_rows() {
  static const SolverRow table[] = {
      krylov_row<Method::cg>(
          "conjugate gradients: products with A and a preconditioner alone, for symmetric positive "
          "definite matrices"),
      krylov_row<Method::minres>(
          "minimal residuals: likewise, for symmetric matrices of any signs"),
      krylov_row<Method::gmres>(
          "generalised minimal residuals, restarted: likewise, for any matrix"),
      krylov_row<Method::bicgstab>("stabilised biconjugate gradients: likewise, in few vectors"),
      krylov_row<Method::block_cg>(
          "block conjugate gradients: as cg, but all right-hand sides, up to 64 at a time, search "
          "the directions of all of them: fewer steps for many"),
      krylov_row<Method::idr>("induced dimension reduction, IDR(4): likewise, in few vectors"),
      krylov_row<Method::cocr>(
          "conjugate A-orthogonal conjugate residuals: likewise, for complex symmetric matrices, "
          "A = A^T without conjugation"),
  };
  return table;
}

}  // namespace spsolve::choice
