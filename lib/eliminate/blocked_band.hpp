#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "eliminate/options.hpp"
#include "eliminate/team_solution.hpp"

namespace spsolve {

/// Where the time of a rank's blocked elimination went, in seconds.
struct LuSeconds {
  double panel = 0;     ///< panels eliminated
  double exchange = 0;  ///< rows changing places, and ranks; where bands overlap, solved for, too
  double update = 0;    ///< products; where bands don't overlap, rows of U solved for, too
  double wait = 0;      ///< none of the three; where bands overlap, no update
};

/// Multipliers above this make a tournament's panel worth redoing with partial pivoting.
inline constexpr double largest_tournament_multiplier = 10;

/// What one rank can do with its own rows in a blocked elimination of the dense n x n matrix A.
///
/// Rows have local numbers 0 ... height() - 1 and change places: pivot rows of finished panels
/// have retired to the top, in the order of their elimination, the others are active:
/// [first_active, height()). A panel is a range of at most max_width() columns. All columns are
/// global. Spans are in host memory, but for packed rows and the values of candidates, which are in
/// the band's own (see row_buffer() and candidate_buffer()); multivectors are row-major.
///
/// Alone, a rank eliminates a panel by factor_panel() and follow_swaps(). In a team the ranks
/// decide on the pivots, whose L and U the band gets by factor_stack() or set_factors(); each then
/// calls retire() and form_multipliers(), and the pivot rows of all ranks pass through the pivot
/// block, a copy of the panel's pivot rows in the order of elimination. Behind that,
/// solve_pivot_rows() and update() are the same for both.
///
/// The columns behind a panel go through those steps piece by piece, as pieces_behind() divides
/// them: all steps of one piece, then those of the next.
///
/// Look-ahead: where overlaps() is true, calls may return before they are done, and what depends on
/// nothing that is under way goes on beside it. Calls that touch no columns but the panel's
/// (begin_panel() to factor_panel(), begin_election() to elect(), factor_stack(), set_factors(),
/// retire(), form_multipliers(), withdraw_multipliers()) wait for no more than the latest update()
/// of columns that began with their own panel's; the exchange of a piece, follow_retired() to
/// set_pivot_block(), for no more than the election of its pivots and the last update() of the
/// piece.
template <typename T>
class BlockedBand {
 public:
  virtual ~BlockedBand() = default;

  virtual Index height() const = 0;
  virtual Index order() const = 0;
  virtual Index max_width() const = 0;

  /// Whether work goes on beside the caller, so that it pays to update the next panel first.
  virtual bool overlaps() const = 0;

  /// Columns of a piece: pieces end at its multiples.
  virtual Index piece_width() const { return order(); }

  // --- alone

  /// What factor_panel() has to say.
  struct PanelOutcome {
    Index bad_column = -1;  ///< the first column whose pivot is zero or not finite, or -1
    bool redone = false;    ///< a tournament's multipliers grew too large: partial pivoting instead
  };

  /// Begins factor_panel(), which is called next of the panels' calls.
  virtual void begin_panel(Range panel, Pivoting pivoting) {
    static_cast<void>(panel);
    static_cast<void>(pivoting);
  }

  /// Eliminates the columns `panel` in the active rows, which begin at panel.first; other columns
  /// keep their rows for now. L below and U on and above the diagonal, in place. Step
  /// panel.first + i swapped that row with row swaps[i]. Tournament pivoting among parts of the
  /// rows is the band's choice of how to; in one part, it is partial pivoting.
  virtual PanelOutcome factor_panel(Range panel, Pivoting pivoting, std::span<Index> swaps) = 0;

  /// Swaps rows in a piece as factor_panel() did in the panel; with the last piece, in all columns
  /// before the panel, too. The pivot block is the rows themselves.
  virtual void follow_swaps(Range panel, std::span<const Index> swaps, Range piece) = 0;

  // --- in a team

  /// Memory of the band for so many values of candidates on their way between ranks, the same
  /// until more are asked for.
  virtual std::span<T> candidate_buffer(Index size) = 0;

  /// Begins elect(), which is called next of the panels' calls.
  virtual void begin_election(Index first_active, Range panel) {
    static_cast<void>(first_active);
    static_cast<void>(panel);
  }

  /// The best rows of the active ones by partial pivoting on a copy of the panel, best first; as
  /// many as the panel is wide, fewer where fewer are active. Their local numbers; their values in
  /// the panel, as they are before its elimination, go row-major to the front of `values`, a part
  /// of the candidate buffer.
  virtual std::vector<Index> elect(Index first_active, Range panel, std::span<T> values) = 0;

  /// LU with partial pivoting of the candidates of all ranks, `width` columns. Those of rank r are
  /// the first counts[r] rows of block r of `candidates`, blocks of width rows each. Those of the
  /// winners become the factors; the numbers `order` of the candidates, counted without gaps, are
  /// put in the order of elimination. The same bits on every rank.
  virtual void factor_stack(Index width, std::span<const T> candidates,
                            std::span<const Index> counts, std::span<Index> order) = 0;

  /// The factors: L and U of the panel's pivots, row-major, panel width squared, until there are
  /// others.
  virtual void set_factors(Range panel, std::span<const T> factors) = 0;
  virtual std::span<const T> factors(Range panel) const = 0;

  /// The panel's values in local rows `rows`, row-major. The range may be wider than a panel.
  virtual std::vector<T> panel_values(Range rows, Range panel) const = 0;

