#include "config/schema.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "config/option_rows.hpp"
#include "core/names/did_you_mean.hpp"
#include "core/tuning.hpp"
#include "io/files/special_file.hpp"
#include "matrix/generate/generate.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve::inline config {

using namespace option_rows;

namespace {

// --- files, and names of kernels

constexpr std::string_view matrix_endings[] = {".mtx", ".mtx.gz", ".npz", ".petsc", ".npy", ".mat"};
constexpr std::string_view array_endings[] = {".mtx", ".mtx.gz", ".npy", ".petsc"};
// Those that are read: plain text too.
constexpr std::string_view read_endings[] = {".mtx", ".mtx.gz", ".npy", ".npz",
                                             ".mat", ".petsc",  ".txt", ".csv"};
constexpr std::string_view report_endings[] = {".json"};
constexpr std::string_view html_endings[] = {".html", ".htm"};
constexpr std::string_view order_endings[] = {".txt", ".mtx", ".mtx.gz"};

std::string kernel_problem(std::string_view text) {
  std::vector<std::string_view> names{"auto"};
  for (const Kernel& kernel : host_kernels()) names.push_back(kernel.name);
  for (const Kernel& kernel : offered_gpu_kernels()) names.push_back(kernel.name);
  if (std::ranges::find(names, text) != names.end()) return "";
  const std::string nearest = did_you_mean(text, names);
  return fmt::format("'multiply.kernel' must be auto or the name of a kernel, not {}{}",
                     printable(text),
                     nearest.empty() ? "; spbench --list-kernels shows all names" : nearest);
}

/// Backward errors that mean something: from round-off to no digit at all.
std::string tolerance_problem(std::string_view text) {
  if (text == "auto") return "";
  double value = 0;
  if (read_number(text, value) && value >= 1e-16 && value <= 0.1) return "";
  return fmt::format("'solve.tolerance' must be auto or a number from 1e-16 to 0.1, not '{}'",
                     printable(text));
}

/// Seconds.
std::string time_limit_problem(std::string_view text) {
  if (text == "auto") return "";
  double value = 0;
  if (read_number(text, value) && value >= 1e-6 && value <= 1e9) return "";
  return fmt::format("'solve.time_limit' must be auto or seconds from 1e-6 to 1e9, not '{}'",
                     printable(text));
}

/// The problem with the name of a file of results that is not to end like that, or "". Other things
/// than regular files may have any name.
std::string ending_problem(std::string_view key, std::string_view text, Words endings) {
  if (text.empty() || ends_in(text, endings) || io::is_written_through(text)) return "";
  const Words front = endings.first(endings.size() - 1);
  return fmt::format("'{}' must end in {}{}{}, which says how it is written, and '{}' does not",
                     key, fmt::join(front, ", "), front.empty() ? "" : " or ", endings.back(),
                     printable(text));
}

std::string solution_problem(std::string_view text) {
  return ending_problem("output.solution", text, array_endings);
}
std::string product_problem(std::string_view text) {
  return ending_problem("output.product", text, array_endings);
}
std::string report_problem(std::string_view text) {
  return ending_problem("output.report", text, report_endings);
}
std::string html_problem(std::string_view text) {
  return ending_problem("output.html", text, html_endings);
}

// --- one scalar in place of a section

/// Whether a name is a file's, also where a variable of one of MATLAB's follows.
bool names_file(std::string_view text, std::span<const std::string_view> endings) {
  return ends_in(text, endings) || text.find(".mat:") != text.npos;
}

std::vector<Setting> matrix_shorthand(std::string_view text) {
  // A misspelt generator is better answered as a generator than as a missing file.
  const bool generated =
      is_generator_spec(text) || (text.find(':') != text.npos && text.find('/') == text.npos &&
                                  !names_file(text, matrix_endings));
  return {{generated ? "matrix.generate" : "matrix.file", std::string(text)}};
}

std::vector<Setting> right_hand_side_shorthand(std::string_view text) {
  if (text == "-" || text.find('/') != text.npos || names_file(text, read_endings)) {
    return {{"right_hand_side.kind", "file"}, {"right_hand_side.file", std::string(text)}};
  }
  return {{"right_hand_side.kind", std::string(text)}};
}

// --- the tables

const std::string precision_help = fmt::format(
    "Floating-point type of the elimination; mixed: in float, with solutions of double by GMRES, "
    "and in double by itself where that does not converge or, on a GPU alone below order {}, would "
    "save no time.",
    gpu_tuning.least_mixed_order);
const std::string solving_ranks_help = fmt::format(
    "Ranks that eliminate: all of them; or auto. For a dense matrix auto takes all for a method "
    "that "
    "is named, and with solve.method=auto rank 0 alone where one GPU is sooner done, below order "
    "{}. "
    "For a sparse one with but one diagonal block it takes all from {:.0e} flops on, and else rank "
    "0 "
    "with the processors of all ranks of its host. On GPUs it takes all from {:.0e} flops of all "
    "systems that are expected, or {} GB, on, where that saves {:g} s; else rank 0 solves alone.",
    gpu_tuning.least_order_for_all, host_tuning.least_flops_over_ranks,
    gpu_tuning.least_flops_over_ranks, gpu_tuning.least_bytes_over_ranks / 1000000000,
    gpu_tuning.seconds_to_share);

constexpr Section section_table[] = {
    {"matrix", "The matrix A: exactly one of file and generate.", matrix_shorthand,
     "matrix: FILE, or matrix: SPECIFICATION of a generator"},
    {"right_hand_side", "The right-hand side B of A X = B.", right_hand_side_shorthand,
     "right_hand_side: auto|row_sums|ones|random, or right_hand_side: FILE with a '/' or ending "
     "in .mtx, .mtx.gz, .npy, .npz, .mat, .petsc, .txt or .csv"},
    {"solve", "How the system is solved.", nullptr, ""},
    {"multiply", "How Y = A X is computed, with task: multiply.", nullptr, ""},
    {"output", "What is written besides the log.", nullptr, ""},
    {"run", "How long runs are looked after.", nullptr, ""},
    {"checkpoint", "How an elimination is kept on disk, to go on after an end before its time.",
     nullptr, ""},
};

const Option option_table[] = {
    text_option<&Config::matrix, &Config::Matrix::file>(
        OptionType::input_path, "matrix.file",
        "File to read - Matrix Market, sparse matrix of scipy (.npz), PETSc, MATLAB (.mat; with "
        "several variables FILE.mat:NAME), or array of numpy (.npy) - "
        "relative to this configuration's folder if it is there, else "
        "to the working directory; - is the standard input."),
    text_option<&Config::matrix, &Config::Matrix::generate>(
        OptionType::text, "matrix.generate",
        "Generator of a test matrix with its sizes, such as grid2d:100.", generator_problem),
    text_option<&Config::matrix, &Config::Matrix::values>(
        OptionType::input_path, "matrix.values",
        "task: solve: a file, or a pattern such as A-*.npz, with values for the pattern of the "
        "matrix: a matrix of the same pattern, or an array (.npy) of one number for each non-zero, "
        "row after row. Each is solved in turn, analysed and planned once."),
    integer<&Config::matrix, &Config::Matrix::rotate_rows>(
        "matrix.rotate_rows", -no_limit, no_limit, "rows",
        "Rows of A, and of a right-hand side with them, are moved down by this many, the last ones "
        "to "
        "the top; 1 makes every step of an elimination pivot, and x stays the same."),
    choice<&Config::matrix, &Config::Matrix::reader>(
        "matrix.reader",
        "serial: rank 0 reads and deals the rows out; parallel, for task: multiply and for the "
        "methods that do not look at the whole matrix first (Krylov methods, lu, gauss, "
        "gauss_jordan): every rank reads its share of the file, or generates its rows, and none "
        "ever "
        "holds them all; auto: parallel where such a method solves with a generator's matrix."),
    choice<&Config::right_hand_side, &Config::RightHandSide::kind>(
        "right_hand_side.kind",
        "Row sums of A (the solution is all ones), ones, random numbers in [-1, 1), or a file; "
        "auto: the file NAME_b.mtx beside a matrix NAME.mtx, or b.mtx there if it has as many "
        "rows, else row sums."),
    text_option<&Config::right_hand_side, &Config::RightHandSide::file>(
        OptionType::input_path, "right_hand_side.file",
        "File with the right-hand side - Matrix Market, numpy (.npy), PETSc or plain text -, found "
        "as "
        "matrix.file is; implies kind: file. A pattern such as b-*.npy stands for several, which "
        "are solved for in turn by the same factors."),
    integer<&Config::right_hand_side, &Config::RightHandSide::seed>(
        "right_hand_side.seed", 0, no_limit, "", "Chooses the random numbers of kind: random."),
    integer<&Config::right_hand_side, &Config::RightHandSide::columns>(
        "right_hand_side.columns", 1, std::numeric_limits<LocalIndex>::max(), "columns",
        "Number of right-hand sides that are solved for at once; of kind: file, all columns of "
        "the file."),
    choice<&Config::task>("task", "What to do with the matrix."),
    choice<&Config::solve, &Config::Solve::method>(
        "solve.method",
        "sparse_cholesky, sparse_ldlt and sparse_lu keep A sparse: for symmetric positive "
        "definite, "
        "symmetric, and any matrices; lu makes it dense: blocked elimination at the speed of "
        "matrix "
        "products; gauss and gauss_jordan column by column, with and without back substitution; "
        "auto: the first of the sparse ones that A allows, or a dense one where that is predicted "
        "to be sooner done or solve.pivoting asks for one; cg, block_cg, minres, cocr, gmres, "
        "bicgstab and idr "
        "take products with A and a preconditioner alone, for what elimination cannot hold."),
    word_or_path<found_ordering_words,
                 [](auto& config) {
                   return std::tie(config.solve.ordering, config.solve.ordering_file);
                 }>(
        "solve.ordering", order_endings,
        "Sparse methods: the order in which unknowns are eliminated, which decides how much A "
        "fills in: nested dissection, approximate minimum degree, reverse Cuthill-McKee, as they "
        "come; auto: dissection or amd, whichever takes fewer operations; or a file that names all "
        "unknowns in the order wanted, one a line, numbered from 1, found as the matrix' file is."),
    text_option<&Config::solve, &Config::Solve::analysis_file>(
        OptionType::output_path, "solve.analysis_file",
        "Sparse methods: file that the analysis of the pattern is kept in: read where it is there "
        "and "
        "of this pattern, else written."),
    choice<&Config::solve, &Config::Solve::matching>(
        "solve.matching",
        "Sparse methods: whether rows are matched with columns by their values first. L U takes "
        "matched entries for its pivots; of L D L^T, matched rows stay together in the order, as "
        "pivots of two rows. auto: L U unless the diagonal is strong, L D L^T where pivots turn "
        "out to be too small without."),
    choice<&Config::solve, &Config::Solve::factors>(
        "solve.factors",
        "Sparse methods by one rank on a host: where the factors are, in memory, or in a file that "
        "is read for every solution; auto: in memory, or on disk where only that fits."),
    text_option<&Config::solve, &Config::Solve::factors_folder>(
        OptionType::output_path, "solve.factors_folder",
        "Folder of the file with factors, relative to the working directory; the file has no name "
        "there, and is gone when the run ends, however it does. Without one: the folder that "
        "TMPDIR names, or the working directory."),
    choice<&Config::solve, &Config::Solve::pivoting>(
        "solve.pivoting",
        "Dense methods: where a pivot is searched: nowhere, in its column, in the whole remaining "
        "matrix (complete, not for lu), or among the best rows of each rank or of parts of a GPU's "
        "rows (tournament, lu only); auto: tournament for lu on several ranks or on GPUs, else "
        "partial."),
    choice<&Config::solve, &Config::Solve::precision>("solve.precision", precision_help),
    integer<&Config::solve, &Config::Solve::block>(
        "solve.block", 0, 4096, "columns",
        "lu: columns of a panel and rows of a cyclic block; 0 chooses by itself."),
    choice<&Config::solve, &Config::Solve::ranks>("solve.ranks", solving_ranks_help),
    choice<&Config::solve, &Config::Solve::preconditioner>(
        "solve.preconditioner",
        "Krylov methods: what stands for A^-1 in a step; auto: multigrid where A looks elliptic, "
        "else ic0 with cg and block_cg, jacobi with minres (none where the diagonal does not allow "
        "it) and ilu0 with the others."),
    number_or_auto<&Config::solve, &Config::Solve::tolerance>(
        "solve.tolerance",
        "Krylov methods: the backward error that they stop at; auto: as small as double gets.",
        tolerance_problem),
    integer<&Config::solve, &Config::Solve::iterations>(
        "solve.iterations", 0, no_limit, "steps",
        "Krylov methods: the most steps; 0: 1000 and 10 times the root of the order, at most "
        "20000."),
    number_or_auto<&Config::solve, &Config::Solve::time_limit>(
        "solve.time_limit",
        "Krylov methods: the most seconds of the steps of a solve, whose x is written as it is "
        "then; "
        "auto: no limit.",
        time_limit_problem),
    text_option<&Config::solve, &Config::Solve::initial_guess>(
        OptionType::input_path, "solve.initial_guess",
        "Krylov methods: file with a first guess of the solution, a column for each right-hand "
        "side, "
        "found as the matrix' file is; none: zeros."),
    text_option<&Config::solve, &Config::Solve::coordinates>(
        OptionType::input_path, "solve.coordinates",
        "Krylov methods with multigrid, for linear elasticity: file with the coordinates of the "
        "nodes, nodes x 2 or nodes x 3, found as the matrix' file is. The matrix has 2 or 3 "
        "unknowns a "
        "node, which follow each other. Generators of such matrices have them by themselves."),
    word_or_path<named_null_space_words,
                 [](auto& config) {
                   return std::tie(config.solve.null_space, config.solve.null_space_file);
                 }>(
        "solve.null_space", read_endings,
        "Krylov methods, for a singular A: what A takes to zero, constants or the "
        "columns of a file, found as the matrix' file is; auto takes cg, minres or gmres "
        "then. x is the solution that is orthogonal to it, where there is one."),
    integer<&Config::solve, &Config::Solve::restart>(
        "solve.restart", 1, 10000, "steps",
        "gmres: steps of a cycle, each of which keeps two vectors for every right-hand side."),
    choice<&Config::solve, &Config::Solve::equilibrate>(
        "solve.equilibrate",
        "Whether rows and columns are scaled by powers of two before the elimination, and x back; "
        "auto: where their largest entries differ by a factor of 10 or more, or rows were matched "
        "with columns."),
    integer<&Config::solve, &Config::Solve::refinement>(
        "solve.refinement", 0, 100, "sweeps",
        "Most sweeps of iterative refinement against the sparse matrix, residuals in twice the "
        "precision of double; it stops by itself where a sweep no longer helps."),
    choice<&Config::solve, &Config::Solve::condition>(
        "solve.condition",
        "Whether condition numbers are estimated, for mostly 4 more solves, to bound the error of "
        "x."),
    choice<&Config::solve, &Config::Solve::accept>(
        "solve.accept",
        "What status solved, and exit code 0, take beside a small backward error; digits: a bound "
        "or an estimate of x's forward error below 0.1, else the status is uncertain and the exit "
        "code 1; residual: nothing more."),
    text_option<&Config::multiply, &Config::Multiply::kernel>(
        OptionType::text, "multiply.kernel",
        "Kernel that each rank multiplies its rows with: auto, or a name that spbench "
        "--list-kernels shows.",
        kernel_problem),
    choice<&Config::multiply, &Config::Multiply::bands>(
        "multiply.bands",
        "How rows are dealt out: bands of equal rows or of equal non-zeros; auto: non-zeros where "
        "equal rows would give one rank 5 % more than the mean."),
    choice<&Config::multiply, &Config::Multiply::precision>(
        "multiply.precision", "Floating-point type of A, X and Y in the product.",
        words_of(Precision{}).first(2)),
    integer<&Config::multiply, &Config::Multiply::columns>(
        "multiply.columns", 1, std::numeric_limits<LocalIndex>::max(), "columns",
        "Columns K of X; those of a file are all taken."),
    word_or_path<multivector_words,
                 [](auto& config) {
                   return std::tie(config.multiply.x.kind, config.multiply.x.file);
                 }>("multiply.x", read_endings,
                    "X: random numbers in [-1, 1), ones, or a file, found as matrix.file is."),
    integer<&Config::multiply, &Config::Multiply::seed>("multiply.seed", 0, no_limit, "",
                                                        "Chooses the random numbers of x: random."),
    integer<&Config::multiply, &Config::Multiply::repeat>(
        "multiply.repeat", 1, 1000000000, "products",
        "How often the product is computed; the report gives the median. auto converts and tries "
        "only "
        "what could pay in so many."),
    choice<&Config::multiply, &Config::Multiply::verify>(
        "multiply.verify", "Whether Y is compared with the serial product on rank 0."),
    choice<&Config::device>("device",
                            "Where to compute: auto takes GPUs where there are any and the work is "
                            "predicted to be sooner "
                            "done there, else the host."),
    choice<&Config::share_gpus>(
        "share_gpus", "Whether several ranks may compute on one GPU, which is refused otherwise."),
    choice<&Config::transport>(
        "transport",
        "How rows travel between GPUs: copies between the GPUs of one host (peer, for products "
        "and Krylov methods only), NCCL, an MPI that takes GPU memory, or MPI through pinned host "
        "memory; auto: for a solve the first of the last three that works, for a product the "
        "fastest of all, tried for its K."),
    integer<&Config::threads>("threads", 0, 65536, "threads per rank",
                              "OpenMP threads of each rank; 0 chooses by itself."),
    text_option<&Config::output, &Config::Output::solution>(
        OptionType::output_path, "output.solution",
        "File to write the solution to - .mtx, .mtx.gz, .npy or .petsc -, relative to the working "
        "directory; - is the standard output, here and below. Of several systems the name holds a "
        "'*', such as x-*.npy, for what that of the pattern stands for.",
        solution_problem),
    text_option<&Config::output, &Config::Output::product>(
        OptionType::output_path, "output.product",
        "File to write the product Y to, as the solution, relative to the working directory.",
        product_problem),
    text_option<&Config::output, &Config::Output::report>(
        OptionType::output_path, "output.report",
        "JSON file to write the report to, relative to the working directory.", report_problem),
    text_option<&Config::output, &Config::Output::html>(
        OptionType::output_path, "output.html",
        "HTML file to write the report to with pictures, relative to the working directory; it "
        "opens in a browser without any other file.",
        html_problem),
    choice<&Config::output, &Config::Output::progress>(
        "output.progress",
        "Progress on the standard error: auto and on show one row on a terminal, sparse lines in a "
        "log."),
    integer<&Config::run, &Config::Run::watchdog>(
        "run.watchdog", 0, 1000000000, "seconds",
        "A rank that makes no step for so long is named with its phase, and all ranks end; 0: "
        "nobody watches."),
    text_option<&Config::checkpoint, &CheckpointOptions::directory>(
        OptionType::output_path, "checkpoint.directory",
        "Folder that all ranks see, relative to the working directory, where an elimination or "
        "a Krylov method (task: solve) is kept while it runs and from which it goes on; sparse "
        "methods keep nothing on GPUs, and of several ranks where rank 0 eliminates alone, which a "
        "note says; none: nothing is "
        "kept."),
    text_option<&Config::checkpoint, &CheckpointOptions::systems>(
        OptionType::output_path, "checkpoint.systems",
        "File that names those of several systems that are solved, relative to the working "
        "directory: the same command goes on behind the last of them, as long as matrix and files "
        "are the same; gone when all are solved."),
    integer<&Config::checkpoint, &CheckpointOptions::interval>(
        "checkpoint.interval", 0, 1000000000, "seconds",
        "Time between two checkpoints; 0: only by signals and before the time limit."),
    integer<&Config::checkpoint, &CheckpointOptions::time_limit>(
        "checkpoint.time_limit", 0, 1000000000, "seconds",
        "An elimination, or an iteration, that would go on beyond this time of the whole run "
        "writes "
        "a checkpoint and ends shortly before it; 0: no limit."),
    choice<&Config::checkpoint, &CheckpointOptions::resume>(
        "checkpoint.resume",
        "auto: go on from the newest good checkpoint, where there is one; never: begin anew; "
        "require: end where there is none."),
};

}  // namespace

std::span<const Option> options() {
  return option_table;
}
std::span<const Section> sections() {
  return section_table;
}

const Option* find_option(std::string_view key) {
  const auto found = std::ranges::find(option_table, key, &Option::key);
  return found == std::end(option_table) ? nullptr : found;
}

const Section* find_section(std::string_view name) {
  const auto found = std::ranges::find(section_table, name, &Section::name);
  return found == std::end(section_table) ? nullptr : found;
}

}  // namespace spsolve::config
