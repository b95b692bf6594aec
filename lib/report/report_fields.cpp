#include "report/report_fields.hpp"

#include <fmt/format.h>

namespace spsolve::inline report {

namespace {

constexpr auto always = FieldPresence::always;
constexpr auto finished = FieldPresence::finished;
constexpr auto failed = FieldPresence::failed;
constexpr auto solve = FieldPresence::solve;
constexpr auto solve_sometimes = FieldPresence::solve_sometimes;
constexpr auto multiply = FieldPresence::multiply;
constexpr auto multiply_sometimes = FieldPresence::multiply_sometimes;
constexpr auto sometimes = FieldPresence::sometimes;

constexpr ReportField field_table[] = {
    {"report_version", FieldType::integer, always, "Version of this form, 2."},
    {"status", FieldType::text, always,
     "solved; uncertain: x has a small residual, but no digit of it is known to be right; not "
     "trustworthy: the residual is too large, a system of several has no solution, or a product is "
     "wrong; for either the exit code is 1 "
     "and a note says why. failed or stopped: there is no result of this run, and failure says "
     "why; running: not yet, or never, where the run was killed."},
    {"summary", FieldType::text, always,
     "The run in one line: status, where the result is, about how many digits of it are right, "
     "seconds."},
    {"started", FieldType::text, always,
     "When the run began, as year-month-day, hours and the difference from UTC (ISO 8601)."},
    {"command_line", FieldType::text, always,
     "The command, as a shell would take it; of several ranks without the launcher."},
    {"failure.exit_code", FieldType::integer, failed, "How spsolve ended."},
    {"failure.message", FieldType::text, failed, "What it said."},
    {"matrix.source", FieldType::text, always, "The file or the generator."},
    {"matrix.rows", FieldType::integer_or_null, always,
     "Rows; null, as the next two, where a run failed before it had read the matrix."},
    {"matrix.columns", FieldType::integer_or_null, always, "Columns."},
    {"matrix.nonzeros", FieldType::integer_or_null, always,
     "Stored entries, after mirroring and summing of duplicates."},
    {"matrix.kind", FieldType::text, sometimes,
     "task: solve, of a complex A that rank 0 reads: general, symmetric, Hermitian, or Hermitian "
     "positive "
     "definite, as L L^H proved it."},
    {"complex", FieldType::boolean, always,
     "Whether A or B is complex, and with it X: where neither sparse.complex is nor a dense method "
     "eliminated on a host, figures are those of the real form of twice the order."},
    {"precision", FieldType::text, always, "float, double or mixed: what was computed in."},
    {"ranks", FieldType::integer, always, "MPI ranks."},
    {"device", FieldType::text, finished, "Where it was computed: host or cuda."},
    {"hosts", FieldType::integer, finished, "Hosts that the ranks ran on."},
    {"threads", FieldType::integer, finished, "OpenMP threads of each rank."},
    {"blas", FieldType::text, finished,
     "The BLAS of rank 0 with its kernels and threads, which dense and sparse elimination on hosts "
     "compute by."},
    {"files", FieldType::texts, finished, "The files of results that the run wrote."},
    {"right_hand_sides", FieldType::integer, solve, "Columns of B."},
    {"right_hand_side", FieldType::text, solve, "Where B came from: a file, or how it was made."},
    {"steps[].right_hand_side", FieldType::text, solve_sometimes,
     "Of several systems (a pattern of files), of each in turn: where B came from. Figures of "
     "trust "
     "outside of steps are those of the least trustworthy one."},
    {"steps[].values", FieldType::text, solve_sometimes,
     "The file of its values, empty for those of the matrix itself."},
    {"steps[].solution", FieldType::text, solve_sometimes,
     "The file of x, empty where it was not written."},
    {"steps[].status", FieldType::text, solve_sometimes,
     "As status, of this x; failed where this system has none, as its matrix is singular."},
    {"steps[].backward_error", FieldType::number, solve_sometimes, "Its backward error."},
    {"steps[].forward_error", FieldType::number, solve_sometimes,
     "Its forward error as the last corrections let expect it, or else its bound."},
    {"steps[].condition", FieldType::number, solve_sometimes,
     "Its condition by components; null where it is not known."},
    {"steps[].failure", FieldType::text, solve_sometimes, "Why it failed; empty where it did not."},
    {"steps[].seconds", FieldType::number, solve_sometimes,
     "Seconds from its files to its file, with its elimination where it has values of its own."},
    {"steps[].earlier", FieldType::boolean, solve_sometimes,
     "Whether an earlier run solved it, as checkpoint.systems told."},
    {"method", FieldType::text, solve, "Method that was taken, as the configuration names it."},
    {"pivoting", FieldType::text, solve, "Pivoting that was taken."},
    {"equilibrated", FieldType::boolean, solve,
     "Whether rows and columns were scaled by powers of two before the elimination."},
    {"sparse.factorisation", FieldType::text, solve_sometimes,
     "Sparse methods: LL^T, LDL^T or LU: what A was factored into."},
    {"sparse.ordering", FieldType::text, solve_sometimes,
     "Sparse methods: the order that was taken, as the configuration names it; file: a file's."},
    {"sparse.analysis_seconds", FieldType::number, solve_sometimes,
     "Sparse methods: seconds of the analysis that the factors were made by."},
    {"sparse.flops", FieldType::number, solve_sometimes,
     "Sparse methods: operations of the elimination, zeros inside of fronts included."},
    {"sparse.blocks", FieldType::integer, solve_sometimes,
     "Sparse methods: diagonal blocks of the block triangular form of A that were eliminated by "
     "themselves (sparse_lu); 1 where A is not divided."},
    {"sparse.fronts", FieldType::integer, solve_sometimes,
     "Sparse methods: dense matrices that were eliminated one by one."},
    {"sparse.ranks", FieldType::integer, solve_sometimes,
     "Sparse methods: ranks that hold the factors, each its part; see solve.ranks."},
    {"sparse.levels[].fronts", FieldType::integer, solve_sometimes,
     "Fronts at a level of the elimination tree; the first level has the roots, the 64th also what "
     "lies deeper."},
    {"sparse.levels[].largest_front", FieldType::integer, solve_sometimes,
     "Rows of the largest of them."},
    {"sparse.levels[].flops", FieldType::number, solve_sometimes,
     "Operations of their elimination; those of all levels are sparse.flops."},
    {"sparse.gpu.launches", FieldType::integer, sometimes,
     "Sparse methods by one GPU: kernels that one elimination launches."},
    {"sparse.gpu.small_flops", FieldType::number, sometimes,
     "Operations among sparse.flops of small fronts, each whole in one thread block."},
    {"sparse.gpu.library_flops", FieldType::number, sometimes,
     "Operations of large products by cuBLAS, what they do above a diagonal included; the rest is "
     "in batches of tiles."},
    {"sparse.factor_entries", FieldType::integer, solve_sometimes,
     "Sparse methods: entries of L, and of U where there is one, zeros inside of fronts included."},
    {"sparse.complex", FieldType::boolean, solve_sometimes,
     "Sparse methods: whether these are complex numbers, and fronts and pivots those of A; "
     "operations are of real numbers, four to one of complex ones."},
    {"sparse.matched_pairs", FieldType::integer, solve_sometimes,
     "Sparse methods: pairs of rows that the order of L D L^T keeps together as pivots, as a "
     "matching has them; 0 if they were ordered without, see solve.matching."},
    {"sparse.perturbed_pivots", FieldType::integer, solve_sometimes,
     "Sparse methods: pivots of the factors that were too small and made larger; a note says if "
     "solutions are then by GMRES. 0 if the matrix was eliminated again, as a note says, too."},
    {"sparse.corrected_pivots", FieldType::integer, solve_sometimes,
     "Sparse methods: pivots that were too small and made as large as the largest entry, where "
     "they "
     "are few, on a GPU; solutions are corrected for that, so that they are those of the matrix."},
    {"sparse.delayed_pivots", FieldType::integer, solve_sometimes,
     "Sparse methods: pivots that a front could not take and passed on to its parent."},
    {"sparse.moved_pivots", FieldType::integer, solve_sometimes,
     "Sparse methods: pivots that were taken off the diagonal."},
    {"sparse.negative_pivots", FieldType::integer_or_null, solve_sometimes,
     "As inertia.negative; null where that is, and for other factors."},
    {"sparse.gmres_steps", FieldType::integer, solve_sometimes,
     "Sparse methods: steps of GMRES in the first solve with factors of perturbed pivots; 0 "
     "without "
     "those, and with solve.precision: mixed, which counts its own."},
    {"inertia.certainty", FieldType::text, solve_sometimes,
     "L L^T and L D L^T of real symmetric and Hermitian matrices: certain, likely or unknown: how "
     "far the signs of pivots are known to be those of eigenvalues. A note says why not."},
    {"inertia.positive", FieldType::integer_or_null, solve_sometimes,
     "Positive eigenvalues of A; null where they are unknown, as the next two."},
    {"inertia.negative", FieldType::integer_or_null, solve_sometimes, "Negative ones."},
    {"inertia.zero", FieldType::integer_or_null, solve_sometimes,
     "Zero ones: of an A that was solved with none."},
    {"krylov.preconditioner", FieldType::text, solve_sometimes,
     "Krylov methods: the preconditioner that was taken, as the configuration names it."},
    {"krylov.setup_seconds", FieldType::number, solve_sometimes,
     "Krylov methods: seconds that it took to set up."},
    {"krylov.steps", FieldType::integer, solve_sometimes,
     "Krylov methods: steps of the first solve; those of refinement and estimates are not "
     "counted."},
    {"krylov.converged", FieldType::boolean, solve_sometimes,
     "Krylov methods: whether the backward error that was asked for was reached."},
    {"krylov.asked", FieldType::number, solve_sometimes,
     "Krylov methods: that backward error (solve.tolerance)."},
    {"krylov.history", FieldType::numbers, solve_sometimes,
     "Krylov methods: backward errors before the first step and after each, as the method's "
     "recurrences have the residual; the worst of the right-hand sides."},
    {"krylov.near_null_space", FieldType::text, sometimes,
     "multigrid: rigid-body modes, where it was made of coordinates; else constants are taken."},
    {"krylov.null_space", FieldType::text, sometimes,
     "the null space of a singular matrix that was named; x is orthogonal to it."},
    {"krylov.renewed", FieldType::boolean, sometimes,
     "true where multigrid kept aggregates and patterns that it was set up with for earlier "
     "values, "
     "and computed numbers alone anew."},
    {"krylov.levels[].rows", FieldType::integer, sometimes,
     "multigrid: rows of a level, the finest first."},
    {"krylov.levels[].nonzeros", FieldType::integer, sometimes, "multigrid: its non-zeros."},
    {"mixed.gmres_steps", FieldType::integer, solve_sometimes,
     "solve.precision: mixed: steps of GMRES with the float factors for the first right-hand "
     "sides."},
    {"mixed.fell_back", FieldType::boolean, solve_sometimes,
     "solve.precision: mixed: whether the matrix was eliminated in double after all; a note says "
     "why."},
    {"backward_error", FieldType::number, solve,
     "max |b - A x| / (||A|| ||x|| + ||b||), infinity norms, after refinement: the relative change "
     "of A and b that makes x exact. Near 1e-16 is as good as double gets."},
    {"componentwise_error", FieldType::number, solve,
     "max |b - A x|_i / (|A| |x| + |b|)_i, after refinement."},
    {"refinement.sweeps", FieldType::integer, solve, "Corrections that were kept."},
    {"refinement.backward_error_before", FieldType::number, solve,
     "backward_error of the first solution."},
    {"refinement.componentwise_error_before", FieldType::number, solve,
     "componentwise_error of the first solution."},
    {"refinement.history[].backward_error", FieldType::number, solve,
     "backward_error of the first solution and after every correction that was kept."},
    {"refinement.history[].componentwise_error", FieldType::number, solve,
     "componentwise_error of the same."},
    {"condition.normwise", FieldType::number, solve_sometimes,
     "Estimate of ||A|| ||A^-1||, infinity norms (solve.condition); null where it overflows."},
    {"condition.reciprocal", FieldType::number, solve_sometimes,
     "1 / condition.normwise; 0 for a matrix that may as well be singular."},
    {"condition.componentwise", FieldType::number, solve_sometimes,
     "Estimate of || |A^-1| (|A| |x| + |b|) || / ||x||: relative changes of every a_ij and b_i "
     "grow "
     "by at most this in x, whatever the scale of the rows."},
    {"forward_error.bound", FieldType::number, sometimes,
     "Bound on ||x - x*|| / ||x||, x* the exact solution: condition x backward error; null where "
     "no digit of x is certain; a note says why."},
    {"forward_error.estimate", FieldType::number, sometimes,
     "The same as the last corrections of refinement let expect it, for A and b as they are "
     "stored; absent where they tell nothing."},
    {"squared_error", FieldType::number, solve_sometimes,
     "sum (x_i - 1)^2, where x is known to be all ones (right_hand_side: row_sums)."},
    {"pivot_growth", FieldType::number, solve_sometimes,
     "max |u_ij| / max |a_ij|: how much the entries grew; above 1e6 digits are lost. Sparse "
     "methods: "
     "of the pivots alone, max |u_kk| / max |a_ij|."},
    {"pivots.smallest", FieldType::number, solve_sometimes,
     "min |u_kk|; of L D L^T the smallest magnitude of an eigenvalue of D."},
    {"pivots.largest", FieldType::number, solve_sometimes,
     "max |u_kk|; of L D L^T the largest one."},
    {"transport", FieldType::text, solve, "How rows travel between ranks: none, MPI, NCCL, ..."},
    {"gflops", FieldType::number, sometimes,
     "10^9 operations a second: 2/3 n^3 (gauss_jordan: n^3, sparse methods: sparse.flops) over the "
     "elimination, or 2 nnz K over the product."},
    {"checkpoint.written", FieldType::integer, solve_sometimes,
     "Checkpoints that were written (checkpoint.directory)."},
    {"checkpoint.failed", FieldType::integer, solve_sometimes,
     "Checkpoints that could not be written; the notes say why."},
    {"checkpoint.bytes", FieldType::integer, solve_sometimes,
     "Bytes of all of them, over all ranks."},
    {"checkpoint.seconds", FieldType::number, solve_sometimes,
     "Seconds that the elimination, or iteration, stood still for them."},
    {"checkpoint.share", FieldType::number, solve_sometimes,
     "The same as a fraction of the whole run."},
    {"checkpoint.resumed_step", FieldType::integer, sometimes,
     "Columns that were eliminated, or steps that a Krylov method took, before this run, where it "
     "went on from a checkpoint."},
    {"checkpoint.resumed_from", FieldType::text, sometimes, "That checkpoint: rank 0's file."},
    {"kernel", FieldType::text, multiply, "Kernel that multiplied."},
    {"detail", FieldType::text, multiply, "What the kernel chose on rank 0, or nothing."},
    {"bands", FieldType::text, multiply, "Rows are dealt out in bands of equal rows or nonzeros."},
    {"imbalance", FieldType::number, multiply,
     "Non-zeros of the fullest rank over the mean of all; 1 is even."},
    {"product_parts.*.min", FieldType::number, multiply,
     "Seconds of a part of one product, median of the repeats, on the fastest rank."},
    {"product_parts.*.mean", FieldType::number, multiply, "Mean over the ranks."},
    {"product_parts.*.max", FieldType::number, multiply, "On the slowest rank."},
    {"halo.rows", FieldType::integer, multiply, "Rows of X that travel in one product, all ranks."},
    {"halo.most_rows", FieldType::integer, multiply, "To the rank that gets the most."},
    {"halo.bytes", FieldType::integer, multiply, "Bytes that travel in one product, all ranks."},
    {"halo.most_neighbours", FieldType::integer, multiply,
     "Most ranks that one rank gets rows from."},
    {"halo.boundary_nonzeros", FieldType::integer, multiply, "Non-zeros that multiply the halo."},
    {"halo.transport", FieldType::text, multiply, "How the halo travels."},
    {"shares[].rows", FieldType::integer, multiply_sometimes, "A rank's rows of A and Y."},
    {"shares[].x_rows", FieldType::integer, multiply_sometimes, "Its rows of X."},
    {"shares[].nonzeros", FieldType::integer, multiply_sometimes, "Its non-zeros."},
    {"shares[].boundary_rows", FieldType::integer, multiply_sometimes,
     "Its rows of A that need the halo."},
    {"shares[].boundary_nonzeros", FieldType::integer, multiply_sometimes,
     "Its non-zeros that multiply the halo."},
    {"shares[].halo_rows", FieldType::integer, multiply_sometimes, "Rows of X that it gets."},
    {"shares[].sent_rows", FieldType::integer, multiply_sometimes, "Rows of X that it sends."},
    {"shares[].neighbours", FieldType::integer, multiply_sometimes,
     "Ranks that it gets rows from."},
    {"shares[].format_bytes", FieldType::integer, multiply_sometimes,
     "Bytes of its converted matrix."},
    {"shares[].detail", FieldType::text, multiply_sometimes, "What its kernel chose."},
    {"scatter.matrix_bytes", FieldType::integer, multiply,
     "Bytes of the compressed rows of the whole matrix."},
    {"scatter.peak_bytes", FieldType::integer, sometimes,
     "The most that rank 0 held of it while it was dealt out, its own rows included."},
    {"k", FieldType::integer, multiply, "Columns of X and Y."},
    {"repeat", FieldType::integer, multiply, "How often the product was computed."},
    {"product_seconds", FieldType::number, multiply,
     "Seconds of one product: the median, on the slowest rank."},
    {"bytes_per_second", FieldType::number, multiply,
     "Bytes that must move (A, X and Y once) over product_seconds."},
    {"format_bytes", FieldType::integer, multiply, "Bytes of the converted matrix over all ranks."},
    {"errors.largest", FieldType::number, multiply_sometimes,
     "Largest relative error against the serial product (multiply.verify)."},
    {"errors.mean", FieldType::number, multiply_sometimes, "Mean relative error."},
    {"errors.scaled", FieldType::number, multiply_sometimes, "Largest error relative to |A| |X|."},
    {"errors.bound", FieldType::number, multiply_sometimes,
     "What rounding allows errors.scaled to be, that between a_ij and a_ji too if a kernel takes "
     "one of them for both."},
    {"errors.unit_roundoff", FieldType::number, multiply_sometimes,
     "Unit round-off u of the precision, 1.11e-16 in double: rounding changes a number by at most "
     "that, relatively."},
    {"errors.machine_epsilon", FieldType::number, multiply_sometimes,
     "2 u, 2.22e-16 in double: the distance from 1 to the next number, which Capotombolo and "
     "Zarrelli's table of errors calls the unit round-off."},
    {"rank_table[].rank", FieldType::integer, sometimes, "Rank."},
    {"rank_table[].host", FieldType::text, sometimes, "Its host."},
    {"rank_table[].threads", FieldType::integer, sometimes, "Its OpenMP threads."},
    {"rank_table[].numa_node", FieldType::integer_or_null, sometimes,
     "NUMA node of all its processors; null for several, or where it is not known."},
    {"rank_table[].gpu?.name", FieldType::text, sometimes,
     "Its GPU; null where it computes on the host."},
    {"rank_table[].gpu?.uuid", FieldType::text, sometimes, "Which GPU that is."},
    {"rank_table[].gpu?.planned_memory_bytes", FieldType::integer, sometimes,
     "What this rank's arrays take on its GPU by the plan."},
    {"rank_table[].gpu?.peak_memory_bytes", FieldType::integer, sometimes,
     "The most that they took."},
    {"rank_table[].gpu?.library_memory_bytes", FieldType::integer, sometimes,
     "What went of that GPU's free memory besides after the plan was made: work space of "
     "libraries, "
     "and what other processes took."},
    {"rank_table[].planned_memory_bytes", FieldType::integer, sometimes,
     "Its host memory by the plan, what it held when it planned included."},
    {"rank_table[].peak_memory_bytes", FieldType::integer, sometimes,
     "The most host memory that it held."},
    {"rank_table[].waited_seconds", FieldType::number, sometimes,
     "Seconds that its threads waited, all together, for processors that other work kept busy; 0 "
     "where the kernel counts nothing."},
    {"peak_memory_bytes", FieldType::integer, finished, "Largest peak memory of any rank."},
    {"seconds.*.min", FieldType::number, finished,
     "Seconds of a phase on the fastest rank: start, from the program's beginning to the "
     "task (MPI, the configuration, the driver of GPUs), those that the log names, and total."},
    {"seconds.*.mean", FieldType::number, finished, "Mean over the ranks."},
    {"seconds.*.max", FieldType::number, finished,
     "On the slowest rank; far above the mean, the ranks wait for it."},
    {"notes", FieldType::texts, always, "Choices made and warnings, in words."},
    {"versions", FieldType::text_by_name, always, "This program and what it was built with."},
    {"configuration", FieldType::configuration, always, "The whole configuration, defaults too."},
};

std::string_view words_for(FieldPresence presence) {
  switch (presence) {
    case FieldPresence::finished:
      return "finished runs";
    case FieldPresence::failed:
      return "failed or stopped runs";
    case FieldPresence::solve:
      return "solve";
    case FieldPresence::solve_sometimes:
      return "solve, where it applies";
    case FieldPresence::multiply:
      return "multiply";
    case FieldPresence::multiply_sometimes:
      return "multiply, where it applies";
    case FieldPresence::sometimes:
      return "where it applies";
    default:
      return "always";
  }
}

}  // namespace

std::span<const ReportField> report_fields() {
  return field_table;
}

std::string report_help() {
  std::string text;
  for (const ReportField& field : field_table) {
    text += fmt::format("{}   [{}]\n      {}\n", field.path, words_for(field.presence), field.help);
  }
  return text;
}

std::string report_markdown() {
  std::string text = "<!-- report:begin -->\n| field | in reports of | meaning |\n|---|---|---|\n";
  for (const ReportField& field : field_table) {
    std::string help;
    for (const char c : field.help) help += c == '|' ? std::string("\\|") : std::string(1, c);
    text += fmt::format("| `{}` | {} | {} |\n", field.path, words_for(field.presence), help);
  }
  return text + "<!-- report:end -->\n";
}

}  // namespace spsolve::report
