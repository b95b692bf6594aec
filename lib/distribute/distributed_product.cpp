#include "distribute/distributed_product.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "matrix/symmetry.hpp"
#include "multiply/kernel/row_types.hpp"

namespace spsolve::inline distribute {

template <typename T>
MatrixFacts facts_for(const Kernel& kernel, const Csr<T>& rows, Index columns) {
  MatrixFacts facts{rows.rows, rows.columns, rows.nonzeros(), 0, false};
  for (Index i = 0; i < rows.rows; ++i) {
    facts.longest_row = std::max(facts.longest_row, rows.row_offsets[i + 1] - rows.row_offsets[i]);
  }
  const auto refused = [&] { return !kernel.refuse(facts, columns, sizeof(T)).empty(); };
  if (refused()) facts.row_types = count_row_types(rows);
  if (refused()) facts.symmetric = symmetry_of(rows).symmetric;
  return facts;
}

template <typename T>
DistributedProduct<T>::DistributedProduct(Team& team, ProductBackend& backend, const Kernel& kernel,
                                          const KernelOptions& options, CompressedRows&& rows,
                                          const RowLayout& x_bands)
    : plan_(make_halo_plan(team, x_bands, rows.global_columns)) {
  const std::vector<LocalIndex> boundary_rows = together(team, [&] {
    const SplitRows<T> split = split_rows<T>(std::move(rows), plan_);
    const std::string reason = kernel.refuse(facts_for(kernel, split.interior, options.columns),
                                             options.columns, sizeof(T));
    if (!reason.empty()) {
      fail(
          ExitCode::input, "multiply.kernel={} does not take this matrix: {}{}; use another kernel",
          kernel.name, reason,
          team.size() == 1 ? ""
                           : fmt::format(" (the diagonal block of {} x {} that rank {} holds)",
                                         split.interior.rows, split.interior.columns, team.rank()));
    }
    interior_ = prepare<T>(kernel, split.interior, options);
    share_.bytes = interior_->bytes();
    if (split.boundary.rows > 0) {
      const bool takes = kernel
                             .refuse(facts_for(kernel, split.boundary, options.columns),
                                     options.columns, sizeof(T))
                             .empty();
      if (!takes) boundary_kernel_ = backend.plain_kernel();
      boundary_ = prepare<T>(takes ? kernel : find_kernel(backend.kernels(), boundary_kernel_),
                             split.boundary, options);
      share_.bytes += boundary_->bytes();
    }
    share_.rows = split.interior.rows;
    share_.x_rows = plan_.own.size();
    share_.interior_nonzeros = split.interior.nonzeros();
    share_.boundary_nonzeros = split.boundary.nonzeros();
    share_.boundary_rows = split.boundary.rows;
    share_.halo_rows = plan_.halo_rows();
    share_.sent_rows = plan_.sent_rows();
    share_.neighbours = static_cast<int>(plan_.receives.size());
    return split.boundary_rows;
  });
  device_ = maker<T>(backend).halo(team, plan_, boundary_rows);
}

template <typename T>
void DistributedProduct<T>::multiply(const T* x, T* y, Index columns) {
  device_->start(x, columns);
  device_->interior(*interior_, x, y, columns);
  device_->boundary(boundary_.get(), y, columns);
}

template <typename T>
std::string DistributedProduct<T>::detail() const {
  std::string text = interior_->detail();
  const std::string boundary = boundary_ == nullptr ? "" : boundary_->detail();
  if (!boundary.empty() || !boundary_kernel_.empty()) {
    text += fmt::format("{}boundary: {}", text.empty() ? "" : "; ",
                        boundary.empty() ? boundary_kernel_ : boundary);
  }
  return text;
}

SPSOLVE_INSTANTIATE_FUNCTION(facts_for)
SPSOLVE_INSTANTIATE(class DistributedProduct)

}  // namespace spsolve::distribute
