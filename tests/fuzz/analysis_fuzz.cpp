// Any bytes as the file of an analysis, with their checksums made good so that the contents after
// them are reached: refused by one Error of the input, or taken, and then every elimination by it
// stays within its fronts. Half of the inputs are changed number by number, which keeps them near
// to files that are taken.

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/require.hpp"
#include "helpers/checkpoint_bytes.hpp"
#include "helpers/whole_elimination.hpp"
#include "matrix/multivector.hpp"
#include "sparse/analysis/analysis_file.hpp"

namespace {

using namespace spsolve;

std::shared_ptr<const SparseAnalysis> taken(const std::vector<std::uint8_t>& bytes) {
  const fuzz::MemoryFile file(bytes);
  try {
    return std::make_shared<SparseAnalysis>(load_analysis(file.path()));
  } catch (const Error& error) {
    fuzz::require(error.code() == ExitCode::input, "an error that is not the input's");
    return nullptr;
  }
}

void solve_all_ways(test::WholeElimination<double>& elimination, Index n) {
  for (const Index columns : {1, 3}) {
    for (const bool transposed : {false, true}) {
      std::vector<double> b = random_multivector(n, columns, 7).values, x;
      elimination.solve(transposed, columns, b, x);
    }
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// Changes a number of one section: to one next to it, to another one of the section, or both swap.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand chance(seed);
  const auto sections = test::sections_of(std::span(data, size));
  if (chance() % 2 == 0 || sections.empty()) return LLVMFuzzerMutate(data, size, most);
  const auto& [first, bytes] = sections[chance() % sections.size()];
  const std::size_t width = chance() % 2 == 0 ? sizeof(LocalIndex) : sizeof(Index);
  const auto count = static_cast<std::size_t>(bytes) / width;
  if (count == 0) return LLVMFuzzerMutate(data, size, most);
  std::uint8_t* const one = data + first + chance() % count * width;
  std::uint8_t* const other = data + first + chance() % count * width;
  Index value = 0;
  switch (chance() % 4) {
    case 0:
      std::swap_ranges(one, one + width, other);
      break;
    case 1:
      std::memmove(one, other, width);
      break;
    default:
      std::memcpy(&value, one, width);
      value += chance() % 2 == 0 ? 1 : -1;
      std::memcpy(one, &value, width);
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> bytes(data, data + size);
  taken(bytes);
  const auto analysis = taken(test::with_good_sums(bytes));
  if (analysis == nullptr) return 0;
  const auto room = static_cast<Index>(size);
  fuzz::require(analysis->rows() <= room && analysis->nonzeros <= room && analysis->bytes() <= room,
                "more than there can be");
  fuzz::require(std::isfinite(analysis->flops) && std::isfinite(analysis->seconds),
                "figures that are none");
  const std::vector<double> values = random_multivector(analysis->nonzeros, 1, 7).values;
  test::WholeElimination<double> elimination(analysis);
  if (elimination.factor(analysis->kind, values).failed < 0) {
    solve_all_ways(elimination, analysis->rows());
  }
  if (analysis->kind == Factorization::cholesky) return 0;
  if (elimination.factor_with_threshold(analysis->kind, values).rows.empty()) {
    solve_all_ways(elimination, analysis->rows());
  }
  return 0;
}
