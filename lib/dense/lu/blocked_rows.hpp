#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/types.hpp"
#include "dense/lu/blocked_solution.hpp"
#include "solve/operators/options.hpp"
#include "solve/part_seconds.hpp"

namespace spsolve::inline dense {

/// Multipliers above this make a tournament's panel worth redoing with partial pivoting.
inline constexpr double largest_tournament_multiplier = 10;

/// The outcome of the panel of a rank alone.
struct PanelOutcome {
  std::vector<Index> swaps;  ///< step i swapped the rows panel.first + i and swaps[i]
  Index bad_column = -1;     ///< the first column whose pivot is zero or not finite, or -1
  bool redone = false;  ///< a tournament's multipliers grew too large: partial pivoting instead
};

/// The rows that a rank of a team offers for a panel's pivots: the local numbers of the best ones,
/// best first, or none where it offers all; and their values in the panel at the front of `mine`,
/// row-major. `all` is room for what all ranks have in `mine`, rank after rank. Both spans are in
/// the matrix's own memory.
template <typename T>
struct Candidates {
  std::vector<Index> places;
  std::span<T> mine, all;
};

template <typename T>
class ReplicatedTail;

/// One rank's own rows in a blocked elimination of the dense n x n matrix A, and its operations on
/// them.
///
/// Rows have local numbers 0 ... height() - 1 and change places: pivot rows of finished panels
/// have retired to the top, in the order of their elimination, the others are active:
/// [first_active, height()). A panel is a range of at most max_width() columns. All columns are
/// global. Spans are in host memory, but for candidates and packed rows, which are in the matrix's
/// own; multivectors are row-major.
///
/// A panel's pivots are decided on first. A rank alone eliminates the panel where it lies, by
/// factor_panel(), which remembers its swaps. In a team the ranks elect pivots, whose L and U all
/// get by finish_merge() or set_factors(); each then calls retire() and form_multipliers().
///
/// After that alone and in a team the same follows: the other columns follow the swaps, the pivot
/// rows of all ranks pass through the pivot block, a copy of the panel's pivot rows in the order of
/// elimination (alone: the rows themselves), are solved for, and take their multiples from the
/// active rows. The columns after a panel go through those steps piece by piece, as pieces_behind()
/// divides them: all steps of one piece, then those of the next.
///
/// Look-ahead: where overlaps() is true, calls may return before they are done, and work that
/// depends on nothing that is under way goes on concurrently. Calls that touch no columns but the
/// panel's (begin_panel() to withdraw_multipliers()) wait for no more than the latest update() of
/// columns that began with their own panel's; the exchange of a piece, follow_swaps() to
/// set_pivot_block(), for no more than the decision on its pivots and the last update() of the
/// piece.
template <typename T>
class BlockedRows {
 public:
  virtual ~BlockedRows() = default;

  Index height() const { return height_; }
  Index order() const { return order_; }
  Index max_width() const { return max_width_; }

  /// Whether no other rank has rows: all n are here.
  bool alone() const { return alone_; }

  /// Whether work goes on concurrently with the caller, so that it pays to update the next panel
  /// first.
  bool overlaps() const { return piece_width_ > 0; }

  /// Columns of a piece: pieces end at its multiples. 0 where nothing overlaps: all are one piece.
  Index piece_width() const { return piece_width_; }

  // --- the pivots of a panel

  /// Begins the elimination of a panel of a rank alone, or the search for a tournament's
  /// candidates; the next of the panels' calls is factor_panel(), or best_candidates().
  virtual void begin_panel(Index first_active, Range panel, Pivoting pivoting) = 0;

  /// Alone: eliminates the columns `panel` in the active rows, which begin at panel.first; other
  /// columns keep their rows until follow_swaps(). L below U on and above the diagonal, in place.
  /// Tournament pivoting among parts of the rows is this class's choice of how to; in one part, it
  /// is partial pivoting.
  virtual PanelOutcome factor_panel(Range panel, Pivoting pivoting) = 0;

  /// The best rows of the active ones by partial pivoting on a copy of the panel, as they are
  /// before its elimination: as many as the panel is wide, fewer where fewer are active; and room
  /// for those of `ranks` ranks, blocks of as many rows.
  virtual Candidates<T> best_candidates(Index first_active, Range panel, int ranks) = 0;

  /// In the place of begin_panel() and best_candidates(): all active rows as they are, and room for
  /// those of `ranks` ranks, blocks of `block_rows` rows. One elimination of many rows then takes
  /// the place of two, one after the other: whether that is sooner done for a panel, is what
  /// prefers_all() says, the same on every rank.
  virtual bool prefers_all(Range) const { return false; }
  virtual Candidates<T> all_candidates(Index first_active, Range panel, Index block_rows,
                                       int ranks) = 0;

