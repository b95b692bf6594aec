#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_file.hpp"
#include "checkpoint/statistics.hpp"
#include "config/config.hpp"
#include "core/team.hpp"
#include "core/timer.hpp"

namespace spsolve {

/// What a rank would like to happen at a boundary of an elimination; the largest of all ranks does.
enum class CheckpointWish : int {
  none,
  save,        ///< write a checkpoint and go on
  stop,        ///< write one and end, as a signal asked
  out_of_time  ///< write one and end, before checkpoint.time_limit
};

/// Keeps an elimination on disk: a generation of files, one a rank, from time to time, when a
/// signal asks for it (core/signals.hpp) and before a limit of time; and finds the newest good one
/// to go on from. A generation counts when the files of all ranks lie complete on the disk; the one
/// before it stays, older ones go.
///
/// Names say whose a file is: spsolve-FINGERPRINT-GENERATION.RANK-of-RANKS.checkpoint, so that
/// several runs may share a folder as long as they eliminate different systems.
class Checkpoints {
 public:
  /// `run` began with the program; the eliminations say themselves in which precision they are
  /// done. Makes the folder. Throws Error(resources) on every rank where it
  /// cannot be written to. Collective.
  Checkpoints(Team& team, const Config::Checkpoint& wanted, const EliminatedProblem& problem,
              const Timer& run);
  virtual ~Checkpoints() = default;
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // --- to go on

  /// The state of the newest good generation; nothing where there is none, or with
  /// checkpoint.resume: never. Files that are damaged or not of this problem are named in the
  /// notes; with checkpoint.resume: require, no good one is an Error(input) on every rank. `rows`
  /// of the state are those of this rank where the rows were dealt out to as many ranks in blocks
  /// of `block` rows, and empty otherwise. To be called first, and again where another elimination
  /// begins, in another precision. Collective.
  std::optional<EliminationState> resume(Precision precision, Index block);

  /// Gives `take` the dense rows of that generation: what the state calls row rows[i], for place i.
  /// Collective.
  void load_rows(const std::vector<Index>& rows, const RowsIn& take);

  // --- to keep

  /// What this rank wishes for at the boundary behind `step` columns. Cheap: to be asked often.
  virtual CheckpointWish wish(Index step);

  /// The largest wish of all ranks to end, behind the last step; or none. Collective.
  CheckpointWish wish_at_the_end(Index step);

  /// Does what all ranks wish for: writes a checkpoint, where none is there of that step, and then,
  /// where that was the wish, throws Error(interrupted) on every rank. A disk that is full is no
  /// reason to end: a note says so, and the older checkpoint stays. Collective.
  void keep(CheckpointWish agreed, const EliminationState& state, const RowsOut& rows);

  /// Removes all checkpoints of this problem. Collective.
  void remove();

  const CheckpointStatistics& statistics() const { return statistics_; }

 private:
  struct Generation {
    std::uint64_t fingerprint = 0;  // of the problem
    Index number = 0;
    int ranks = 1;
    bool operator==(const Generation&) const = default;
  };
  /// What a rank found in the files that it checked; rows < 0 where it had none.
  struct Share {
    std::uint64_t stamp = 0;
    Index step = 0;
    Index rows = -1;
    bool mixed = false;
  };

  std::filesystem::path file_of(const Generation& generation, int rank) const;
  std::vector<Generation> generations_there();
  Share check(const Generation& generation);
  bool try_generation(const Generation& generation);
  void refuse_to_begin_anew(const std::string& foreign) const;
  std::string foreign_files() const;
  void write(const EliminationState& state, const RowsOut& rows);
  void remove_files(const Generation& generation);
  void remove_temporaries() const;
  [[noreturn]] void stop(CheckpointWish agreed, Index step) const;
  double time_to_save() const;
  void note(std::string text);

  Team& team_;
  Config::Checkpoint wanted_;
  EliminatedProblem problem_;
  const Timer& run_;
  std::vector<Generation> kept_;      // the first ones go first
  std::vector<Generation> finished_;  // of eliminations before this one
  Index last_number_ = 0;
  Index first_step_ = 0;      // of this run
  Index saved_step_ = 0;      // of the newest good checkpoint; 0: the beginning
  std::string last_failure_;  // of the last one, where it failed
  EliminationState resumed_;
  bool same_ranks_ = false;
  double last_save_ = 0;  // seconds of run_
  double last_look_ = 0, longest_step_ = 0, longest_save_ = 0;
  CheckpointStatistics statistics_;
};

}  // namespace spsolve
