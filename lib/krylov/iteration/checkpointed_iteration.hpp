#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/checkpoints.hpp"
#include "vectors/multivector/vectors.hpp"

namespace spsolve::inline krylov {

// Sections that a Krylov method keeps in a checkpoint:
//
//     iteration            how far it is, which rows of vectors these are, and their columns
//     way                  by what it iterates, in words
//     numbers, vectors K   of the levels of the solve: x is among them, nothing depends on M
//     recurrence, recurrence K   what a method goes on with at its next step, where it keeps that
//
// Recurrences hold for one M^-1, which most preconditioners make another one on other numbers of
// ranks; where it is another one, new recurrences begin with the x that was kept.

/// Numbers and multivectors that a level of a solve goes on with, in the order in which it names
/// them: to be kept, or to become what was kept. The same calls on every rank; numbers are the same
/// there.
class IterationState {
 public:
  virtual ~IterationState() = default;
  virtual void number(double& value) = 0;
  void number(Index& value);
  void number(bool& value);
  /// As many as are there, and as many as there were.
  void each(std::span<double> values);
  void numbers(std::vector<double>& values);
  /// Names a multivector of as many columns as were kept. Collective where it is taken.
  virtual void vectors(Vectors& x) = 0;

 protected:
  /// Throws an Error(input) on every rank: what is there is not what was named.
  [[noreturn]] virtual void contradict() const = 0;
  /// Numbers that are there to be taken.
  virtual std::size_t left() const = 0;
};

/// A file's part of such a checkpoint but for its vectors.
struct IterationPart {
  Index step = 0;
  Range rows;  ///< of the vectors in this file
  /// Columns of the vectors, and of those of the recurrence.
  std::vector<Index> columns, recurrence_columns;
  std::string settings;
  std::vector<double> numbers, recurrence;
};

/// Reads it. Refuses what contradicts itself by an Error(input).
IterationPart read_iteration_part(const CheckpointReader& file);

/// Keeps a solve by a Krylov method by the checkpoints of its run, and goes on from the newest good
/// one. The solve is nested: rounds, right-hand sides by turns, cycles, steps; every level says by
/// a Level what it goes on with. All of it is collective, and the same on every rank.
class CheckpointedIteration {
 public:
  using Name = std::function<void(IterationState&)>;

  /// Looks for a good checkpoint (Checkpoints::resume()). `b` is like all vectors, `vectors` about
  /// how many multivectors a checkpoint will hold, `settings` what M depends on, in words.
  CheckpointedIteration(Checkpoints& checkpoints, const Vectors& b, int vectors,
                        std::string settings);

  /// M is another one from now on.
  void change_settings(std::string settings) { settings_ = std::move(settings); }

  /// Whether recurrences are there to go on with.
  bool has_recurrence() const {
    return taking_ && fits_ && recurrence_.taken < part_.recurrence.size();
  }

  /// Why only x is taken of what was found, as a sentence; "" where nothing was, or all of it is.
  const std::string& restarts() const { return restarts_; }

  /// A step is done.
  void count_step() { ++step_; }

  /// Whether a rank wishes for a checkpoint at this boundary between two steps; then keep() must
  /// follow as soon as the levels are as they should be kept.
  bool is_wanted();

  /// Does what was wished for: may throw Error(interrupted) on every rank.
  void save_checkpoint();

  /// Does so after the last step of a cycle that no other follows, where the run is to end.
  void save_at_the_end();

  /// A level of the solve, as long as the object lives; inner ones are later ones. Names are asked
  /// for when a checkpoint is written, and at once where one is gone on from.
  class SolveLevel {
   public:
    enum class Kind { progress, recurrence };
    /// Nothing happens where `checkpointed` is null.
    SolveLevel(CheckpointedIteration* checkpointed, Kind kind, Name name);
    ~SolveLevel();
    SolveLevel(const SolveLevel&) = delete;
    SolveLevel& operator=(const SolveLevel&) = delete;
    /// Whether the level is now as it was kept.
    bool goes_on() const { return goes_on_; }

   private:
    CheckpointedIteration* checkpointed_;
    bool goes_on_ = false;
  };

 private:
  class Writer;
  class Reader;
  struct Open {
    SolveLevel::Kind kind;
    Name name;
  };
  /// How far a kind of numbers and vectors is taken.
  struct ReadPosition {
    std::size_t taken = 0, vectors = 0;
  };

  Index take(const CheckpointFiles& files);
  void write(SectionWriter& file) const;
  void load(const std::string& section, Index columns, Vectors& x) const;

  Checkpoints& checkpoints_;
  Range own_;
  Index rows_;
  std::string settings_, restarts_;
  IterationPart part_;        // of the checkpoint that is gone on from
  std::vector<Range> bands_;  // of its files
  ReadPosition progress_, recurrence_;
  bool taking_ = false, fits_ = false;
  std::vector<Open> levels_;
  Index step_ = 0;
  CheckpointRequest agreed_ = CheckpointRequest::none;
};

}  // namespace spsolve::krylov
