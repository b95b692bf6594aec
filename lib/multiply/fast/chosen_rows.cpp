#include "multiply/fast/chosen_rows.hpp"

#include <omp.h>

#include "core/tuning.hpp"
#include "multiply/fast/fast_groups.hpp"
#include "multiply/fast/fast_sliced.hpp"
#include "multiply/fast/fast_types.hpp"

namespace spsolve::inline multiply {

namespace {

/// The runs of rows of one type, wherever the parts that they were found in begin.
Index runs_of(const RowTypes& types) {
  Index runs = 0;
  LocalIndex before = -1;
  for (const std::vector<RowRun>& part : types.runs) {
    for (const RowRun& run : part) {
      if (run.type != before) ++runs;
      before = run.type;
    }
  }
  return runs;
}

}  // namespace

std::unique_ptr<RowBlockProduct<double>> choose_rows(const Csr<double>& rows) {
  const HostTuning& tuning = host_tuning;
  const int threads = omp_get_max_threads();
  const auto count = static_cast<double>(rows.rows);
  // To find the types of all rows takes as long as some products.
  if (sampled_run(rows) >= tuning.rows_of_type_run) {
    const RowTypes types = find_row_types(rows, threads);
    if (rows_repeat(rows.rows, std::ssize(types.examples)) &&
        count >= tuning.rows_of_type_run * static_cast<double>(runs_of(types))) {
      return std::make_unique<TypedRows<double>>(rows, types, threads);
    }
  }
  const KernelOptions options{1, threads};
  if (real_form_kind(rows) != RealFormKind::none) {
    return std::make_unique<ComplexRows<double>>(ComplexRows<double>::from_csr(rows, options));
  }
  const bool are_short =
      static_cast<double>(rows.nonzeros()) < tuning.nonzeros_of_sliced_row * count;
  if (are_short && grouping_of(rows) < tuning.rows_of_group) {
    return std::make_unique<SlicedRows<double>>(SlicedRows<double>::from_csr(rows, options));
  }
  if (!are_short && rows.nonzeros() > tuning.most_grouped_nonzeros) return nullptr;
  return std::make_unique<GroupedCsr<double>>(GroupedCsr<double>::from_csr(rows, options));
}

}  // namespace spsolve::multiply
