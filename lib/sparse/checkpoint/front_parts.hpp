#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint_file.hpp"
#include "sparse/fronts/checkpointable_fronts.hpp"

namespace spsolve::inline sparse {

/// Some fronts of an elimination that is kept: which are done, and which of them a checkpoint
/// holds. It does so in parts, a section "NAME K" each: the fronts that were done between two
/// checkpoints, of each its factors, its pivots, and its contribution block where that still waits.
class FrontParts {
 public:
  /// `name`: of the sections.
  FrontParts(const Fronts& fronts, std::string_view name);

  /// Nothing is done.
  void reset();
  void done(LocalIndex s);
  bool is_done(LocalIndex s) const { return done_[s] != 0; }
  LocalIndex count() const { return count_; }
  /// Pivots of the fronts that are done.
  Index columns() const { return columns_; }
  double flops(bool symmetric) const;

  /// The contribution block of front s is taken, though none of these fronts that is done did so.
  void take(LocalIndex s) { taken_[s] = 1; }
  /// Whether the contribution block of a front waits.
  bool waits(LocalIndex s) const;

  // --- to keep

  /// Nothing of it is written yet.
  void forget_written();
  /// All that is done is written.
  void note_written() { written_ = done_; }
  /// Writes those that are not written as the next part, of that number.
  void write(SectionWriter& file, Index part, CheckpointableFronts& fronts) const;

  // --- to go on

  /// Reads which fronts the first `parts` hold: these are done, and written. Throws Error(input).
  void read(const CheckpointReader& file, Index parts);
  /// Whether these are done with all below them.
  bool is_closed() const;
  /// Whether it was kept what of those that are done waits.
  bool has_what_waits() const;
  /// Reads them. Whether all was as it must be.
  bool load(const CheckpointReader& file, Index parts, CheckpointableFronts& fronts) const;

 private:
  struct List {
    std::vector<LocalIndex> fronts;
    std::vector<char> waits;
  };

  void name(Index part, List& list, SectionBytes& bytes) const;

  const Fronts& fronts_;
  std::string name_;
  std::vector<char> done_, written_, waited_, taken_;  // of each front
  LocalIndex count_ = 0;
  Index columns_ = 0;
};

}  // namespace spsolve::sparse
