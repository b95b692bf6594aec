// Dense neighbourhoods, bands and dense test matrices.

#include "matrix/generate/generated_rows.hpp"
#include "matrix/generate/generator_keys.hpp"

namespace spsolve::inline matrix::generated {

Csr<double> grid3d27(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0], unknowns = arguments.sizes[1];
  const std::uint64_t key = key_of(arguments.seed, for_values);
  const auto neighbours = [n](Index x) { return 1 + (x > 0) + (x + 1 < n); };
  const auto length = [=](Index i) {
    const Index node = i / unknowns;
    return neighbours(node % n) * neighbours(node / n % n) * neighbours(node / n / n) * unknowns;
  };
  const Index rows = n * n * n * unknowns;
  return build(
      arguments, rows, rows, 27.0 * static_cast<double>(unknowns), length, [=](Index i, Row row) {
        const Index node = i / unknowns;
        const Index x = node % n, y = node / n % n, z = node / n / n;
        Index diagonal = 0;
        double sum = 1.0;
        for (Index zz = std::max<Index>(z - 1, 0); zz <= std::min(z + 1, n - 1); ++zz) {
          for (Index yy = std::max<Index>(y - 1, 0); yy <= std::min(y + 1, n - 1); ++yy) {
            const Index line = (zz * n + yy) * n;
            const Index first = (line + std::max<Index>(x - 1, 0)) * unknowns;
            const Index last = (line + std::min(x + 1, n - 1) + 1) * unknowns;
            for (Index j = first; j < last; ++j) {
              if (j == i) {
                diagonal = row.written;
                row.put(i, 0.0);
                continue;
              }
              // The pair (smaller, larger) as one number: both fit 31 bits.
              const auto pair = static_cast<std::uint64_t>(std::min(i, j) << 32 | std::max(i, j));
              const double value = unit_interval(random_bits(key, pair)) - 1.0;
              row.put(j, value);
              sum -= value;
            }
          }
        }
        row.values[diagonal] = sum;
      });
}

Csr<double> tridiagonal(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0];
  return build(
      arguments, n, n, 3, [n](Index i) { return 1 + (i > 0) + (i + 1 < n); },
      [n](Index i, Row row) {
        for (Index j = std::max<Index>(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
          row.put(j, i == j ? 2.0 : -1.0);
        }
      });
}

Csr<double> hilbert(const GeneratorArguments& arguments) {
  return build_full(arguments, arguments.sizes[0], arguments.sizes[0],
                    [](Index i, Index j) { return 1.0 / static_cast<double>(i + j + 1); });
}

Csr<double> gfpp(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0];
  return build(
      arguments, n, n, 0.5 * static_cast<double>(n), [n](Index i) { return std::min(i + 2, n); },
      [n](Index i, Row row) {
        for (Index j = 0; j <= i; ++j) {
          row.put(j, i == j ? 1.0 : -1.0);
        }
        if (i + 1 < n) row.put(n - 1, 1.0);
      });
}

}  // namespace spsolve::matrix::generated