  /// Swaps the rows `chosen`, in this order, to the places from first_active on: in the panel's
  /// columns at once, in the others not before follow_retired().
  virtual void retire(Index first_active, Range panel, std::span<const Index> chosen) = 0;

  /// A(active, panel) <- L = A(active, panel) U^-1 for the upper triangle of the panel's factors.
  /// Hands back max |l_ij|, infinite where one is not finite.
  virtual double form_multipliers(Index first_active, Range panel) = 0;

  /// Puts back what the last form_multipliers(), of the same rows, replaced.
  virtual void withdraw_multipliers(Index first_active, Range panel) = 0;

  /// Swaps rows in a piece as retire() did in the panel; with the last piece, in all columns before
  /// the panel, too.
  virtual void follow_retired(Range panel, Range piece) = 0;

  /// Memory of the band for the piece's columns of max_width() rows on their way between ranks.
  virtual std::span<T> row_buffer(Range piece) = 0;

  /// Copies the piece's columns of rows [first, first + count) to `packed` (row-major, without
  /// gaps), a part of the row buffer.
  virtual void pack_rows(Index first, Index count, Range piece, std::span<T> packed) = 0;

  /// Sets the piece's columns of the pivot block, whose row i is row order[i] of the row buffer, as
  /// of pack_rows(); with the first piece, the panel's factors, too.
  virtual void set_pivot_block(Range panel, Range piece, std::span<const Index> order) = 0;

  /// Copies the piece's columns of rows order[0], order[1], ... of the pivot block to own rows from
  /// `row` on; with the first piece, the panel's, too.
  virtual void keep_pivot_rows(Range panel, Range piece, std::span<const Index> order,
                               Index row) = 0;

  // --- to keep and to go on

  /// Whole rows from host memory, row-major without gaps, into own rows [first, first + count).
  virtual void write_rows(Index first, Index count, std::span<const T> values) = 0;

  // --- both

  /// Pivot block(:, columns) <- L^-1 pivot block(:, columns), L its unit lower triangle.
  virtual void solve_pivot_rows(Range panel, Range columns) = 0;

  /// A(active, columns) <- A(active, columns) - A(active, panel) pivot block(:, columns).
  virtual void update(Index first_active, Range panel, Range columns) = 0;

  // --- afterwards

  /// The seconds so far of a band that overlaps, but for `wait`; nothing from others, whose calls
  /// take as long as they take.
  virtual std::optional<LuSeconds> seconds() const { return std::nullopt; }

  /// max |a_ij| over local rows i in `rows` and columns j in `columns`, and over those on and above
  /// the diagonal of an eliminated solo matrix; infinite where one is not finite.
  virtual double largest_in(Range rows, Range columns) const = 0;
  virtual double largest_upper() const = 0;

  /// a_ii for the diagonal of an eliminated solo matrix.
  virtual std::vector<T> diagonal() const = 0;

  /// x <- L^-1 x and x <- U^-1 x with the whole eliminated matrix of a rank alone; x is n x K.
  virtual void solve_unit_lower(std::span<T> x, Index columns) const = 0;
  virtual void solve_upper(std::span<T> x, Index columns) const = 0;

  /// For the sweeps of a team's solution; as long as the band.
  virtual TeamSolution<T>& solution() const = 0;

  /// c <- c - A(rows, panel)^T x for x of rows x K, c of panel width x K.
  virtual void subtract_transposed_product(Range rows, Range panel, std::span<const T> x,
                                           std::span<T> c, Index columns) const = 0;
};

/// The columns behind `panel`: where a band goes on beside the search for the next pivots, those of
/// the panel after it, `next`, come first. At least one piece, which may be without columns.
template <typename T>
std::vector<Range> pieces_behind(const BlockedBand<T>& band, Range panel, Range next) {
  const Index order = band.order();
  if (!band.overlaps()) return {{panel.last, order}};
  std::vector<Range> pieces{next};
  for (Index first = next.last; first < order;) {
    const Index last = std::min((first / band.piece_width() + 1) * band.piece_width(), order);
    pieces.push_back({first, last});
    first = last;
  }
  return pieces;
}

/// The rows that stand at `first`, first + 1, ... where step i swapped the rows first + i and
/// first + swaps[i] of `rows`.
template <typename Swap>
std::vector<Index> rows_in_front(Index first, Index rows, std::span<const Swap> swaps) {
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), first);
  for (std::size_t i = 0; i < swaps.size(); ++i) {
    std::swap(order[i], order[static_cast<std::size_t>(swaps[i])]);
  }
  order.resize(swaps.size());
  return order;
}

/// What BlockedBand::retire() does, as swaps one after another: row first_active + i and row i of
/// the result.
inline std::vector<Index> swaps_to_front(Index first_active, std::span<const Index> chosen) {
  std::vector<Index> swaps(chosen.begin(), chosen.end());
  const auto count = static_cast<Index>(swaps.size());
  // Which of the chosen stands at each place in front; -1: none.
  std::vector<Index> at_place(swaps.size(), -1);
  for (Index i = 0; i < count; ++i) {
    if (const Index place = swaps[i] - first_active; place < count) at_place[place] = i;
  }
  for (Index i = 0; i < count; ++i) {
    const Index from = swaps[i] - first_active;
    const Index displaced = at_place[i];
    if (from < count) at_place[from] = displaced;
    // A later row that stood at this place stands where this one came from now.
    if (displaced > i) swaps[displaced] = swaps[i];
  }
  return swaps;
}

}  // namespace spsolve
