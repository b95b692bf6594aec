#include "vectors/host_vectors.hpp"

#include <algorithm>
#include <cmath>

#include "core/extremes.hpp"

namespace spsolve {

namespace {

/// Rows whose terms are summed up one after another; the sums of such blocks are added in order.
constexpr Index block_rows = 4096;

/// Elements that are worth waking threads for.
constexpr Index worthwhile = 1 << 14;

/// Calls work(first, last, sums) for blocks of rows, in threads, each with K numbers of its own,
/// and combines those of all blocks, in their order, into `result`.
template <typename Work, typename Combine>
void over_blocks(Index rows, std::span<double> result, const Work& work, const Combine& combine) {
  const Index blocks = (rows + block_rows - 1) / block_rows;
  const auto columns = static_cast<Index>(result.size());
  std::vector<double> sums(static_cast<std::size_t>(blocks * columns));
#pragma omp parallel for schedule(static) if (rows * columns > worthwhile)
  for (Index block = 0; block < blocks; ++block) {
    work(block * block_rows, std::min((block + 1) * block_rows, rows),
         sums.data() + block * columns);
  }
  std::ranges::fill(result, 0.0);
  for (Index k = 0; k < blocks * columns; ++k) {
    double& total = result[static_cast<std::size_t>(k % columns)];
    total = combine(total, sums[static_cast<std::size_t>(k)]);
  }
}

}  // namespace

HostVectors& on_host(Vectors& x) {
  return dynamic_cast<HostVectors&>(x);
}
const HostVectors& on_host(const Vectors& x) {
  return dynamic_cast<const HostVectors&>(x);
}

HostVectors::HostVectors(Team& team, const RowLayout& layout, Index columns)
    : Vectors(team, layout, columns), values_(static_cast<std::size_t>(height() * columns)) {}

std::unique_ptr<Vectors> HostVectors::similar(Index columns) const {
  return std::make_unique<HostVectors>(team(), layout(), columns);
}

void HostVectors::write_rows(Range rows, std::span<const double> values) {
  std::copy_n(values.begin(), rows.size() * columns(), row(rows.first));
}

void HostVectors::read_rows(Range rows, std::span<double> values) const {
  std::copy_n(row(rows.first), rows.size() * columns(), values.begin());
}

void HostVectors::fill(double value) {
  std::ranges::fill(values_, value);
}

void HostVectors::copy_columns(const Vectors& y, Index from, Index to, Index count) {
  const HostVectors& other = on_host(y);
#pragma omp parallel for schedule(static) if (height() * count > worthwhile)
  for (Index i = 0; i < height(); ++i) std::copy_n(other.row(i) + from, count, row(i) + to);
}

void HostVectors::add_multiples(std::span<const double> factors, const Vectors& y) {
  const HostVectors& other = on_host(y);
#pragma omp parallel for schedule(static) if (height() * columns() > worthwhile)
  for (Index i = 0; i < height(); ++i) {
    double* const mine = row(i);
    const double* const theirs = other.row(i);
    for (Index c = 0; c < columns(); ++c) mine[c] += factors[c] * theirs[c];
  }
}

void HostVectors::scale_columns(std::span<const double> factors) {
#pragma omp parallel for schedule(static) if (height() * columns() > worthwhile)
  for (Index i = 0; i < height(); ++i) {
    double* const mine = row(i);
    for (Index c = 0; c < columns(); ++c) mine[c] = factors[c] == 0 ? 0.0 : factors[c] * mine[c];
  }
}

void HostVectors::scale_rows(const Vectors& d) {
  const HostVectors& factors = on_host(d);
#pragma omp parallel for schedule(static) if (height() * columns() > worthwhile)
  for (Index i = 0; i < height(); ++i) {
    double* const mine = row(i);
    for (Index c = 0; c < columns(); ++c) mine[c] *= *factors.row(i);
  }
}

void HostVectors::own_dots(const Vectors& y, std::span<double> sums) const {
  const HostVectors& other = on_host(y);
  over_blocks(
      height(), sums,
      [&](Index first, Index last, double* block) {
        for (Index i = first; i < last; ++i) {
          for (Index c = 0; c < columns(); ++c) block[c] += row(i)[c] * other.row(i)[c];
        }
      },
      [](double a, double b) { return a + b; });
}

void HostVectors::own_maxima(std::span<double> largest) const {
  over_blocks(
      height(), largest,
      [&](Index first, Index last, double* block) {
        for (Index i = first; i < last; ++i) {
          for (Index c = 0; c < columns(); ++c) block[c] = larger(block[c], std::abs(row(i)[c]));
        }
      },
      [](double a, double b) { return larger(a, b); });
}

}  // namespace spsolve
