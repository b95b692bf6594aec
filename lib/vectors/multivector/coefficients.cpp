#include "vectors/multivector/coefficients.hpp"

#include <vector>

#include "core/extremes.hpp"

namespace spsolve::inline vectors {

void Coefficients::reduce_over_ranks(Team& team, std::span<const SharedRow> rows) {
  if (team.size() == 1 || rows.empty()) return;
  const auto width = static_cast<std::size_t>(columns());
  const std::size_t mine = rows.size() * width, all = mine * static_cast<std::size_t>(team.size());
  std::vector<double> numbers(mine), of_ranks(all);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    read(rows[i].row, std::span(numbers).subspan(i * width, width));
  }
  team.all_gather_bytes(std::as_bytes(std::span(numbers)),
                        std::as_writable_bytes(std::span(of_ranks)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = i * width; k < (i + 1) * width; ++k) {
      numbers[k] = of_ranks[k];
      for (std::size_t other = mine + k; other < all; other += mine) {
        numbers[k] = rows[i].how == Reduction::sum ? numbers[k] + of_ranks[other]
                                                   : larger(numbers[k], of_ranks[other]);
      }
    }
    write(rows[i].row, std::span(numbers).subspan(i * width, width));
  }
}

}  // namespace spsolve::vectors
