// Any bytes as the file of an order of elimination: a permutation, or one Error of the input.

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/require.hpp"
#include "io/order_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spsolve;
  constexpr Index rows = 6;
  const fuzz::MemoryFile file({data, data + size});
  try {
    std::vector<LocalIndex> order = read_order(file.path(), rows);
    std::sort(order.begin(), order.end());
    fuzz::require(order == std::vector<LocalIndex>{0, 1, 2, 3, 4, 5}, "no permutation");
  } catch (const Error& error) {
    fuzz::require(error.code() == ExitCode::input || error.code() == ExitCode::resources,
                  "an error that is neither the input's nor the resources'");
  }
  return 0;
}
