#include "choice/solver_table.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "choice/krylov_rows.hpp"
#include "choice/sparse_rows.hpp"
#include "core/error.hpp"
#include "core/tuning.hpp"
#include "dense/dense_inverse.hpp"
#include "dense/state/flops.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::inline choice {

namespace {

template <Method method>
std::string refuse_dense(const SolverQuestion& question) {
  if (const auto reason = why_not(method, question.options.null_space); !reason.empty()) {
    return std::string(reason);
  }
  return std::string(why_not(method, question.options.pivoting));
}

/// Whether dense rows are of complex numbers; GPUs eliminate real forms.
bool is_complex_there(const SolverQuestion& question) {
  return question.shape.is_complex() && question.memory == MemoryKind::host;
}

Index dense_order(const SolverQuestion& question) {
  return is_complex_there(question) ? question.shape.order() : question.shape.rows;
}

template <Method method>
EliminationChoice choice_of(const SolverQuestion& question) {
  SolverOptions options = question.options;
  options.method = method;
  EliminationChoice choice =
      choose_elimination(options, dense_order(question), question.ranks, question.memory);
  choice.complex = is_complex_there(question);
  return choice;
}

/// Flops a second of one rank, as a rough model has it.
constexpr double rate_of(Method method, MemoryKind memory) {
  const auto of = [method](const auto& tuning) {
    return method == Method::lu ? tuning.blocked_flops_per_second
                                : tuning.columnwise_flops_per_second;
  };
  return memory == MemoryKind::gpu ? of(gpu_tuning) : of(host_tuning);
}

/// Seconds that each column takes in addition, which waits for the one before it.
constexpr double seconds_of_column(Method method, MemoryKind memory) {
  if (memory == MemoryKind::host) return 0;
  return method == Method::lu ? gpu_tuning.seconds_of_dense_column
                              : gpu_tuning.seconds_of_run_column;
}

template <Method method>
SolverAnalysis analyse_dense(const SolverQuestion& question) {
  // Four real multiplications and additions to a complex one, of two numbers each.
  const double products = is_complex_there(question) ? 4 : 1, numbers = std::sqrt(products);
  const double flops = products * elimination_flops(method, dense_order(question));
  const auto order = static_cast<double>(dense_order(question));
  return {flops, flops / (rate_of(method, question.memory) * question.ranks) +
                     order * seconds_of_column(method, question.memory) +
                     predicted_solve_seconds(question, numbers * order * order / question.ranks)};
}

/// The columns that the condition estimate solves for at a time.
Index most_condition_columns(const SolverQuestion& question) {
  return !question.options.condition ? 1 : question.gpu ? 4 : 2;
}

/// Bytes of the vectors of the condition estimate: weights, two multivectors of two columns, and a
/// copy of one. Before them, of each of k right-hand sides, what weights are made of.
std::int64_t estimate_bytes(Index height, Index k) {
  return vectors_bytes(height, std::max<Index>(7, 4 * k + 1));
}

template <Method method>
DensePlanning planning_of(const SolverQuestion& question, int rank) {
  DensePlanning planning;
  planning.shape = question.shape;
  planning.choice = choice_of<method>(question);
  planning.rank = rank;
  planning.ranks = question.ranks;
  planning.columns = std::max(question.right_hand_sides, most_condition_columns(question));
  planning.scales = question.options.equilibrate != AutoSwitch::off;
  planning.phases = solving_phases(question);
  planning.gpu = question.gpu;
  return planning;
}

template <Method method>
void plan_dense_row(const SolverQuestion& question, int rank, MemoryPlan& plan) {
  plan_dense(plan, planning_of<method>(question, rank));
}

template <Method method>
MemoryPlan plan_row_in_double(const SolverQuestion& question, int rank) {
  return plan_in_double(planning_of<method>(question, rank));
}

template <Method method>
std::unique_ptr<Inverse> make_row(Team& team, ComputeDevice& memory, const SolverQuestion& question,
                                  BeforeDouble before_double) {
  return make_dense_inverse(team, memory, choice_of<method>(question), std::move(before_double));
}

template <Method method>
constexpr SolverRow dense_row(std::string_view sentence) {
  return {method,
          sentence,
          refuse_dense<method>,
          analyse_dense<method>,
          plan_dense_row<method>,
          plan_row_in_double<method>,
          make_row<method>,
          choice_of<method>};
}

/// Adds, for a rank with `height` rows, the vectors and the sparse rows of a solve on a GPU.
void plan_gpu_vectors(const SolverQuestion& question, Index height, MemoryPlan& plan) {
  const Index k = question.right_hand_sides;
  plan.on_gpu.push_back({"prepare", "right-hand sides", vectors_bytes(height, k)});
  // b, x, the residual, the correction and the better x; and copies inside the solve, which rows on
  // their way between ranks are as well, in host memory.
  const Index multivectors = 5, copies = question.ranks > 1 ? 6 : 3;
  plan.on_gpu.push_back({"eliminate", "right-hand sides, solutions, residuals",
                         multivectors * vectors_bytes(height, k)});
  const Index columns = std::max(k, most_condition_columns(question));
  plan.parts.push_back({"eliminate", "copies of right-hand sides inside the solve",
                        copies * vectors_bytes(height, columns)});
  if (question.options.condition) {
    plan.on_gpu.push_back(
        {"eliminate", "vectors of the condition estimate", estimate_bytes(height, k)});
  }
  // The halo has a column for each non-zero at most.
  const Index nonzeros = share_of_nonzeros(question.shape, height);
  const Index halo = std::min(question.shape.rows - height, nonzeros);
  for (const char* phase : {"prepare", "eliminate"}) {
    const bool transposed = question.options.condition && phase == std::string_view("eliminate");
    plan.on_gpu.push_back({phase, "compressed rows of this rank's band, for products",
                           band_products_bytes(height, height + halo, nonzeros, transposed)});
  }
  plan.on_gpu.push_back({"eliminate", "rows of x from other ranks", vectors_bytes(halo, k)});
}

/// Whether R A C takes the place of A: for certain, not at all, or as its values turn out, which
/// are not known.
AutoSwitch scales(Method method, const SolverQuestion& question) {
  const AutoSwitch wanted = question.options.equilibrate;
  const KrylovMethod* const krylov = krylov_method(method);
  if (wanted == AutoSwitch::off || (krylov != nullptr && krylov->symmetric())) {
    return AutoSwitch::off;
  }
  if (!is_sparse(method)) return wanted;
  return question.pattern_analysis.estimate.scales ? AutoSwitch::on : AutoSwitch::off;
}

/// Whether known solutions tell how far the signs of its pivots are those of A.
bool tells_inertia(Method method) {
  return method == Method::sparse_ldlt || method == Method::sparse_cholesky;
}

/// Adds, for a rank with `height` rows, the vectors of a solve on a host, in turns: right-hand
/// sides, as they are and scaled, while the matrix is eliminated; solutions and their refinement
/// then; the vectors of the condition estimate in the end.
void plan_host_vectors(const SolverQuestion& question, Method method, Index height,
                       MemoryPlan& plan) {
  const Index k = question.right_hand_sides;
  const auto vectors = [height](Index columns) { return vectors_bytes(height, columns); };
  plan.add({"prepare"}, "right-hand sides", vectors(k));
  plan.add({"eliminate"}, "right-hand sides", vectors(2 * k));
  // b, x, residual, correction and what weighs them; with other ranks, rows on their way.
  const Index on_their_way = question.ranks > 1 ? 6 * k : 0;
  plan.add({"solve"}, "right-hand sides, solutions, residuals", vectors(4 * k + 2 + on_their_way));
  if (question.options.condition) {
    plan.add({"estimate"}, "right-hand sides, solutions",
             vectors(2 * k + std::min<Index>(on_their_way, 12)));
    plan.add({"estimate"}, "vectors of the condition estimate", estimate_bytes(height, k));
    if (tells_inertia(method)) plan.add({"estimate"}, "vectors of the inertia", vectors(3));
  }
  const AutoSwitch scaled = scales(method, question);
  if (scaled == AutoSwitch::off) return;
  // Factors of rows and columns, as numbers and as vectors; what they are multiplied with between
  // the two.
  using enum MemoryPlan::Occasion;
  const auto perhaps = scaled == AutoSwitch::automatic ? equilibration : always;
  constexpr std::string_view words = "scale factors, vectors that are scaled";
  plan.add({"eliminate"}, words, vectors(4), perhaps);
  plan.add({"solve"}, words, vectors(4 + 2 * k), perhaps);
  if (question.options.condition) {
    plan.add({"estimate"}, words, vectors(4 + 2 + std::min<Index>(k, 2)), perhaps);
  }
}

/// The predicted cost of the elimination, in a line of text.
std::string prediction(const SolverRow& row, const SolverQuestion& question) {
  const SolverAnalysis analysis = row.analyse(question);
  return is_krylov(row.method)
             ? fmt::format(
                   "Prediction: {}, about {:.2g} s for 100 steps; how many it takes, only "
                   "the run tells\n",
                   name(row.method), analysis.seconds)
             : fmt::format("Prediction: {}, {:.3g} flops, about {:.2g} s\n", name(row.method),
                           analysis.flops, analysis.seconds);
}

}  // namespace

