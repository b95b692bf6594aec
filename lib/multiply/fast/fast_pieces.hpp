#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace spsolve::inline multiply::fast {

/// The parts of a matrix cut into pieces, which products go through forwards and backwards in
/// turns: each begins with what the one before it left in the caches, where one that begins at the
/// same end finds nothing there of a matrix that is larger than they are.
template <typename Piece>
class Pieces {
 public:
  /// Pieces that are added from now on are of the next part.
  void begin_part() { first_.push_back(all_.size()); }

  /// The piece to add to next, after a call with the rows and non-zeros that it is given next:
  /// the last one, or where that has its share, or is of the part before, what make() makes.
  template <typename Make>
  Piece& next(Index steps, Make&& make) {
    if (all_.size() == first_.back() || steps_ >= steps_of_piece) {
      all_.push_back(make());
      steps_ = 0;
    }
    steps_ += steps;
    return all_.back();
  }

  int parts() const { return static_cast<int>(first_.size()); }
  std::vector<Piece>& all() { return all_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(all_.size() * sizeof(Piece)); }

  /// work(piece) for those of a part, in the order of this product.
  template <typename Work>
  [[gnu::always_inline]] void for_each(int part, Work&& work) const {
    const std::size_t begin = first_[part];
    const std::size_t end = part + 1 < parts() ? first_[part + 1] : all_.size();
    const bool backwards = backwards_;
    for (std::size_t k = begin; k < end; ++k) work(all_[backwards ? end - 1 - (k - begin) : k]);
  }

  /// Called after each product.
  void turn() { backwards_ = !backwards_; }

 private:
  /// Little compared with the caches that it may stay in.
  static constexpr Index steps_of_piece = 4096;

  std::vector<Piece> all_;
  std::vector<std::size_t> first_;  // of each part
  Index steps_ = 0;                 // of the last one
  bool backwards_ = false;
};

}  // namespace spsolve::multiply::fast
