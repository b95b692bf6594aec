#pragma once

#include <limits>
#include <vector>

#include "cuda/sparse/fronts/elimination_program.hpp"

namespace spsolve::cuda::inline sparse {

/// Writes what is done with large fronts: their blocks of pivots, and updates of pieces of them.
class FrontWriter {
 public:
  /// Goes on with `program`.
  FrontWriter(const std::vector<FrontLayout>& layouts, Factorization kind,
              EliminationProgram& program)
      : layouts_(layouts),
        kind_(kind),
        program_(program),
        first_tile_(static_cast<Index>(program.tiles.size())) {}

  static constexpr Index all_blocks = std::numeric_limits<Index>::max();

  bool symmetric() const { return kind_ != Factorization::lu; }

  void add_step(EliminationStep::What what, Index begin, Index end, int rows = 0, int side = 0);

  /// These fronts side by side through some of their blocks of pivots; listed in the program, the
  /// one with the most pivots first.
  Range eliminate_pivots(std::vector<int> fronts, const Range& blocks = {0, all_blocks});

  /// C <- C - A B^T for tiles of which row minus column is at least `least`: by the library in
  /// strips of columns where that is large. Written by finish_updates(), all since the last one in
  /// one launch but for those of the library.
  void update(const FrontProduct& product, int least);
  void finish_updates();

 private:
  void add_tiles(const FrontProduct& product, int least);
  void finish_tiles();
  void write_panels(const std::vector<int>& fronts, int t);
  void write_updates(const std::vector<int>& fronts, int t);
  void update_columns(const FrontLayout& front, const Range& columns, const Range& by);
  const FrontLayout& layout_of(int s) const { return layouts_[s]; }

  const std::vector<FrontLayout>& layouts_;
  Factorization kind_;
  EliminationProgram& program_;
  Index first_tile_;                 // of those that no step has yet
  std::vector<FrontProduct> large_;  // by the library, likewise
};

}  // namespace spsolve::cuda::sparse
