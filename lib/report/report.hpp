#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "checkpoint/statistics.hpp"
#include "config/config.hpp"
#include "distribute/rank_share.hpp"
#include "matrix/pattern.hpp"
#include "matrix/shape.hpp"
#include "multiply/compare.hpp"
#include "process/phase_times.hpp"
#include "solve/inverse.hpp"
#include "solve/trust/condition.hpp"
#include "solve/trust/probe.hpp"
#include "solve/trust/refine.hpp"
#include "solve/trust/trust.hpp"
#include "team/gpu_binding.hpp"
#include "team/team.hpp"

namespace spsolve::inline report {

/// Seconds of one phase over the ranks.
struct PhaseSpread {
  std::string phase;
  double min = 0, mean = 0, max = 0;
};

/// The phases of all ranks; every rank must have met the same phases. Collective.
std::vector<PhaseSpread> spread_over_ranks(Team& team, const PhaseTimes& times);

/// Bytes in the memory of a rank's GPU.
struct GpuMemory {
  std::int64_t planned = 0;
  std::int64_t peak = 0;       ///< the most that the rank's arrays took
  std::int64_t libraries = 0;  ///< what was taken besides since the plan was made
};

/// Where one rank runs.
struct RankPlace {
  std::string host;
  int threads = 1;
  int numa_node = -1;  ///< of all processors that the rank may run on; -1: several, or not known
  GpuName gpu;         ///< empty on the host
  std::int64_t planned_memory = 0, peak_memory = 0;  ///< of host memory, in bytes
  GpuMemory gpu_memory;
  double waited = 0;  ///< seconds of its threads, for processors that others kept busy
};

/// Hosts among the ranks. Collective.
int count_hosts(Team& team);

/// Names of programs and libraries, and their versions.
using Versions = std::vector<std::pair<std::string, std::string>>;

/// The patterns of matrices that a page shows.
struct DrawnPatterns {
  std::optional<Pattern> matrix;
  std::optional<Pattern> in_order;  ///< the same in the order in which it is eliminated sparse
  std::optional<Pattern> factors;   ///< what it is factored into, in that order
};

/// The facts that the reports of all tasks tell. The JSON form is that of the file named by
/// output.report; its keys are those named next to the members.
struct TaskReport {
  std::string started;               ///< started: the time, as ISO 8601 has it
  double before = 0;                 ///< seconds.start: of the process, before the task
  std::string command_line;          ///< command_line, as a shell would take it
  std::vector<std::string> files;    ///< files: results that are written, as they are named
  std::string status;                ///< status: solved | uncertain | not trustworthy
  std::string matrix;                ///< matrix.source
  Index rows = 0;                    ///< matrix.rows
  Index columns = 0;                 ///< matrix.columns
  Index nonzeros = 0;                ///< matrix.nonzeros
  bool is_complex = false;           ///< complex: A or B is
  std::string kind;                  ///< matrix.kind, where A is complex and that was looked at
  bool has_sizes = false;            ///< whether these three are known; else they are null
  std::string precision;             ///< precision
  std::string device;                ///< device
  int ranks = 1;                     ///< ranks
  int hosts = 1;                     ///< hosts
  int threads = 1;                   ///< threads, per rank
  std::string blas;                  ///< blas: the library of rank 0, its kernels and threads
  GpuName gpu;                       ///< this rank's, where it computes on one
  std::vector<RankPlace> places;     ///< rank_table, a row for each
  std::int64_t planned_memory = 0;   ///< rank_table[].planned_memory_bytes, of this rank
  GpuMemory gpu_memory;              ///< rank_table[].gpu.*_memory_bytes, of this rank
  std::int64_t peak_memory = 0;      ///< peak_memory_bytes, the largest of any rank
  std::vector<PhaseSpread> seconds;  ///< seconds.PHASE.min|mean|max
  std::vector<std::string> notes;    ///< notes: choices made and warnings, in words
  Versions versions;                 ///< versions
  Config configuration;              ///< configuration, whole
  DrawnPatterns patterns;            ///< on rank 0, for output.html only; not in the JSON

  /// Sets rows, columns, nonzeros and is_complex by the shape of a matrix or its real form.
  void note_sizes(const MatrixShape& read);

  /// Sets ranks, hosts, places, peak_memory and seconds. Collective.
  void add_run(Team& team, const PhaseTimes& times);

  /// Lets an older peak count in peak_memory; to be called before something makes it anew.
  void note_peak_memory();

