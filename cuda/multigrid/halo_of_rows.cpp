#include "cuda/multigrid/halo_of_rows.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "cuda/core/stream.hpp"
#include "cuda/distribute/halo_kernels.hpp"
#include "cuda/multigrid/row_copies.hpp"
#include "cuda/vectors/products/transposed_rows.hpp"
#include "distribute/foreign_columns.hpp"
#include "distribute/halo/fetch_rows.hpp"
#include "distribute/redistribute.hpp"

namespace spsolve::cuda::inline multigrid {

DeviceArray<double> with_halo(const BandMatrix& matrix, DeviceArray<double> own, Index columns) {
  Team& team = matrix.team();
  if (team.size() == 1) return own;
  const HaloPlan& plan = matrix.halo().plan();
  const cudaStream_t stream = current_stream();
  const Dense<double> leaving = together(team, [&] {
    Dense<double> rows(plan.sent_rows(), columns);
    const DeviceArray<LocalIndex> list(plan.rows_to_send);
    DeviceArray<double> packed(std::ssize(rows.values));
    pack_rows(own.data(), list.data(), rows.rows, columns, packed.data(), stream);
    wait_for(stream);
    packed.download(rows.values);
    return rows;
  });
  const Dense<double> coming = matrix.halo().trade(leaving);
  return together(team, [&] {
    const Index own_size = matrix.own_rows().size() * columns;
    DeviceArray<double> all(own_size + std::ssize(coming.values));
    CUDA_CHECK(cudaMemcpyAsync(all.data(), own.data(),
                               static_cast<std::size_t>(own_size) * sizeof(double),
                               cudaMemcpyDeviceToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(all.data() + own_size, coming.values.data(),
                               coming.values.size() * sizeof(double), cudaMemcpyHostToDevice,
                               stream));
    wait_for(stream);
    return all;
  });
}

void leave_out_unnamed(NumberedRows& rows, Index own) {
  if (rows.others.empty()) return;
  const cudaStream_t stream = current_stream();
  const std::vector<unsigned char> named =
      named_columns(rows.rows.view(), own, std::ssize(rows.others), stream);
  std::vector<Index> kept;
  std::vector<LocalIndex> numbers;
  for (std::size_t k = 0; k < named.size(); ++k) {
    numbers.push_back(static_cast<LocalIndex>(own + std::ssize(kept)));
    if (named[k] != 0) kept.push_back(rows.others[k]);
  }
  if (kept.size() == rows.others.size()) return;
  renumber_columns(rows.rows, own, DeviceArray<LocalIndex>(numbers), own + std::ssize(kept),
                   stream);
  rows.others = std::move(kept);
}

RowsWithHalo with_halo_rows(Team& team, const HaloPlan& plan, const CsrView<double>& own,
                            const ColumnShare& columns) {
  if (team.size() == 1) return {own, std::nullopt, columns.others};
  const Csr<double> leaving = together(team, [&] {
    const DeviceArray<LocalIndex> list(plan.rows_to_send);
    Csr<double> rows = listed_rows(own, list, current_stream()).brought();
    name_columns(rows, columns.own, columns.others, columns.all);
    return rows;
  });
  Csr<double> halo = trade_rows(team, plan, leaving);
  return together(team, [&] {
    RowsWithHalo result;
    std::ranges::set_union(columns.others, foreign_columns(halo, columns.own),
                           std::back_inserter(result.others));
    number_columns(halo, columns.own, result.others);
    std::vector<LocalIndex> numbers;
    for (const Index other : columns.others) {
      const auto place = std::ranges::lower_bound(result.others, other) - result.others.begin();
      numbers.push_back(static_cast<LocalIndex>(columns.own.size() + place));
    }
    const DeviceCsr<double> below = DeviceCsr<double>::from_csr(halo, {});
    result.stacked = stacked_rows(own, columns.own.size(), DeviceArray<LocalIndex>(numbers),
                                  below.view(), halo.columns, current_stream());
    result.view = result.stacked->view();
    return result;
  });
}

NumberedRows transposed_over_ranks(Team& team, const RowLayout& fine, const RowLayout& coarse,
                                   const NumberedRows& p) {
  const Range own_fine = fine.band(team.rank()), own_coarse = coarse.band(team.rank());
  NumberedRows result;
  DeviceCsr<double> all =
      together(team, [&] { return transposed_rows(p.rows.view(), current_stream()); });
  if (team.size() == 1) {
    result.rows = std::move(all);
    return result;
  }
  const Csr<double> parts = together(team, [&] {
    std::vector<LocalIndex> list(p.others.size());
    std::iota(list.begin(), list.end(), static_cast<LocalIndex>(own_coarse.size()));
    Csr<double> rows =
        listed_rows(all.view(), DeviceArray<LocalIndex>(list), current_stream()).brought();
    name_columns(rows, own_fine, {}, fine.rows);
    return rows;
  });
  Csr<double> came = give_rows_back(team, coarse, p.others, parts);
  together(team, [&] {
    result.others = foreign_columns(came, own_fine);
    number_columns(came, own_fine, result.others);
    CsrView<double> own = all.view();
    own.rows = own_coarse.size();
    const DeviceCsr<double> others = DeviceCsr<double>::from_csr(came, {});
    result.rows = joined_rows(own, others.view(), came.columns, current_stream());
  });
  return result;
}

}  // namespace spsolve::cuda::multigrid