double predicted_solve_seconds(const SolverQuestion& question, double factor_entries) {
  const bool estimates = question.options.condition;
  if (question.memory == MemoryKind::gpu) {
    return gpu_tuning.seconds_of_solves + (estimates ? gpu_tuning.seconds_of_estimates : 0);
  }
  if (!estimates) return 0;
  const int threads = std::max(1, question.pattern_analysis.estimate.threads);
  return host_tuning.seconds_of_entry_in_estimates * factor_entries *
         std::pow(threads, -host_tuning.power_of_threads);
}

std::span<const SolverRow> solver_table() {
  static const std::vector<SolverRow> table = [] {
    std::vector<SolverRow> rows{
        dense_row<Method::lu>(
            "makes A dense and eliminates it in blocks, nearly all of it by products of matrices: "
            "2/3 n^3 flops, pivoting none, partial or tournament"),
        dense_row<Method::gauss>("makes A dense and eliminates it column by column: 2/3 n^3 flops, "
                                 "pivoting none, partial "
                                 "or complete"),
        dense_row<Method::gauss_jordan>(
            "eliminates above the diagonal as well, so that no back substitution is left: n^3 "
            "flops, "
            "pivoting none, partial or complete; for comparison with the literature"),
        sparse_cholesky_row(),
        sparse_ldlt_row(),
        sparse_lu_row(),
    };
    rows.insert(rows.end(), krylov_rows().begin(), krylov_rows().end());
    return rows;
  }();
  return table;
}