  /// Starts the LU with partial pivoting of the candidates of all ranks, `width` columns. The
  /// candidates of rank r are the first counts[r] rows of block r of `candidates`, blocks of
  /// block_rows rows. finish_merge(): the L and U of the winners are the factors, and the `numbers`
  /// of the candidates, counted without gaps, are put in the order of elimination, the winners
  /// first. The same bits on every rank. The factors before stay where they are until the next but
  /// one finishes.
  virtual void start_merge(Index width, Index block_rows, std::span<const T> candidates,
                           std::span<const Index> counts) = 0;
  virtual void finish_merge(Index width, std::span<Index> numbers) = 0;

  /// The factors: L and U of the panel's pivots, row-major, panel width squared. Factors that are
  /// set take the place of those that are there; see finish_merge().
  virtual void set_factors(Range panel, std::span<const T> factors) = 0;
  virtual std::span<const T> factors(Range panel) const = 0;

  /// Swaps the rows first_active + i and swaps[i], one pair after another: in the panel's columns
  /// at once, in the others not before follow_swaps().
  virtual void retire(Index first_active, Range panel, std::span<const Index> swaps) = 0;

  /// A(active, panel) <- L = A(active, panel) U^-1 for the upper triangle of the panel's factors.
  /// Hands back max |l_ij|, infinite where one is not finite.
  virtual double form_multipliers(Index first_active, Range panel) = 0;

  /// Puts back what the last form_multipliers(), of the same rows, replaced.
  virtual void withdraw_multipliers(Index first_active, Range panel) = 0;

  // --- a piece of the columns after it

  /// Swaps rows in a piece as factor_panel() or retire() did in the panel; with the last piece, in
  /// all columns before the panel, too.
  virtual void follow_swaps(Range panel, Range piece) = 0;

  /// In a team: room for the piece's columns of max_width() rows on their way between ranks,
  /// row-major without gaps; own rows [first, first + count) are copied to it from its row `place`
  /// on.
  virtual std::span<T> pack_rows(Range piece, Index first, Index count, Index place) = 0;

  /// In a team: sets the piece's columns of the pivot block, whose row i is row order[i] of the
  /// packed ones; with the first piece, the panel's factors, too.
  virtual void set_pivot_block(Range panel, Range piece, std::span<const Index> order) = 0;

  /// Pivot block(:, piece) <- L^-1 pivot block(:, piece), L its unit lower triangle. Its rows that
  /// are this rank's, `own`, go back to the places from `first` on; with the first piece, their
  /// columns of the panel, too.
  virtual void solve_pivot_rows(Range panel, Range piece, std::span<const Index> own,
                                Index first) = 0;

  /// A(active, piece) <- A(active, piece) - A(active, panel) pivot block(:, piece).
  virtual void update(Index first_active, Range panel, Range piece) = 0;

  /// The rows that every rank of a team is to eliminate for itself in the end, or null.
  virtual ReplicatedTail<T>* tail() { return nullptr; }

  // --- what is there

  /// A(rows, columns) for local rows, row-major without gaps.
  virtual std::vector<T> read(Range rows, Range columns) const = 0;

  /// Whole rows, row-major without gaps, into own rows from `first` on.
  virtual void write_rows(Index first, std::span<const T> values) = 0;

  /// max |a_ij| over local rows i in `rows` and columns j in `columns`, with `upper` only where
  /// j - columns.first >= i - rows.first; infinite where one is not finite.
  virtual double largest_in(Range rows, Range columns, bool upper = false) const = 0;

  /// a_ii of a rank alone.
  virtual std::vector<T> diagonal() const = 0;

  /// The seconds so far where work overlaps, but for `wait`; nothing from others, whose calls take
  /// as long as they take.
  virtual std::optional<LuSeconds> seconds() const { return std::nullopt; }

  /// For the sweeps of a solution; as long as the rows.
  virtual BlockedSolution<T>& solution() const = 0;

 protected:
  BlockedRows(Index height, Index order, Index max_width, bool alone, Index piece_width)
      : height_(height),
        order_(order),
        max_width_(max_width),
        piece_width_(piece_width),
        alone_(alone) {}

 private:
  Index height_, order_, max_width_, piece_width_;
  bool alone_;
};

/// The columns after `panel`: where work goes on concurrently with the search for the next pivots,
/// those of the panel after it, `next`, come first, if there is one. At least one piece, which may
/// be without columns.
template <typename T>
std::vector<Range> pieces_behind(const BlockedRows<T>& rows, Range panel, Range next) {
  const Index order = rows.order();
  if (!rows.overlaps()) return {{panel.last, order}};
  std::vector<Range> pieces;
  if (next.size() > 0 || panel.last == order) pieces.push_back(next);
  for (Index first = next.last; first < order;) {
    const Index last = std::min((first / rows.piece_width() + 1) * rows.piece_width(), order);
    pieces.push_back({first, last});
    first = last;
  }
  return pieces;
}

}  // namespace spsolve::dense
