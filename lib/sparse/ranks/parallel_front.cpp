#include "sparse/ranks/parallel_front.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/blas/column_blas.hpp"
#include "sparse/fronts/panels.hpp"

namespace spsolve::inline sparse {

using namespace column_blas;

namespace {

constexpr Index rows_of_piece = 1024;

/// The rows of a block of columns that are there, of the factors and of the contribution block.
struct BlockRows {
  Range factors, contribution;
};

BlockRows rows_of(Factorization kind, const ColumnBlocks& blocks, Index block) {
  const Index p = blocks.pivots(), height = blocks.height(), begin = blocks.begin(block);
  const bool lu = kind == Factorization::lu, border = blocks.is_border(block);
  if (!border) return {{lu ? 0 : begin, height}, {0, 0}};
  return {{0, lu ? p : 0}, {lu ? p : begin, height}};
}

}  // namespace

ParallelFrontSize parallel_front_size(Factorization kind, const ColumnBlocks& blocks, int rank) {
  ParallelFrontSize size;
  for (Index b = 0; b < blocks.size(); ++b) {
    if (blocks.owner(b) != rank) continue;
    const Index width = blocks.end(b) - blocks.begin(b);
    const BlockRows rows = rows_of(kind, blocks, b);
    size.factors += width * rows.factors.size();
    size.contribution += width * rows.contribution.size();
  }
  return size;
}

/// A panel on its way: as bytes what it did with rows, D's entries next to the diagonal, values.
template <typename T>
struct ParallelFront<T>::Panel {
  struct Head {
    Index number = 0, failed = -1, swaps = 0;
    LocalIndex rows[128] = {};
    T off_diagonal[widest_ldlt_panel] = {};
  };

  explicit Panel(Index values) : bytes(sizeof(Head) + values * sizeof(T)) {}

  Head& head() { return *reinterpret_cast<Head*>(bytes.data()); }
  const Head& head() const { return *reinterpret_cast<const Head*>(bytes.data()); }
  T* values() { return reinterpret_cast<T*>(bytes.data() + sizeof(Head)); }
  const T* values() const { return reinterpret_cast<const T*>(bytes.data() + sizeof(Head)); }
  /// Where row `row` of the front lies in the panel's first column.
  const T* at(Index row) const { return values() + row - first_row; }

  /// The bytes that travel.
  std::span<std::byte> message() {
    return {bytes.data(), sizeof(Head) + static_cast<std::size_t>(width * height) * sizeof(T)};
  }

