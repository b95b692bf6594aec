#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/generation.hpp"
#include "checkpoint/options.hpp"
#include "checkpoint/statistics.hpp"
#include "core/timer.hpp"
#include "team/team.hpp"

namespace spsolve::inline checkpoint {

/// The wish of a rank at a boundary of an elimination; the largest of all ranks is granted.
enum class CheckpointRequest : int {
  none,
  save,        ///< write a checkpoint and go on
  stop,        ///< write one and end, as a signal asked
  out_of_time  ///< write one and end, before checkpoint.time_limit
};

/// Keeps an elimination, or an iteration, on disk: a generation of files, one a rank, from time to
/// time, when a signal asks for it (process/signals.hpp) and before a limit of time; and finds the
/// newest good one to go on from. A generation counts when the files of all ranks lie complete on
/// the disk; the one before it stays, older ones go. Several runs may share a folder as long as
/// they eliminate different systems: names of files say whose they are.
///
/// When that is (checkpoints_times.cpp) and which generation is good is decided here; what a
/// checkpoint holds is the solver's, which writes sections of its own and reads them again.
class Checkpoints {
 public:
  /// `run` began with the program; the eliminations say themselves in which precision they are
  /// done. Makes the folder. Throws Error(resources) on every rank where it
  /// cannot be written to. Collective.
  Checkpoints(Team& team, const CheckpointOptions& wanted, const EliminatedProblem& problem,
              const Timer& run);
  virtual ~Checkpoints() = default;
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // --- to go on

  /// Reads the state that a solver kept in the files of a generation, whose checksums are those of
  /// their contents and which are of this problem; hands back the step after which it was written.
  /// Throws an Error on every rank where it is not good, in words that name a file. Called by all
  /// ranks.
  using Take = std::function<Index(const CheckpointFiles& files)>;

  /// Looks for the newest good generation, and whether there is one: those that are damaged, not of
  /// this problem or refused by `take` are named in the notes. With checkpoint.resume: never there
  /// is none; with require, no good one is an Error(input) on every rank. Where
  /// checkpoint.time_limit is shorter than what it takes to begin, to read the generation and to
  /// write another, as fast as that one was written, this throws an Error(resources) that says so:
  /// no run would get further. `bytes` is what this rank
  /// will keep in a checkpoint, about; with a limit of time and no checkpoint that tells how fast
  /// it was written, as much is written of it as a sample, 16 MiB at most. To be called first, and
  /// again where another elimination begins, in another precision. Collective.
  bool resume(Precision precision, double bytes, const Take& take);

  /// Calls load(files) of the generation that resume() found, for what `take` left there.
  /// Collective.
  void load(const std::function<void(const CheckpointFiles& files)>& load);

  // --- to keep

  /// Says what is ahead: seconds of the next step, where it may be longer than those before, and
  /// bytes that this rank would add after it.
  void expect(double step_seconds, double bytes);

  /// The files that are gone on from have that many bytes on this rank, other than were expected.
  void expect_bytes(double bytes) { expected_bytes_ = bytes; }

  /// Another elimination of the same problem takes the place of the one that was kept, of which
  /// nothing is gone on with: the next checkpoint is a new one, whatever its step.
  void begin_another();

  /// The state that resume() found holds that fraction of the flops.
  void tell_work(double fraction) { statistics_.resumed_work = fraction; }

  /// The wish of this rank at the boundary after `step` columns. Cheap: to be asked often.
  virtual CheckpointRequest request(Index step);

  /// The largest wish of all ranks to end, after the last step; or none. Collective.
  CheckpointRequest request_at_the_end(Index step);

  /// Writes the solver's sections of this rank.
  using Write = std::function<void(SectionWriter& file)>;

  /// Does what all ranks wish for: writes a checkpoint after `step`, where none is there of that
  /// step, and then, where that was the wish, throws Error(interrupted) on every rank. A disk that
  /// is full is no reason to end: a note says so, and the older checkpoint stays. Collective.
  void fulfil(CheckpointRequest agreed, Index step, const Write& write);

  /// Whether add() can be called: there is a generation of this run, or resume() found one of as
  /// many ranks.
  bool can_add() const;

  /// Does as keep() by sections that are added to the files of the newest generation, after those
  /// that are there. A rank's file holds all of the new sections or none, whatever happens; where
  /// the run ends in between, files of some ranks hold them and others do not: resume() goes back
  /// to what all of them hold. Where it goes on without them, they lie before the sections that are
  /// added next, which must name again whatever they named. Collective.
  void add(CheckpointRequest agreed, Index step, const Write& write);

  /// Removes all checkpoints of this problem. Collective.
  void remove();

  const CheckpointStatistics& statistics() const { return statistics_; }
  Team& team() const { return team_; }
  const EliminatedProblem& problem() const { return problem_; }

 private:
  enum class WriteMode { anew, added };

  CheckpointFiles files_of(const Generation& generation) const {
    return {wanted_.directory, generation};
  }
  std::vector<Generation> generations_there();
  std::vector<std::uint64_t> check(const Generation& generation) const;
  void go_back_to_common(const Generation& generation, std::span<const std::uint64_t> mine) const;
  std::optional<Index> try_generation(const Generation& generation, const Take& take, bool is_last);
  void refuse_to_begin_anew(const std::string& foreign) const;
  std::string foreign_files() const;
  void fulfil(CheckpointRequest agreed, Index step, const Write& write, WriteMode mode);
  void save(Index step, const Write& write, WriteMode mode);
  std::int64_t write_file(const Generation& generation, const CheckpointPart& part,
                          const Write& write, WriteMode mode) const;
  void remove_files(const Generation& generation);
  void remove_temporaries() const;
  [[noreturn]] void stop(CheckpointRequest agreed, Index step) const;
  double now() const;  // seconds of the run
  double time_to_save() const;
  void record_speed(const Generation& generation, std::int64_t bytes, double seconds) const;
  void learn_speed(const Generation& generation);
  void sample_speed();
  void refuse_a_limit_for_nothing() const;
  void note(std::string text);
  std::string place(Index step) const;

  Team& team_;
  CheckpointOptions wanted_;
  EliminatedProblem problem_;
  const Timer& run_;
  std::vector<Generation> kept_;      // the first ones go first
  std::vector<Generation> finished_;  // of eliminations before this one
  Index last_number_ = 0;
  Index first_step_ = 0;        // of this run
  Index saved_step_ = 0;        // of the newest good checkpoint; 0: the beginning
  std::string last_failure_;    // of the last one, where it failed
  double expected_bytes_ = 0;   // of a checkpoint, of this rank
  double added_bytes_ = 0;      // that the next one adds
  double seconds_of_byte_ = 0;  // until a checkpoint tells
  double last_save_ = 0;        // as now() gives them
  double last_look_ = 0, longest_step_ = 0, expected_step_ = 0, longest_save_ = 0;
  CheckpointStatistics statistics_;
};

}  // namespace spsolve::checkpoint
