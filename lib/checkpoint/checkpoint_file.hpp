#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/section_file.hpp"
#include "core/types.hpp"
#include "solve/operators/options.hpp"

namespace spsolve::inline checkpoint {

/// The problem that a checkpoint belongs to: a matrix and the way it is eliminated. Nothing of it
/// depends on the number of ranks, on panels or on devices, and right-hand sides are no part of it:
/// the factors serve any. Krylov methods iterate for right-hand sides, which are a part of it then.
struct EliminatedProblem {
  Index order = 0;
  Method method = Method::lu;
  Pivoting pivoting = Pivoting::partial;
  Precision precision = Precision::float64;
  std::uint64_t matrix = 0;            ///< checksum of the non-zeros and of their scale factors
  std::uint64_t right_hand_sides = 0;  ///< of Krylov methods: checksum; else 0
  bool complex = false;                ///< dense rows are of complex numbers, `order` of them

  /// One number for all of it, for names of files.
  std::uint64_t fingerprint() const;

  bool operator==(const EliminatedProblem&) const = default;
};

/// The difference of `theirs` from `ours` in words, such as "another matrix"; "" where nothing
/// does.
std::string difference(const EliminatedProblem& theirs, const EliminatedProblem& ours);

/// A rank's part of a generation of checkpoints. Whole generations bear one `stamp`: files of the
/// same number that two runs left do not.
struct CheckpointPart {
  Index generation = 0;
  std::uint64_t stamp = 0;
  int ranks = 1;
  int rank = 0;

  bool operator==(const CheckpointPart&) const = default;
};

/// Begins the file of a checkpoint by its section "checkpoint": whose it is, and what part. The
/// sections after it are the solver's.
void write_identity(SectionWriter& file, const EliminatedProblem& problem,
                    const CheckpointPart& part);

/// Begins what is added to the file of a checkpoint by its section "addition": that of each rank
/// bears the same `stamp`, which no other addition has.
void write_addition(SectionWriter& file, std::uint64_t stamp);

/// The file of a checkpoint that is read.
class CheckpointReader : public SectionReader {
 public:
  /// Opens the file and reads whose it is.
  explicit CheckpointReader(const std::filesystem::path& path);

  const EliminatedProblem& problem() const { return problem_; }
  const CheckpointPart& part() const { return part_; }

  /// The stamps of what was added, in its order.
  std::vector<std::uint64_t> additions() const;

  /// Lets only the first `count` additions of the file count from now on. Throws Error(resources).
  void cut_behind_addition(std::size_t count) const;

 private:
  EliminatedProblem problem_;
  CheckpointPart part_;
};

}  // namespace spsolve::checkpoint
