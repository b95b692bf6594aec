#include "cuda/multiply/storage/width.hpp"

#include "core/error.hpp"

namespace spsolve::cuda::inline multiply {

void fail_width(std::string_view kernel, int width) {
  fail(ExitCode::input, "{} takes a power of two up to 32 as its width, not {}", kernel, width);
}

}  // namespace spsolve::cuda::multiply
