#include "sparse/ranks/shared_sweeps.hpp"

#include <algorithm>

#include "sparse/sweeps/row_products.hpp"

namespace spsolve::inline sparse {

using namespace column_blas;
using namespace row_products;

namespace {

constexpr Index rows_of_sweep = 512;

}  // namespace

template <typename T>
SharedSweeps<T>::SharedSweeps(const ParallelFront<T>& front, Team& team, Factorization kind,
                              LocalIndex first, std::span<const LocalIndex> border, bool transposed,
                              Index columns, const Tiles& tiles)
    : front_(front),
      team_(team),
      kind_(kind),
      first_(first),
      border_(border),
      transposed_(transposed && kind == Factorization::lu),
      columns_(columns),
      tiles_(tiles),
      blocks_(front.blocks()),
      triangles_(sweep_triangles(kind, transposed)),
      own_(blocks_.size(), nullptr),
      z_(blocks_.height() * columns),
      received_(blocks_.width() * columns) {
  for (const Block& block : front.own()) own_[block.number] = &block;
}

/// The row that a pivot's solution is for.
template <typename T>
LocalIndex SharedSweeps<T>::out(Index pivot) const {
  const bool moved = kind_ != Factorization::lu || transposed_;
  return first_ + (moved ? front_.rows()[pivot] : static_cast<LocalIndex>(pivot));
}

template <typename T>
void SharedSweeps<T>::receive_sum(Index block) {
  const std::span<T> rows = rows_of(block);
  const std::span<T> part = std::span(received_).first(rows.size());
  for (int rank = 0; rank < team_.size(); ++rank) {
    if (rank == team_.rank()) continue;
    receive(team_, part, rank);
    for (std::size_t i = 0; i < part.size(); ++i) rows[i] += part[i];
  }
}

/// Block by block: solve(block) on its rank once all ranks' parts of its rows are added up there,
/// and then update(block, from, to) of the rows from ... to - 1 that are still to come.
template <typename T>
template <typename Solve, typename Update>
void SharedSweeps<T>::by_columns(bool ascending, const Solve& solve, const Update& update) {
  const Index count = blocks_.pivot_blocks(), last = ascending ? blocks_.height() : 0;
  const int me = team_.rank();
  const auto pass_on = [&](Index block) {
    if (blocks_.owner(block) != me) send(team_, rows_of(block), blocks_.owner(block));
  };
  const auto update_all = [&](const Block& block, Index from, Index to) {
    tiles_.run_pieces(from, to, rows_of_sweep,
                      [&](Index first, Index end) { update(block, first, end); });
  };
  for (Index i = 0; i < count; ++i) {
    const Index number = ascending ? i : count - 1 - i;
    if (i == 0) pass_on(number);
    const Block* block = own_[number];
    if (block != nullptr) {
      receive_sum(number);
      solve(*block);
    }
    const bool more = i + 1 < count;
    const Index next = ascending ? number + 1 : number - 1;
    // The next block's rows go first.
    Index from = ascending ? blocks_.end(number) : begin(number);
    if (more) {
      const Index end = ascending ? blocks_.end(next) : begin(next);
      if (block != nullptr) update_all(*block, std::min(from, end), std::max(from, end));
      pass_on(next);
      from = end;
    }
    if (block != nullptr) update_all(*block, std::min(from, last), std::max(from, last));
  }
}

/// Block by block: solve(block) on its rank, which tells all, and update(block, number) of the own
/// blocks that are still to come by that one.
template <typename T>
template <typename Solve, typename Update>
void SharedSweeps<T>::by_rows(bool ascending, const Solve& solve, const Update& update) {
  const Index count = blocks_.pivot_blocks();
  const auto comes_after = [&](Index a, Index b) { return ascending ? a > b : a < b; };
  std::vector<const Block*> rest;
  const auto update_rest = [&](Index number, Index done) {
    rest.clear();
    for (const Block& block : front_.own()) {
      if (comes_after(block.number, number) && block.number != done) rest.push_back(&block);
    }
    tiles_.run(std::ssize(rest), [&](Index i, Index) { update(*rest[i], number); });
  };
  Index put_off = -1;  // a block whose updates wait until the next one is on its way
  for (Index i = 0; i < count; ++i) {
    const Index number = ascending ? i : count - 1 - i;
    if (own_[number] != nullptr) solve(*own_[number]);
    broadcast(team_, rows_of(number), blocks_.owner(number));
    if (put_off >= 0) update_rest(put_off, number);
    put_off = -1;
    const Index next = ascending ? number + 1 : number - 1;
    if (i + 1 < count && own_[next] != nullptr) {
      update(*own_[next], number);
      put_off = number;
    } else {
      update_rest(number, -1);
    }
  }
}

/// z of the pivots <- its sum over the ranks, on each.
template <typename T>
void SharedSweeps<T>::sum_over_ranks() {
  const std::size_t size = static_cast<std::size_t>(blocks_.pivots() * columns_);
  std::vector<T> all(size * static_cast<std::size_t>(team_.size()));
  team_.all_gather_bytes(std::as_bytes(std::span(z_).first(size)),
                         std::as_writable_bytes(std::span(all)));
  std::fill_n(z_.begin(), size, T(0));
  for (std::size_t i = 0; i < all.size(); ++i) z_[i % size] += all[i];
}

/// z of the pivots on every rank, from those that have found it.
template <typename T>
void SharedSweeps<T>::gather_found() {
  std::vector<Index> sizes(team_.size(), 0);
  for (Index b = 0; b < blocks_.pivot_blocks(); ++b) sizes[blocks_.owner(b)] += width(b) * columns_;
  std::vector<T> all(static_cast<std::size_t>(blocks_.pivots() * columns_));
  std::vector<Index> next(team_.size(), 0);
  for (int rank = 1; rank < team_.size(); ++rank) next[rank] = next[rank - 1] + sizes[rank - 1];
  const auto each_block = [&](const auto& visit) {
    std::vector<Index> place = next;
    for (Index b = 0; b < blocks_.pivot_blocks(); ++b) {
      const int owner = blocks_.owner(b);
      visit(owner, rows_of(b), all.begin() + place[owner]);
      place[owner] += width(b) * columns_;
    }
  };
  each_block([&](int owner, std::span<T> rows, auto place) {
    if (owner == team_.rank()) std::copy(rows.begin(), rows.end(), place);
  });
  all_gather_parts(team_, std::span(all), std::span<const Index>(sizes));
  each_block(
      [&](int, std::span<T> rows, auto place) { std::copy_n(place, rows.size(), rows.begin()); });
}

template <typename T>
void SharedSweeps<T>::forward(T* b, T* y) {
  const Index p = blocks_.pivots(), m = blocks_.border(), columns = columns_;
  for (Index k = 0; k < p; ++k) {
    const Index row = first_ + (transposed_ ? static_cast<LocalIndex>(k) : front_.rows()[k]);
    std::copy_n(b + row * columns, columns, z_.begin() + k * columns);
  }
  std::fill_n(z_.begin() + p * columns, m * columns, T(0));
  const auto solve = [&](const Block& block) {
    solve_rows(triangles_.first, block.width(), columns, diagonal(block), block.factors.ld(),
               z_.data() + block.begin * columns);
  };
  if (transposed_) {
    sum_over_ranks();
    by_rows(true, solve, [&](const Block& block, Index by) {
      subtract_transposed_product(width(by), block.width(), columns, block.factors.at(begin(by)),
                                  block.factors.ld(), z_.data() + begin(by) * columns,
                                  z_.data() + block.begin * columns);
    });
  } else {
    by_columns(true, solve, [&](const Block& block, Index from, Index to) {
      subtract_product(to - from, block.width(), columns, block.factors.at(from),
                       block.factors.ld(), z_.data() + block.begin * columns,
                       z_.data() + from * columns);
    });
  }
  for (const Block& block : front_.own()) {
    if (blocks_.is_border(block.number)) continue;
    T* found = y + (first_ + block.begin) * columns;
    std::copy_n(z_.begin() + block.begin * columns, block.width() * columns, found);
    if (has_d(kind_)) {
      divide_by_d(is_hermitian(kind_), block.width(), diagonal(block), block.factors.ld(),
                  front_.off_diagonal().data() + block.begin, columns, found);
    }
  }
  for (Index i = 0; i < m; ++i) {
    T* row = b + border_[i] * columns;
    for (Index c = 0; c < columns; ++c) row[c] += z_[(p + i) * columns + c];
  }
}

template <typename T>
void SharedSweeps<T>::backward(const T* y, T* x) {
  const Index p = blocks_.pivots(), m = blocks_.border(), columns = columns_;
  const bool columns_of_u = kind_ == Factorization::lu && !transposed_;
  std::fill_n(z_.begin(), p * columns, T(0));
  for (Index i = 0; i < m; ++i)
    std::copy_n(x + border_[i] * columns, columns, z_.begin() + (p + i) * columns);
  const T* of_border = z_.data() + p * columns;
  const auto solve = [&](const Block& block) {
    T* own = z_.data() + block.begin * columns;
    if (columns_of_u) {  // the others' parts have been added up
      const T* found = y + (first_ + block.begin) * columns;
      for (Index i = 0; i < block.width() * columns; ++i) own[i] += found[i];
    }
    solve_rows(triangles_.second, block.width(), columns, diagonal(block), block.factors.ld(), own);
  };
  if (columns_of_u) {
    tiles_.run_pieces(0, p, rows_of_sweep, [&](Index from, Index to) {
      for (const Block& block : front_.own()) {
        if (!blocks_.is_border(block.number)) continue;
        subtract_product(to - from, block.width(), columns, block.factors.at(from),
                         block.factors.ld(), z_.data() + block.begin * columns,
                         z_.data() + from * columns);
      }
    });
    by_columns(false, solve, [&](const Block& block, Index from, Index to) {
      subtract_product(to - from, block.width(), columns, block.factors.at(from),
                       block.factors.ld(), z_.data() + block.begin * columns,
                       z_.data() + from * columns);
    });
    gather_found();
  } else {
    const auto own = front_.own();
    tiles_.run(std::ssize(own), [&](Index i, Index) {
      const Block& block = own[i];
      if (blocks_.is_border(block.number)) return;
      T* rows = z_.data() + block.begin * columns;
      std::copy_n(y + (first_ + block.begin) * columns, block.width() * columns, rows);
      subtract_transposed_product(m, block.width(), columns, block.factors.at(p),
                                  block.factors.ld(), of_border, rows);
    });
    by_rows(false, solve, [&](const Block& block, Index by) {
      subtract_transposed_product(width(by), block.width(), columns, block.factors.at(begin(by)),
                                  block.factors.ld(), z_.data() + begin(by) * columns,
                                  z_.data() + block.begin * columns);
    });
  }
  for (Index k = 0; k < p; ++k) {
    std::copy_n(z_.begin() + k * columns, columns, x + static_cast<Index>(out(k)) * columns);
  }
}

SPSOLVE_INSTANTIATE_FOR_FACTORS(class SharedSweeps)

}  // namespace spsolve::sparse
