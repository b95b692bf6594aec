#pragma once

#include <span>
#include <vector>

#include "core/scalar.hpp"

namespace spsolve::inline vectors {

/// The real numbers that numbers are made of, where they lie: themselves, or real and imaginary
/// parts in turn.
template <typename F>
std::span<Real<F>> parts_of(std::span<F> numbers) {
  constexpr std::size_t parts = is_complex<F> ? 2 : 1;
  return {reinterpret_cast<Real<F>*>(numbers.data()), parts * numbers.size()};
}
template <typename F>
std::span<Real<F>> parts_of(std::vector<F>& numbers) {
  return parts_of(std::span<F>(numbers));
}

}  // namespace spsolve::vectors
