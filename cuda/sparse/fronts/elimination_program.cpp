#include "cuda/sparse/fronts/elimination_program.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "cuda/sparse/fronts/front_writer.hpp"
#include "sparse/fronts/schedule.hpp"

namespace spsolve::cuda::inline sparse {

namespace {

using What = EliminationStep::What;

class Writer {
 public:
  Writer(const DeviceLayout& layout, Factorization kind)
      : layout_(layout), writer_(layout.fronts, kind, program_) {}

  EliminationProgram write() {
    for (const FrontPart& part : layout_.parts) {
      part_begin_ = std::ssize(program_.steps);
      for (int level = part.first_level; level < part.end_level; ++level) write_level(level);
      program_.part_ends.push_back(static_cast<Index>(program_.steps.size()));
    }
    return std::move(program_);
  }

 private:
  void write_level(int level) {
    const std::span<const LocalIndex> all(
        layout_.by_level.data() + layout_.level_starts[level],
        layout_.by_level.data() + layout_.level_starts[level + 1]);
    std::vector<int> large;
    std::vector<int> small;
    for (const LocalIndex s : all) (layout_of(s).is_small() ? small : large).push_back(s);
    write_small(small);
    if (!large.empty()) write_large(std::move(large));
    if (layout_.assembles_early) write_early_children(all);
  }

  const FrontLayout& layout_of(int s) const { return layout_.fronts[s]; }
  bool symmetric() const { return writer_.symmetric(); }

  static constexpr int rows_of[] = {16, 32, 48, small_front};
  static constexpr int sides[] = {16, 32, pivot_block};

  /// Fronts of so many rows and of blocks of `side` that a large GPU has at work at the same time:
  /// as many as its shared memory holds.
  static std::size_t at_once(int side, int rows) {
    constexpr std::size_t bytes_of_each = 227 << 10, most_of_each = 16;
    const int numbers = 2 * side * (side + 1) + 3 * side + small_front_stride(rows) * rows;
    const std::size_t fit = bytes_of_each / (static_cast<std::size_t>(numbers) * sizeof(double));
    return processors_of_gpu * std::min(most_of_each, fit);
  }

  /// Small fronts by what shared memory and registers they take; those of several kinds in one
  /// launch where all of them are at work at once anyway, so that the level takes as long as its
  /// slowest front and not as the slowest ones of every kind one after another.
  void write_small(const std::vector<int>& fronts) {
    std::vector<int> by_kind[3][4];  // by side, then by rows
    for (const int s : fronts) {
      const int rows = layout_of(s).pivots + layout_of(s).border;
      const auto size = std::lower_bound(std::begin(rows_of), std::end(rows_of), rows);
      const auto side = std::lower_bound(std::begin(sides), std::end(sides), layout_of(s).pivots);
      by_kind[side - std::begin(sides)][size - std::begin(rows_of)].push_back(s);
    }
    // Blocks of 64 pivots are eliminated by another algorithm, which others had better not wait
    // for.
    std::vector<int>(&narrow)[4] = by_kind[0], (&wide)[4] = by_kind[1];
    const int widest = rows_of[std::max(last_of(narrow), last_of(wide))];
    if (count_of(narrow) + count_of(wide) <= at_once(sides[1], widest) && count_of(wide) > 0) {
      for (int k = 0; k < 4; ++k) move_to(wide[k], narrow[k]);
    }
    for (int i = 0; i < 3; ++i) {
      const std::size_t most = at_once(sides[i], rows_of[last_of(by_kind[i])]);
      std::vector<int> together;
      for (int k = 0; k < 4; ++k) {
        move_to(together, by_kind[i][k]);
        const bool last = std::all_of(by_kind[i] + k + 1, by_kind[i] + 4,
                                      [](const auto& list) { return list.empty(); });
        if (together.empty()) continue;
        if (!last && together.size() + count_of(by_kind[i]) <= most) continue;
        const Index begin = static_cast<Index>(program_.fronts.size());
        program_.fronts.insert(program_.fronts.end(), together.begin(), together.end());
        const bool follows =
            std::ssize(program_.steps) > part_begin_ && program_.steps.back().what == What::small;
        writer_.add_step(What::small, begin, static_cast<Index>(program_.fronts.size()), rows_of[k],
                         sides[i]);
        program_.steps.back().follows = follows;
        together.clear();
      }
    }
  }

  static std::size_t count_of(const std::vector<int> (&lists)[4]) {
    std::size_t count = 0;
    for (const auto& list : lists) count += list.size();
    return count;
  }

  /// The last list that is not empty, or 0.
  static int last_of(const std::vector<int> (&lists)[4]) {
    int last = 3;
    while (last > 0 && lists[last].empty()) --last;
    return last;
  }

  static void move_to(std::vector<int>& to, std::vector<int>& from) {
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  }

  void write_large(std::vector<int> fronts) {
    write_assembly(fronts);
    write_borders(writer_.eliminate_pivots(std::move(fronts)));
  }

  /// The most where that leaves many pieces for each multiprocessor, as each of them first finds
  /// out what children have for it; else half of them.
  int rows_of_pieces(const std::vector<int>& fronts) const {
    double elements = 0;
    for (const int s : fronts) {
      const double rows = layout_of(s).pivots + layout_of(s).border;
      elements += rows * rows;
    }
    constexpr double pieces_of_each = 32;
    const bool many = elements > pieces_of_each * processors_of_gpu * piece_columns * piece_rows;
    return many ? piece_rows : piece_rows / 2;
  }

  /// Children in the list of all.
  struct ChildRange {
    int begin, end;
    bool empty() const { return begin >= end; }
  };

