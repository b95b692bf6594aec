#pragma once

#include <span>
#include <vector>

#include "checkpoint/section_bytes.hpp"
#include "core/types.hpp"
#include "sparse/fronts/fronts.hpp"

namespace spsolve::inline sparse {

// The state that an elimination front by front shows of itself, so that it can be kept and gone on
// with.

/// Factors whose fronts can be kept, in any order, while none is under way.
class CheckpointableFronts {
 public:
  virtual ~CheckpointableFronts() = default;

  virtual bool is_done(LocalIndex s) const = 0;

  /// Names what there is of a front that is done, and with `waits` its contribution block, which
  /// its parent has not taken. A front that is read is done from then on. Whether what was read can
  /// be of this front.
  virtual bool name(LocalIndex s, bool waits, SectionBytes& bytes) = 0;

  /// Releases the contribution block of front s, as its parent is done.
  virtual void release_contribution(LocalIndex s) = 0;

  /// Names the totals of the fronts that are done, all together, as name().
  virtual bool name_totals(SectionBytes& bytes) = 0;

  /// Bytes of a front that is done, and of its contribution block.
  virtual std::int64_t bytes_of(LocalIndex s) const = 0;
  virtual std::int64_t contribution_bytes(LocalIndex s) const = 0;
};

/// Keeps an elimination: where there is one, a walk over the tree of fronts asks it before every
/// front whether to pause.
class FrontCheckpointer {
 public:
  virtual ~FrontCheckpointer() = default;

  /// Before the first front: takes back what was kept.
  virtual void begin(CheckpointableFronts& fronts) = 0;

  /// Whether the walk is to pause, before front s is begun, of so many flops. By any thread.
  virtual bool wants_pause(LocalIndex s, double flops) = 0;

  /// Front s is done, in so many seconds. By any thread.
  virtual void done(const CheckpointableFronts& fronts, LocalIndex s, double flops,
                    double seconds) = 0;

  /// No front is under way. May throw what ends the elimination.
  virtual void pause(CheckpointableFronts& fronts) = 0;

  /// All fronts are done. May throw likewise.
  virtual void finish(CheckpointableFronts& fronts) = 0;
};

/// Which fronts have a block that waits for a parent, which is not done or elsewhere.
template <typename Done>
bool waits_for_parent(const Fronts& fronts, LocalIndex s, const Done& done) {
  const LocalIndex up = fronts.parent[s];
  return up == -1 ? fronts.border_size(s) > 0 : !done(up);
}

/// Whether these are the numbers from `first` on, in any order, as rows of pivots are.
inline bool are_rows(std::span<const LocalIndex> rows, LocalIndex first) {
  std::vector<bool> seen(rows.size(), false);
  for (const LocalIndex row : rows) {
    const Index place = Index{row} - first;
    if (place < 0 || place >= std::ssize(rows) || seen[place]) return false;
    seen[place] = true;
  }
  return true;
}

/// Whether these can be the entries (k + 1, k) of a D of blocks of one or two rows.
template <typename T>
bool are_pairs(std::span<const T> off_diagonal) {
  for (std::size_t k = 0; k < off_diagonal.size(); ++k) {
    if (off_diagonal[k] == T(0)) continue;
    if (++k == off_diagonal.size() || off_diagonal[k] != T(0)) return false;
  }
  return true;
}

}  // namespace spsolve::sparse