const SolverRow& choose_solver(const SolverQuestion& question) {
  const Method wanted = question.options.method;
  const SolverRow* best = nullptr;
  double least = 0;
  std::string reason;
  // An elimination that would follow an iteration is analysed when it is needed.
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  const bool stands_behind =
      is_sparse(wanted) && !estimate.analysed && (estimate.iteration.made() || estimate.elliptic);
  for (const SolverRow& row : solver_table()) {
    if (wanted != Method::automatic && row.method != wanted) continue;
    if (stands_behind) return row;
    if (std::string refusal = row.refuse(question); !refusal.empty()) {
      reason = std::move(refusal);
      continue;
    }
    const double seconds = row.analyse(question).seconds;
    if (best == nullptr || seconds < least) {
      best = &row;
      least = seconds;
    }
  }
  if (best == nullptr) fail_everywhere(ExitCode::input, "{}", reason);
  return *best;
}

std::span<const char* const> solving_phases(const SolverQuestion& question) {
  static constexpr const char* phases[] = {"eliminate", "solve", "estimate"};
  return std::span(phases, question.gpu ? 1 : question.options.condition ? 3 : 2);
}

Index rows_of_rank(const SolverQuestion& question, int rank) {
  const RowLayout equal{question.shape.rows, question.ranks};
  const bool given = question.bands != nullptr && question.bands->ranks == question.ranks;
  return (given ? *question.bands : equal).height(rank);
}

MemoryPlan plan_system(const SolverRow& row, const SolverQuestion& question, int rank) {
  const Index height = rows_of_rank(question, rank);
  MemoryPlan plan;
  if (question.reads_together) {
    plan_reading_together(plan, question.shape, *question.reads_together, rank, question.ranks,
                          height);
  } else {
    plan_reading(plan, question.shape, rank, question.ranks, height);
  }
  const std::span<const char* const> phases = solving_phases(question);
  if (question.gpu) {
    plan_gpu_vectors(question, height, plan);
  } else {
    plan_host_vectors(question, row.method, height, plan);
    plan.add(phases, "program and libraries, as they are used", bytes_of_program);
  }
  constexpr std::string_view band = "compressed rows of this rank's band";
  plan.add({"prepare"}, band, share_bytes(question.shape, height));
  plan.add(phases, band, share_bytes(question.shape, height));
  row.plan(question, rank, plan);
  plan.about = prediction(row, question) + plan.about;
  return plan;
}

std::string solver_help() {
  std::string text =
      "Methods of solve.method; auto takes the one that is predicted to be soonest done, cg where "
      "A looks elliptic, cg or bicgstab where it is seen to converge soon, and a Krylov method "
      "where "
      "elimination does not fit into memory:\n\n";
  for (const SolverRow& row : solver_table())
    text += fmt::format("{}\n      {}\n", name(row.method), row.sentence);
  return text;
}

}  // namespace spsolve::choice
