#include "vectors/basic_band_matrix.hpp"

#include "vectors/products/kernel_rows.hpp"

namespace spsolve::inline vectors {

template <typename T>
BasicBandMatrix<T>::BasicBandMatrix(Team& team, const RowLayout& row_layout, HaloPlan plan,
                                    const VectorMemory& memory)
    : team_(team),
      row_layout_(row_layout),
      halo_(team, std::move(plan)),
      memory_(memory),
      carrier_(together(team, [&] { return memory.halo_carrier(team, halo_.plan()); })) {}

template <typename T>
BasicBandMatrix<T>::BasicBandMatrix(Team& team, const RowLayout& row_layout,
                                    const RowLayout& column_layout, CompressedRows&& rows,
                                    const VectorMemory& memory, const Kernel& kernel,
                                    const KernelOptions& options)
    : BasicBandMatrix(team, row_layout, make_halo_plan(team, column_layout, rows.global_columns),
                      memory) {
  together(team, [&] {
    SplitRows<T> split = split_rows<T>(std::move(rows), plan());
    share_ = {.rows = split.interior.rows,
              .x_rows = plan().own.size(),
              .interior_nonzeros = split.interior.nonzeros(),
              .boundary_nonzeros = split.boundary.nonzeros(),
              .boundary_rows = split.boundary.rows,
              .halo_rows = plan().halo_rows(),
              .sent_rows = plan().sent_rows(),
              .neighbours = static_cast<int>(plan().receives.size())};
    const Kernel& plain = find_kernel(memory.kernels(), memory.plain_kernel());
    KernelParts<T> parts(std::move(split), kernel, plain, options, team.rank(), team.size() == 1);
    share_.bytes = parts.bytes();
    share_.rounds_mirrors = parts.rounds_mirrors;
    local_ = maker<T>(memory).product(std::move(parts));
  });
}

template <typename T>
void BasicBandMatrix<T>::multiply(const T* x, T* y, Index columns) {
  try {
    local_->multiply(*carrier_, x, y, columns);
  } catch (...) {
    carrier_->release();  // no message stays under way
    throw;
  }
}

template <typename T>
ProductTimes BasicBandMatrix<T>::finish() {
  ProductTimes times = local_->finish();
  const HaloTimes of_halo = carrier_->times();
  times.pack = of_halo.pack;
  times.exchange = of_halo.exchange;
  return times;
}

SPSOLVE_INSTANTIATE(class BasicBandMatrix)

}  // namespace spsolve::vectors
