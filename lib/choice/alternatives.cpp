#include "choice/alternatives.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "choice/factor_place.hpp"
#include "distribute/reading/read_in_bands.hpp"
#include "krylov/methods/krylov_method.hpp"
#include "vectors/vector_bytes.hpp"

namespace spsolve::inline choice {

PlanFor Planner::of(const SolverQuestion& question) const {
  return [question, system = system, resident = resident](int rank, int ranks) {
    SolverQuestion there = question;
    there.ranks = ranks;
    // The method that these ranks take: `auto` might take another one on more.
    MemoryPlan plan = plan_system(choose_solver(question), there, rank);
    if (rank == 0 && system.rotates_matrix && !there.reads_together) {
      plan_rotation(plan, there.shape);
    }
    if (system.rotates_right_hand_sides) {
      const Index height = RowLayout{there.shape.rows, ranks}.height(rank);
      plan.parts.push_back({"prepare", "right-hand sides being rotated, and on their way",
                            3 * vectors_bytes(height, there.right_hand_sides)});
    }
    plan.resident = resident;
    return plan;
  };
}

std::pair<SolverQuestion, std::string> by_method(const SolverQuestion& question, Method method) {
  SolverQuestion changed = question;
  std::string words = fmt::format("solve.method={}", name(method));
  changed.options.method = method;
  if (!why_not(method, changed.options.pivoting).empty()) {
    changed.options.pivoting = Pivoting::automatic;
    words += " with solve.pivoting=auto";
  }
  if (is_krylov(method) && changed.options.precision != Precision::float64) {
    changed.options.precision = Precision::float64;
    words += " with solve.precision=double";
  }
  return {std::move(changed), std::move(words)};
}

namespace {

/// Whether the row of the method that is named, if one is, does not do what is asked for.
bool is_refused(const SolverQuestion& question) {
  const auto& table = solver_table();
  const auto row = std::ranges::find(table, question.options.method, &SolverRow::method);
  return row != table.end() && !row->refuse(question).empty();
}

/// Methods that may need less memory than the one that is taken, those that people should try first
/// before the others: the sparse one that the analysis was made for, a Krylov method for the same
/// kind of matrix, blocked elimination.
std::vector<Method> methods_instead(const SolverQuestion& question) {
  std::vector<Method> methods;
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  if (estimate.analysed) {
    for (const Method method : {Method::sparse_cholesky, Method::sparse_ldlt, Method::sparse_lu}) {
      if (factorization_of(method) == estimate.kind) methods.push_back(method);
    }
  }
  const bool definite = estimate.analysed && estimate.kind == Factorization::cholesky;
  const bool symmetric = estimate.analysed && estimate.facts.nearly_symmetric;
  methods.push_back(definite              ? Method::cg
                    : estimate.conjugated ? Method::cocr
                    : symmetric           ? Method::minres
                                          : Method::gmres);
  methods.push_back(Method::lu);
  std::erase(methods, choose_solver(question).method);
  return methods;
}

}  // namespace

std::vector<Remedy> remedies(const SolverQuestion& question, const Planner& planner) {
  std::vector<Remedy> ways;
  const auto offer = [&](std::string words, const auto& change) {
    SolverQuestion changed = question;
    change(changed);
    if (is_refused(changed)) return;
    ways.push_back({std::move(words), planner.of(changed)});
  };
  const auto offer_precision = [&](Precision precision) {
    offer(fmt::format("solve.precision={}", name(precision)),
          [&](SolverQuestion& changed) { changed.options.precision = precision; });
  };
  // A matrix that was analysed is on rank 0 as a whole.
  if (question.ranks > 1 && !question.pattern_analysis.estimate.analysed &&
      !question.reads_together) {
    offer("matrix.reader=parallel", [](SolverQuestion& changed) {
      changed.reads_together = ReadingTogether{BandedReading{}.piece_bytes, false};
    });
  }
  for (const Method method : methods_instead(question)) {
    auto [changed, words] = by_method(question, method);
    // The diagonal alone has spoken for it.
    if (method == Method::sparse_cholesky) {
      changed.options.method = Method::automatic;
      words.replace(0, std::string_view("solve.method=sparse_cholesky").size(),
                    "solve.method=auto (sparse_cholesky)");
    }
    if (method == Method::cg) words += " (minres where A is not positive definite)";
    if (is_refused(changed)) continue;
    ways.push_back({std::move(words), planner.of(changed)});
  }
  if (question.options.precision == Precision::float64) offer_precision(Precision::mixed);
  if (question.options.precision != Precision::float32) offer_precision(Precision::float32);
  if (question.gpu) {
    offer("device=host", [](SolverQuestion& changed) {
      changed.memory = MemoryKind::host;
      changed.gpu = {};
    });
  }
  return ways;
}

namespace {

/// Whether an iteration suits the matrix, as far as the analysis found out.
bool suits(const KrylovMethod& method, const SolverQuestion& question) {
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  if (method.method == Method::block_cg && question.right_hand_sides == 1) return false;
  if (method.method == Method::cocr) return estimate.conjugated;
  if (method.wants == WantedSymmetry::none) return true;
  const bool definite = method.method == Method::minres || estimate.facts.positive_diagonal;
  return estimate.facts.nearly_symmetric && definite;
}

/// What a question takes on these ranks.
Alternative alternative_of(std::string words, const SolverQuestion& question,
                           const Planner& planner, const MemoryCheck& check) {
  Alternative way;
  way.words = std::move(words);
  const SolverRow& row = choose_solver(question);
  const FactorizationEstimate& estimate = question.pattern_analysis.estimate;
  way.seconds = row.analyse(question).seconds;
  const bool is_expected =
      question.options.method == Method::automatic && estimate.iteration.method == row.method;
  way.of_steps = is_krylov(row.method) && !estimate.elliptic && !is_expected;
  const PlanFor plan = planner.of(question);
  const bool on_gpu = question.memory == MemoryKind::gpu;
  for (std::size_t rank = 0; rank < check.ranks.size(); ++rank) {
    const MemoryPlan of_rank = plan(static_cast<int>(rank), question.ranks);
    const MemoryCheck::Rank& there = check.ranks[rank];
    way.bytes = std::max(way.bytes, on_gpu ? of_rank.gpu_peak() : of_rank.peak());
    way.fits =
        way.fits && of_rank.peak() <= there.available && of_rank.gpu_peak() <= there.gpu_available;
  }
  if (is_sparse(row.method) && !on_gpu) way.on_disk = estimate.memory.on_disk;
  return way;
}

}  // namespace

std::vector<Alternative> alternatives(const SolverQuestion& question, const Planner& planner,
                                      const MemoryCheck& check) {
  const Method taken = choose_solver(question).method;
  std::vector<Alternative> ways;
  const auto add = [&](std::string words, const SolverQuestion& changed) {
    if (!is_refused(changed)) {
      ways.push_back(alternative_of(std::move(words), changed, planner, check));
    }
  };
  add(fmt::format("solve.method={}", name(taken)), question);
  for (const SolverRow& row : solver_table()) {
    auto [changed, words] = by_method(question, row.method);
    changed.short_of_memory = false;
    const KrylovMethod* const krylov = krylov_method(row.method);
    if (krylov != nullptr && !suits(*krylov, question)) continue;
    if (row.method != taken) add(words, changed);
    if (!is_sparse(row.method) || is_refused(changed)) continue;
    if (question.options.precision == Precision::float64) {
      SolverQuestion mixed = changed;
      mixed.options.precision = Precision::mixed;
      add(words + " with solve.precision=mixed", mixed);
    }
    const FactorMemory& memory = question.pattern_analysis.estimate.memory;
    if (question.pattern_analysis.analysis == nullptr || memory.on_disk > 0) continue;
    SolverQuestion on_disk = changed;
    on_disk.options.factors = FactorPlace::disk;
    if (is_refused(on_disk)) continue;
    on_disk.pattern_analysis.estimate.memory = memory_on_disk(on_disk);
    add(words + " with solve.factors=disk", on_disk);
  }
  return ways;
}

std::string to_text(const std::vector<Alternative>& ways) {
  std::size_t width = 0;
  for (const Alternative& way : ways) width = std::max(width, way.words.size());
  std::string text = "Alternatives, the one that is taken first, with memory and predicted time:\n";
  for (const Alternative& way : ways) {
    text +=
        fmt::format("  {:<{}} {:>12} {:>9.2g} s{}{}{}\n", way.words, width,
                    readable_bytes(way.bytes), way.seconds, way.of_steps ? " for 100 steps" : "",
                    way.on_disk > 0 ? fmt::format(", {} on disk", readable_bytes(way.on_disk)) : "",
                    way.fits ? "" : ": does not fit");
  }
  return text;
}

}  // namespace spsolve::choice
