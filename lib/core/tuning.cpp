#include "core/tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spsolve {

std::string tuning_table() {
  std::string table;
  const auto line = [&](const char* kind, const char* name, const auto& value) {
    table += fmt::format("{:5} {:24} {}\n", kind, name, value);
  };
  const HostTuning& host = host_tuning;
  line("host", "panels_of_matrix", host.panels_of_matrix);
  line("host", "least_panel", host.least_panel);
  line("host", "most_panel", host.most_panel);
  line("host", "parallel_elimination", host.parallel_elimination);
  line("host", "swap_columns", host.swap_columns);
  line("host", "least_order_for_sparse", host.least_order_for_sparse);
  line("host", "most_density_for_sparse", host.most_density_for_sparse);
  line("host", "least_order_of_few", host.least_order_of_few);
  line("host", "few_nonzeros_a_row", host.few_nonzeros_a_row);
  line("host", "sparse_flops_per_second", host.sparse_flops_per_second);
  line("host", "seconds_of_sparse_entry", host.seconds_of_sparse_entry);
  line("host", "most_by_minimum_degree", host.most_by_minimum_degree);
  line("host", "degree_of_solids", host.degree_of_solids);
  line("host", "most_spread_of_degrees", host.most_spread_of_degrees);
  line("host", "seconds_of_dissected_vertex", host.seconds_of_dissected_vertex);
  const GpuTuning& gpu = gpu_tuning;
  line("gpu", "least_order", gpu.least_order);
  line("gpu", "least_order_for_all", gpu.least_order_for_all);
  line("gpu", "least_mixed_order", gpu.least_mixed_order);
  line("gpu", "one_panel_order", gpu.one_panel_order);
  line("gpu", "narrow_panel", gpu.narrow_panel);
  line("gpu", "wide_panel_order", gpu.wide_panel_order);
  line("gpu", "wide_panel", gpu.wide_panel);
  line("gpu", "shared_orders", gpu.shared_orders);
  line("gpu", "shared_panels", gpu.shared_panels);
  line("gpu", "wide_order_a_gpu", gpu.wide_order_a_gpu);
  line("gpu", "rows_that_hide_a_panel", gpu.rows_that_hide_a_panel);
  line("gpu", "panel_processors", gpu.panel_processors);
  line("gpu", "seconds_of_run", gpu.seconds_of_run);
  line("gpu", "bytes_per_second", gpu.bytes_per_second);
  line("gpu", "seconds_of_empty_step", gpu.seconds_of_empty_step);
  line("gpu", "column_pieces", gpu.column_pieces);
  line("gpu", "panels_of_piece", gpu.panels_of_piece);
  line("gpu", "nccl_blocks_beside_work", gpu.nccl_blocks_beside_work);
  line("gpu", "message_piece", gpu.message_piece);
  line("gpu", "clearly_faster", gpu.clearly_faster);
  return table;
}

}  // namespace spsolve