  /// Those that are assembled together, one after another.
  static ChildRange assembled_together(const FrontLayout& front) {
    return {front.child_begin + front.early_children, front.child_end - front.elementwise_children};
  }

  /// Pieces of a part of front s, of so many columns and rows. `least_row`: the first row that is
  /// wanted of a column.
  template <typename LeastRow>
  void add_pieces(int s, int part, const ChildRange& children, int height, int columns, int rows,
                  const LeastRow& least_row) {
    for (int from = 0; from < columns; from += piece_columns) {
      const int end = std::min(columns, from + piece_columns);
      for (int row = least_row(from) / height * height; row < rows; row += height) {
        program_.pieces.push_back(
            {s, from, end, row, std::min(rows, row + height), part, children.begin, children.end});
      }
    }
  }

  static int block_of(int column) { return column / pivot_block * pivot_block; }

  /// Pieces of the factors of front s.
  void add_factor_pieces(int s, const ChildRange& children, int height) {
    const int pivots = layout_of(s).pivots, rows = layout_of(s).rows();
    add_pieces(s, AssemblyPiece::lower, children, height, pivots, rows, block_of);
    if (symmetric()) return;
    // The border begins after the last block of pivots, which may be no whole one.
    add_pieces(s, AssemblyPiece::upper, children, height, pivots, rows,
               [&](int column) { return std::min(pivots, block_of(column) + pivot_block); });
  }

  /// Adds the early child of front s with this number to it.
  void write_early_child(int s, int number) {
    const int child = layout_of(s).child_begin + number;
    const Index begin = static_cast<Index>(program_.pieces.size());
    add_factor_pieces(s, {child, child + 1}, rows_of_pieces({s}));
    writer_.add_step(What::assemble, begin, static_cast<Index>(program_.pieces.size()));
  }

  /// Those of a level that are assembled early.
  void write_early_children(const std::span<const LocalIndex>& level) {
    for (const LocalIndex s : level) {
      if (!layout_of(s).early) continue;
      const int parent = layout_of(s).parent;
      const auto first = layout_.elementwise.children.begin() + layout_of(parent).child_begin;
      const auto found = std::find(first, first + layout_of(parent).early_children, s);
      write_early_child(parent, static_cast<int>(found - first));
    }
  }

  void write_assembly(const std::vector<int>& fronts) {
    if (!layout_.assembles_early) {
      for (const int s : fronts) {
        for (int k = 0; k < layout_of(s).early_children; ++k) write_early_child(s, k);
      }
    }
    const Index begin = static_cast<Index>(program_.pieces.size());
    const int height = rows_of_pieces(fronts);
    for (const int s : fronts) {
      const ChildRange children = assembled_together(layout_of(s));
      const int border = layout_of(s).border;
      if (!children.empty()) add_factor_pieces(s, children, height);
      if (border == 0) continue;
      const bool below = symmetric();
      add_pieces(s, AssemblyPiece::contribution, children, height, border, border,
                 [below](int column) { return below ? column : 0; });
    }
    writer_.add_step(What::assemble, begin, static_cast<Index>(program_.pieces.size()));
    // The elements of a level's large fronts follow each other.
    Index first = std::numeric_limits<Index>::max(), end = 0;
    for (const int s : fronts) {
      if (layout_of(s).elementwise_begin == layout_of(s).elementwise_end) continue;
      first = std::min<Index>(first, layout_of(s).elementwise_begin);
      end = std::max<Index>(end, layout_of(s).elementwise_end);
    }
    if (first < end) writer_.add_step(What::gather, first, end);
  }

  /// One panel of each front after another, as products by two of them write to the same places.
  void write_borders(Range fronts) {
    const FrontLayout& tallest = layout_of(program_.fronts[fronts.first]);
    for (int k = 0; k < tallest.pivots; k = tallest.panel_end(k)) {
      for (Index i = fronts.first; i < fronts.last; ++i) {
        const FrontLayout& front = layout_of(program_.fronts[i]);
        if (k < front.pivots) update_border(front, k);
      }
      writer_.finish_updates();
    }
  }

  /// A front's contribution block, by the panel that begins with column k.
  void update_border(const FrontLayout& front, int k) {
    const FrontPanel by = front.panel_of(k);
    FrontProduct product;
    product.a = front.lower + by.place(front.border_row, k);
    product.b = front.upper + by.place(front.border_row, k);
    product.c = front.contribution;
    product.lda = product.ldb = by.ld;
    product.ldc = front.ld_contribution;
    product.m = product.n = front.border;
    product.k = front.panel_end(k) - k;
    writer_.update(product, symmetric() ? 0 : -product.n);
  }

  const DeviceLayout& layout_;
  EliminationProgram program_;
  FrontWriter writer_;
  Index part_begin_ = 0;  // its first step
};

}  // namespace

EliminationProgram write_program(const DeviceLayout& layout, Factorization kind) {
  return Writer(layout, kind).write();
}

KernelStatistics kernel_statistics_of(const EliminationProgram& program, const DeviceLayout& layout,
                                      Factorization kind) {
  KernelStatistics kernel_statistics;
  kernel_statistics.launches = std::ssize(program.steps) + 2 * std::ssize(layout.parts);
  for (const FrontLayout& front_layout : layout.fronts) {
    if (!front_layout.is_small()) continue;
    kernel_statistics.small_flops +=
        front_flops(front_layout.pivots, front_layout.border, kind != Factorization::lu);
  }
  for (const EliminationStep& step : program.steps) {
    if (step.what != What::library) continue;
    const FrontProduct& product = program.products[step.begin];
    kernel_statistics.library_flops += 2.0 * product.m * product.n * product.k;
  }
  return kernel_statistics;
}

}  // namespace spsolve::cuda::sparse
