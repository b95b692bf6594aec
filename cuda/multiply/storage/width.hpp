#pragma once

#include <string_view>
#include <type_traits>

namespace spsolve::cuda::inline multiply {

/// Throws Error(input): `kernel` has no width `width`.
[[noreturn]] void fail_width(std::string_view kernel, int width);

/// Calls `launch(std::integral_constant<int, w>)` for the one w of `widths` that is `width`, or
/// `usual` where that is 0. Throws Error(input) where it is none of them.
template <int... widths, typename Launch>
void with_width(std::string_view kernel, int width, int usual, Launch launch) {
  const int wanted = width == 0 ? usual : width;
  const bool found =
      ((wanted == widths ? (launch(std::integral_constant<int, widths>{}), true) : false) || ...);
  if (!found) fail_width(kernel, width);
}

}  // namespace spsolve::cuda::multiply