  /// The longest seconds of any rank in `phase`; 0 where there was none.
  double longest(std::string_view phase) const;
};

/// The outcome of one system of a sequence.
struct StepReport {
  std::string right_hand_side;  ///< steps[].right_hand_side
  std::string values;           ///< steps[].values, "" for those of the matrix
  std::string solution;         ///< steps[].solution, "" where it was not written
  std::string status;           ///< steps[].status
  double backward_error = 0;    ///< steps[].backward_error
  double forward_error = 0;     ///< steps[].forward_error
  double condition = 0;         ///< steps[].condition, infinite where it is not known
  double seconds = 0;           ///< steps[].seconds
  std::string failure;          ///< steps[].failure, "" where it did not fail
  bool earlier = false;         ///< steps[].earlier
};

/// The outcome of one solve.
struct SolveReport : TaskReport {
  Index right_hand_sides = 1;           ///< right_hand_sides
  std::string right_hand_side;          ///< right_hand_side: where B came from
  std::vector<StepReport> steps;        ///< steps, of several systems; the figures below are then
                                        ///< those of the least trustworthy of them
  std::string method;                   ///< method
  std::string pivoting;                 ///< pivoting
  bool equilibrated = false;            ///< equilibrated: rows and columns were scaled
  std::optional<SparseOutcome> sparse;  ///< sparse.*, of sparse methods
  std::optional<Inertia> inertia;       ///< inertia.*, of L L^T and L D L^T
  std::optional<KrylovOutcome> krylov;  ///< krylov.*, of Krylov methods

  /// Adds to kind that L L^H proved a Hermitian A positive definite.
  void note_definiteness() {
    if (kind == "Hermitian" && sparse && sparse->factorisation == "LL^T") {
      kind += " positive definite";
    }
  }

  std::optional<MixedOutcome> mixed;   ///< mixed.gmres_steps|fell_back, of solve.precision: mixed
  Refinement refinement;               ///< backward_error, componentwise_error, refinement.*
  std::optional<Condition> condition;  ///< condition.normwise|reciprocal|componentwise
  /// forward_error.bound, null where infinite, with a condition; forward_error.estimate, where it
  /// is finite
  Trust trust;
  std::optional<double>
      squared_error;  ///< squared_error = sum (x_i - 1)^2, where x is known to be ones
  std::optional<PivotStatistics> pivots;  ///< pivot_growth, pivots.smallest|largest; no Krylov
                                          ///< method has any
  std::optional<double> gflops;           ///< gflops: flops of the elimination over its seconds
  std::string transport;                  ///< transport: how rows travel between ranks
  std::optional<CheckpointStatistics> checkpoint;  ///< checkpoint.*, with checkpoint.directory
  double checkpoint_share = 0;                     ///< checkpoint.share: of the whole run's seconds
};

/// The halo of all ranks together, and of the rank with the largest.
struct HaloTotals {
  Index rows = 0;               ///< halo.rows
  Index most_rows = 0;          ///< halo.most_rows
  int most_neighbours = 0;      ///< halo.most_neighbours
  Index boundary_nonzeros = 0;  ///< halo.boundary_nonzeros
};

/// The outcome of one product Y = A X.
struct MultiplyReport : TaskReport {
  std::string kernel;                ///< kernel
  std::string detail;                ///< detail: what the kernel chose, on rank 0
  std::string bands;                 ///< bands: rows | nonzeros
  std::string transport;             ///< transport: how the halo travels
  std::vector<PhaseSpread> parts;    ///< product_parts.PART.min|mean|max, medians of the repeats
  std::vector<RankShare> shares;     ///< shares: what each rank has, with its details
  std::vector<std::string> details;  ///< shares[rank].detail
  std::int64_t halo_bytes = 0;       ///< halo.bytes, over all ranks, in one product
  double imbalance = 1;              ///< imbalance: non-zeros of the fullest rank over the mean
  std::int64_t matrix_bytes = 0;     ///< scatter.matrix_bytes: compressed rows of the whole matrix
  /// scatter.peak_bytes: the most that rank 0 held of it meanwhile, its own band included.
  std::optional<std::int64_t> scatter_peak;
  Index k = 1;                    ///< k: columns of X and Y
  int repeats = 1;                ///< repeat
  double product_seconds = 0;     ///< product_seconds: of one product, median, the slowest rank
  double gflops = 0;              ///< gflops: 2 nnz K / product_seconds / 1e9
  double bytes_per_second = 0;    ///< bytes_per_second: product_floor_bytes() / product_seconds
  std::int64_t format_bytes = 0;  ///< format_bytes, of the converted matrix, over all ranks
  std::optional<ProductErrors> errors;  ///< errors.*

  /// The sums and maxima of `shares`.
  HaloTotals halo() const;
};

nlohmann::ordered_json to_json(const SolveReport& report);
nlohmann::ordered_json to_json(const MultiplyReport& report);

/// The report of a run that has begun: status running.
nlohmann::ordered_json running_json(const TaskReport& report);

/// The report of a run that failed, or was stopped: why, and what was known by then.
nlohmann::ordered_json failure_json(const TaskReport& report, const Failure& failure);

/// The report as a person reads it on a terminal.
std::string to_text(const SolveReport& report);
std::string to_text(const MultiplyReport& report);

/// `json` as the text of a file, and written to one whole or not at all. Throws Error(resources)
/// naming the file.
std::string report_text(const nlohmann::ordered_json& json);
void write_report(const std::filesystem::path& file, const nlohmann::ordered_json& json);

/// Versions of this program and of what it was built with.
Versions build_versions();

}  // namespace spsolve::report
