// Every kernel of the table against the serial product.

#include <gtest/gtest.h>

#include "matrix/generate/generate.hpp"
#include "multiply/kernel/kernel.hpp"

namespace spsolve {
namespace {

TEST(KernelTable, NamesAreUnique) {
  const auto table = host_kernels();
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(table[i].name, table[j].name);
  }
}

}  // namespace
}  // namespace spsolve