  UntouchedArray<std::byte> bytes;
  Index first_row = 0, height = 0, width = 0;  // of the values
  std::unique_ptr<Messages> messages;
};

template <typename T>
ParallelFront<T>::ParallelFront(Factorization kind, const ColumnBlocks& blocks, int rank)
    : kind_(kind),
      blocks_(blocks),
      rank_(rank),
      rows_(blocks.pivots()),
      off_diagonal_(has_d(kind) ? blocks.pivots() : 0) {
  const ParallelFrontSize size = parallel_front_size(kind, blocks, rank);
  factors_ = UntouchedArray<T>(size.factors);
  contribution_size_ = size.contribution;
  T* factors = factors_.data();
  for (Index b = 0; b < blocks.size(); ++b) {
    if (blocks.owner(b) != rank) continue;
    const BlockRows rows = rows_of(kind, blocks, b);
    OwnBlock<T>& own = own_.emplace_back();
    own.number = b;
    own.begin = blocks.begin(b);
    own.end = blocks.end(b);
    own.factors = {factors, rows.factors.first, rows.factors.size()};
    own.contribution = {nullptr, rows.contribution.first, rows.contribution.size()};
    factors += own.width() * own.factors.rows;
  }
  if (has_d(kind)) products_.resize(own_.size() * blocks.width() * blocks.width());
}

template <typename T>
ParallelFront<T>::~ParallelFront() = default;

template <typename T>
ParallelFront<T>::ParallelFront(ParallelFront&&) noexcept = default;

template <typename T>
void ParallelFront<T>::make_panels() {
  panels_.clear();
  if (!blocks_.shares() && blocks_.owner(0) != rank_) return;
  for (Index i = 0; i < std::min<Index>(2, blocks_.pivot_blocks()); ++i) {
    panels_.emplace_back(blocks_.height() * blocks_.width());
  }
}

template <typename T>
void ParallelFront<T>::make_room_above() {
  contribution_ = UntouchedArray<T>(contribution_size_);
  T* next = contribution_.data();
  for (OwnBlock<T>& block : own_) {
    block.contribution.values = next;
    next += block.width() * block.contribution.rows;
  }
}

template <typename T>
void ParallelFront<T>::begin() {
  make_panels();
  make_room_above();
  std::fill_n(factors_.data(), factors_.size(), T(0));
  std::fill_n(contribution_.data(), contribution_.size(), T(0));
  std::iota(rows_.begin(), rows_.end(), 0);
  std::fill(off_diagonal_.begin(), off_diagonal_.end(), T(0));
}

template <typename T>
void ParallelFront<T>::release() {
  contribution_ = {};
}

template <typename T>
const OwnBlock<T>* ParallelFront<T>::own_block(Index number) const {
  const auto found = std::ranges::lower_bound(own_, number, {}, &OwnBlock<T>::number);
  return found != own_.end() && found->number == number ? &*found : nullptr;
}

template <typename T>
void ParallelFront<T>::add(Index column, std::span<const LocalIndex> rows, const T* values) {
  const OwnBlock<T>& block = *own_block(blocks_.block_of(column));
  const Index inner =
      std::ranges::lower_bound(rows, block.factors.first_row + block.factors.rows) - rows.begin();
  const auto add_to = [&](const BlockPart<T>& part, Index from, Index to) {
    T* target = part.values + (column - block.begin) * part.ld() - part.first_row;
    for (Index r = from; r < to; ++r) target[rows[r]] += values[r];
  };
  add_to(block.factors, 0, inner);
  add_to(block.contribution, inner, std::ssize(rows));
}

template <typename T>
void ParallelFront<T>::add(Index row, Index column, T value) {
  const LocalIndex only = static_cast<LocalIndex>(row);
  add(column, std::span(&only, 1), &value);
}

template <typename T>
const T* ParallelFront<T>::contribution(Index column) const {
  const OwnBlock<T>& block = *own_block(blocks_.block_of(column));
  const Index row = kind_ == Factorization::lu ? blocks_.pivots() : column;
  return block.contribution.at(row) + (column - block.begin) * block.contribution.ld();
}

/// Factors this rank's block, and makes a panel of it.
template <typename T>
void ParallelFront<T>::factor_panel(Index number, const PivotRule& rule, Panel& panel,
                                    PivotCounts& counts) {
  const OwnBlock<T>& block = *own_block(number);
  const Index k = block.begin, w = block.width(), height = blocks_.height() - k;
  T* a = block.factors.at(k);
  const Index ld = block.factors.ld();
  typename Panel::Head& head = panel.head();
  head = {};
  head.number = number;
  PivotCounts own;
  switch (kind_) {
    case Factorization::cholesky:
      factor_cholesky_panel(height, w, a, ld, own);
      break;
    case Factorization::ldlt:
    case Factorization::ldlh:
      factor_ldlt_panel(height, w, a, ld, rule, head.rows, head.off_diagonal, own);
      break;
    case Factorization::lu:
      factor_lu_panel(blocks_.pivots() - k, height, w, a, ld, rule, head.rows, own);
  }
  head.failed = own.failed;
  head.swaps = own.swaps;
  if (own.failed < 0) counts.add(own);
  for (Index c = 0; c < w; ++c) std::copy_n(a + c * ld, height, panel.values() + c * height);
}

/// Where the panel of a block has its place, of that block's shape.
template <typename T>
typename ParallelFront<T>::Panel& ParallelFront<T>::panel_for(Index number) {
  Panel& panel = panels_[number % 2];
  panel.first_row = blocks_.begin(number);
  panel.height = blocks_.height() - panel.first_row;
  panel.width = blocks_.end(number) - panel.first_row;
  panel.messages.reset();
  return panel;
}

/// Has the panel of a block factored by the rank that has it, and lets it travel.
template <typename T>
void ParallelFront<T>::start_panel(Team& team, Index number, const PivotRule& rule,
                                   PivotCounts& counts) {
  Panel& panel = panel_for(number);
  if (blocks_.owner(number) == rank_) factor_panel(number, rule, panel, counts);
  if (!blocks_.shares()) return;
  const std::span<std::byte> bytes = panel.message();
  const int owner = blocks_.owner(number);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  if (owner != rank_) {
    incoming.push_back({owner, bytes});
  } else {
    for (int rank = 0; rank < team.size(); ++rank) {
      if (rank != rank_) outgoing.push_back({rank, bytes});
    }
  }
  panel.messages = team.messages(outgoing, incoming);
  panel.messages->start();
}

/// Keeps where the panel's pivots came from, and moves the rows of columns to its left.
template <typename T>
void ParallelFront<T>::note_rows(const Panel& panel) {
  const typename Panel::Head& head = panel.head();
  const Index k = panel.first_row, w = panel.width;
  if (has_d(kind_)) {
    std::copy_n(head.off_diagonal, w, off_diagonal_.begin() + k);
  }
  if (head.swaps == 0) return;
  for (Index i = 0; i < w; ++i) {
    if (kind_ == Factorization::lu) {
      std::swap(rows_[k + i], rows_[k + head.rows[i]]);
    } else {
      rows_[k + i] = static_cast<LocalIndex>(k + head.rows[i]);
    }
  }
  for (const OwnBlock<T>& block : own_) {
    if (block.number >= head.number) break;
    T* rows = block.factors.at(k);
    if (kind_ == Factorization::lu) {
      swap_rows(block.width(), rows, block.factors.ld(), head.rows, w);
    } else {
      permute_rows(block.width(), w, head.rows, rows, block.factors.ld());
    }
  }
}

/// The step before the update of a block to the right: finds its rows of U, or L D of its columns.
template <typename T>
void ParallelFront<T>::prepare_block(const Panel& panel, const OwnBlock<T>& block,
                                     T* products) const {
  const typename Panel::Head& head = panel.head();
  const Index k = panel.first_row, w = panel.width, ld = panel.height;
  if (kind_ == Factorization::lu) {
    T* rows = block.factors.at(k);
    if (head.swaps > 0) swap_rows(block.width(), rows, block.factors.ld(), head.rows, w);
    solve_triangle(CblasLeft, unit_lower, w, block.width(), panel.values(), ld, rows,
                   block.factors.ld());
  } else if (has_d(kind_)) {
    multiply_by_d(is_hermitian(kind_), block.width(), w, panel.at(block.begin), ld, panel.values(),
                  ld, head.off_diagonal, products);
  }
}

/// Rows from ... to - 1 of a part of a block to the right.
template <typename T>
void ParallelFront<T>::update_rows(const Panel& panel, const OwnBlock<T>& block, const T* products,
                                   const BlockPart<T>& part, Index from, Index to) const {
  const Index w = panel.width, ld = panel.height;
  const T* l = panel.at(from);
  T* c = part.at(from);
  const CBLAS_TRANSPOSE op = is_hermitian(kind_) ? CblasConjTrans : CblasTrans;
  switch (kind_) {
    case Factorization::cholesky:
      return multiply_transposed<T>(to - from, block.width(), w, -1, l, ld, panel.at(block.begin),
                                    ld, 1, c, part.ld(), op);
    case Factorization::ldlt:
    case Factorization::ldlh:
      return multiply_transposed<T>(to - from, block.width(), w, -1, l, ld, products, block.width(),
                                    1, c, part.ld(), op);
    case Factorization::lu:
      return column_blas::multiply<T>(CblasNoTrans, to - from, block.width(), w, -1, l, ld,
                                      block.factors.at(panel.first_row), block.factors.ld(), 1, c,
                                      part.ld());
  }
}

template <typename T>
void ParallelFront<T>::update(const Panel& panel, std::span<const OwnBlock<T>* const> blocks,
                              const Tiles& tiles) {
  const auto products = [&](const OwnBlock<T>& block) {
    const Index place = &block - own_.data();
    return products_.data() + place * blocks_.width() * blocks_.width();
  };
  const Index count = std::ssize(blocks);
  tiles.run(count, [&](Index i, Index) {
    prepare_block(panel, *blocks[i], has_d(kind_) ? products(*blocks[i]) : nullptr);
  });
  const Index below = panel.first_row + panel.width;
  const Index pieces = Tiles::count_of(blocks_.height() - below, rows_of_piece);
  tiles.run(count * pieces, [&](Index i, Index) {
    const OwnBlock<T>& block = *blocks[i / pieces];
    const Index from = below + i % pieces * rows_of_piece;
    const Index to = std::min(from + rows_of_piece, blocks_.height());
    for (const BlockPart<T>& part : {block.factors, block.contribution}) {
      const Index first = std::max(from, part.first_row);
      const Index last = std::min(to, part.first_row + part.rows);
      if (first >= last) continue;
      update_rows(panel, block, has_d(kind_) ? products(block) : nullptr, part, first, last);
    }
  });
}

template <typename T>
void ParallelFront<T>::eliminate(Team& team, const PivotRule& rule, const Tiles& tiles,
                                 PivotCounts& counts, const std::function<void(Index)>& between,
                                 Index from) {
  const Index count = panels_.empty() ? 0 : blocks_.pivot_blocks();
  Index failed = -1;
  if (count > 0 && from == 0) start_panel(team, 0, rule, counts);
  std::vector<const OwnBlock<T>*> right;
  for (Index number = from; number < count; ++number) {
    const Panel& panel = panels_[number % 2];
    if (panel.messages != nullptr) panel.messages->wait();
    if (panel.head().failed >= 0) {
      failed = panel.first_row + panel.head().failed;
      break;
    }
    if (between && number > from) between(number);
    note_rows(panel);
    const bool more = number + 1 < count;
    const OwnBlock<T>* next = more ? own_block(number + 1) : nullptr;
    if (next != nullptr) update(panel, std::span(&next, 1), tiles);
    if (more) start_panel(team, number + 1, rule, counts);
    right.clear();
    for (const OwnBlock<T>& block : own_) {
      if (block.number > number && &block != next) right.push_back(&block);
    }
    update(panel, right, tiles);
  }
  panels_.clear();
  if (!blocks_.shares()) {
    failed = broadcast_value(team, failed, blocks_.owner(0));
    if (failed < 0) broadcast(team, std::span(rows_), blocks_.owner(0));
  }
  counts.failed = failed;
}

// --- to be kept

template <typename T>
bool ParallelFront<T>::name(bool waits, SectionBytes& bytes) {
  bytes.values(factors_.data(), factors_.size());
  bytes.values(rows_.data(), std::ssize(rows_));
  bytes.values(off_diagonal_.data(), std::ssize(off_diagonal_));
  if (waits) {
    if (bytes.reads()) make_room_above();
    bytes.values(contribution_.data(), contribution_.size());
  }
  return !bytes.reads() || (are_rows(rows_, 0) && are_pairs(std::span<const T>(off_diagonal_)));
}

template <typename T>
bool ParallelFront<T>::name_under_way(Index number, SectionBytes& bytes) {
  if (bytes.reads()) make_panels();
  bool good = name(true, bytes);
  Panel& panel = panel_for(number);
  bytes.values(panel.bytes.data(), std::ssize(panel.message()));
  if (!bytes.reads()) return true;
  const typename Panel::Head& head = panel.head();
  const Index rows = kind_ == Factorization::lu ? blocks_.pivots() - panel.first_row : panel.width;
  const auto width = static_cast<std::size_t>(panel.width);
  for (const LocalIndex row : std::span(head.rows, width)) good = good && row >= 0 && row < rows;
  if (has_d(kind_)) {
    good = good && are_pairs(std::span<const T>(head.off_diagonal, width));
  }
  return good && head.number == number && head.failed < 0;
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class ParallelFront)

}  // namespace spsolve::sparse
