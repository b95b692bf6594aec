#include "report/report_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/schema.hpp"
#include "solve/trust/trust.hpp"

namespace spsolve {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto always = FieldPresence::always;
constexpr auto finished = FieldPresence::finished;
constexpr auto failed = FieldPresence::failed;
constexpr auto solve = FieldPresence::solve;
constexpr auto solve_sometimes = FieldPresence::solve_sometimes;
constexpr auto multiply = FieldPresence::multiply;
constexpr auto multiply_sometimes = FieldPresence::multiply_sometimes;
constexpr auto sometimes = FieldPresence::sometimes;

/// What a run that came to its end calls itself.
const Json finished_statuses(verdict_words);

/// One that did not.
const Json ended_statuses{"failed", "stopped"};

constexpr ReportField field_table[] = {
    {"report_version", FieldType::integer, always, "Version of this form, 1."},
    {"status", FieldType::text, always,
     "solved; uncertain: x has a small residual, but no digit of it is known to be right; not "
     "trustworthy: the residual is too large, or a product is wrong; for either the exit code is 1 "
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
    {"steps[].status", FieldType::text, solve_sometimes, "As status, of this x."},
    {"steps[].backward_error", FieldType::number, solve_sometimes, "Its backward error."},
    {"steps[].forward_error", FieldType::number, solve_sometimes,
     "Its forward error as the last corrections let expect it, or else its bound."},
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
    {"sparse.factor_entries", FieldType::integer, solve_sometimes,
     "Sparse methods: entries of L, and of U where there is one, zeros inside of fronts included."},
    {"sparse.perturbed_pivots", FieldType::integer, solve_sometimes,
     "Sparse methods: pivots that were too small and made larger; a note says whether solutions "
     "are "
     "then by GMRES, or the matrix was eliminated again."},
    {"sparse.delayed_pivots", FieldType::integer, solve_sometimes,
     "Sparse methods: pivots that a front could not take and passed on to its parent."},
    {"sparse.moved_pivots", FieldType::integer, solve_sometimes,
     "Sparse methods: pivots that were taken off the diagonal."},
    {"sparse.negative_pivots", FieldType::integer_or_null, solve_sometimes,
     "sparse_ldlt: negative eigenvalues of A, as many as D has; null for other factors."},
    {"sparse.gmres_steps", FieldType::integer, solve_sometimes,
     "Sparse methods: steps of GMRES in the first solve with factors of perturbed pivots; 0 "
     "without "
     "those, and with solve.precision: mixed, which counts its own."},
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
    {"l2_error", FieldType::number, solve_sometimes,
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
     "Seconds that the elimination stood still for them."},
    {"checkpoint.share", FieldType::number, solve_sometimes,
     "The same as a fraction of the whole run."},
    {"checkpoint.resumed_step", FieldType::integer, sometimes,
     "Columns that were eliminated before this run, where it went on from a checkpoint."},
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
     "What rounding allows errors.scaled to be."},
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
    {"peak_memory_bytes", FieldType::integer, finished, "Largest peak memory of any rank."},
    {"seconds.*.min", FieldType::number, finished, "Seconds of a phase on the fastest rank."},
    {"seconds.*.mean", FieldType::number, finished, "Mean over the ranks."},
    {"seconds.*.max", FieldType::number, finished,
     "On the slowest rank; far above the mean, the ranks wait for it."},
    {"notes", FieldType::texts, always, "Choices made and warnings, in words."},
    {"versions", FieldType::text_by_name, always, "This program and what it was built with."},
    {"configuration", FieldType::configuration, always, "The whole configuration, defaults too."},
};

Json type_of(const ReportField& field) {
  switch (field.type) {
    case FieldType::text:
      return {{"type", "string"}};
    case FieldType::texts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case FieldType::integer:
      return {{"type", "integer"}, {"minimum", 0}};
    case FieldType::integer_or_null:
      return {{"type", {"integer", "null"}}, {"minimum", 0}};
    case FieldType::number:
      return {{"type", {"number", "null"}}};
    case FieldType::boolean:
      return {{"type", "boolean"}};
    case FieldType::numbers:
      return {{"type", "array"}, {"items", {{"type", {"number", "null"}}}}};
    case FieldType::text_by_name:
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case FieldType::configuration:
      return configuration_values_schema();
  }
  return {};
}

bool is_required(FieldPresence presence) {
  return presence == always || presence == solve || presence == multiply;
}

/// Whether a field may be absent even where the object around it is there.
bool is_optional(FieldPresence presence) {
  return presence == FieldPresence::sometimes;
}

void require(Json& object, const std::string& name) {
  Json& names = object["required"];
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Puts the field into the object whose fields are at `path` and below. What lies inside an object
/// or a list that may be absent is required where that is there.
void add(Json& object, std::string_view path, const ReportField& field, bool required) {
  const std::size_t dot = path.find('.');
  std::string name(path.substr(0, dot));
  const bool is_list = name.ends_with("[]");
  const bool may_be_null = name.ends_with('?');
  if (is_list) name.resize(name.size() - 2);
  if (may_be_null) name.pop_back();
  if (required && name != "*") require(object, name);
  Json& place = name == "*" ? object["additionalProperties"] : object["properties"][name];
  if (dot == std::string_view::npos) {
    place = type_of(field);
    place["description"] = field.help;
    return;
  }
  if (!place.is_object()) {
    Json inner = Json::object();
    inner["type"] = "object";
    if (may_be_null) inner["type"] = {"object", "null"};
    inner["additionalProperties"] = false;
    place = Json::object();
    if (is_list) {
      place["type"] = "array";
      place["items"] = std::move(inner);
    } else {
      place = std::move(inner);
    }
  }
  add(is_list ? place["items"] : place, path.substr(dot + 1), field, !is_optional(field.presence));
}

std::string_view first_word(std::string_view path) {
  return path.substr(0, path.find_first_of(".[?"));
}

bool only_for(const ReportField& field, Task task) {
  const FieldPresence other = task == Task::solve ? solve : multiply;
  const FieldPresence maybe =
      task == Task::solve ? FieldPresence::solve_sometimes : FieldPresence::multiply_sometimes;
  return field.presence == other || field.presence == maybe;
}

/// What a report of a run that came to its end must hold beyond the rest, and what one of another.
Json rule_for_ends(std::span<const ReportField> fields) {
  Json rule;
  rule["if"]["properties"]["status"]["enum"] = finished_statuses;
  rule["else"]["if"]["properties"]["status"]["enum"] = ended_statuses;
  for (const ReportField& field : fields) {
    const std::string word(first_word(field.path));
    if (field.presence == finished) require(rule["then"], word);
    if (field.presence != failed) continue;
    require(rule["else"]["then"], word);
    rule["then"]["properties"][word] = false;
    rule["else"]["else"]["properties"][word] = false;
  }
  return rule;
}

/// What a report of a `task` that came to its end must hold beyond the rest, and what it must not.
Json rule_for(std::span<const ReportField> fields, Task task) {
  const Task other = task == Task::solve ? Task::multiply : Task::solve;
  Json rule;
  Json& asked = rule["if"]["properties"];
  asked["configuration"] = {{"properties", {{"task", {{"const", name(task)}}}}}};
  asked["status"]["enum"] = finished_statuses;
  for (const ReportField& field : fields) {
    const std::string word(first_word(field.path));
    if (only_for(field, task) && is_required(field.presence)) require(rule["then"], word);
    if (only_for(field, other)) rule["then"]["properties"][word] = false;
  }
  return rule;
}

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

Json schema_of_fields(std::span<const ReportField> fields) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"$id", fmt::format("urn:spsolve:report:{}", report_version)},
              {"title", fmt::format("Report of spsolve, version {}", report_version)},
              {"type", "object"},
              {"properties", Json::object()},
              {"additionalProperties", false}};
  for (const ReportField& field : fields) {
    add(schema, field.path, field, field.presence == always);
  }
  schema["allOf"] = Json::array(
      {rule_for(fields, Task::solve), rule_for(fields, Task::multiply), rule_for_ends(fields)});
  return schema;
}

Json report_schema() {
  Json schema = schema_of_fields(field_table);
  schema["properties"]["report_version"]["const"] = report_version;
  Json& statuses = schema["properties"]["status"]["enum"] = finished_statuses;
  statuses.insert(statuses.end(), ended_statuses.begin(), ended_statuses.end());
  statuses.push_back("running");
  return schema;
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

}  // namespace spsolve
