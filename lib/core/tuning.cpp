#include "core/tuning.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spsolve::inline core {

namespace {

/// Appends lines of a kind, a name and a value to a table.
struct Lines {
  void operator()(const char* kind, const char* name, const auto& value) {
    table += fmt::format("{:5} {:29} {}\n", kind, name, value);
  }
  std::string table;
};

void add_host(const HostTuning& host, Lines& line) {
  line("host", "panels_of_matrix", host.panels_of_matrix);
  line("host", "least_panel", host.least_panel);
  line("host", "most_panel", host.most_panel);
  line("host", "parallel_elimination", host.parallel_elimination);
  line("host", "swap_columns", host.swap_columns);
  line("host", "least_order_for_sparse", host.least_order_for_sparse);
  line("host", "most_density_for_sparse", host.most_density_for_sparse);
  line("host", "most_density_of_complex_symmetric", host.most_density_of_complex_symmetric);
  line("host", "least_order_of_few", host.least_order_of_few);
  line("host", "few_nonzeros_a_row", host.few_nonzeros_a_row);
  line("host", "bytes_per_second", host.bytes_per_second);
  line("host", "blocked_flops_per_second", host.blocked_flops_per_second);
  line("host", "columnwise_flops_per_second", host.columnwise_flops_per_second);
  line("host", "least_nonzeros_of_format", host.least_nonzeros_of_format);
  line("host", "rows_of_type_run", host.rows_of_type_run);
  line("host", "nonzeros_of_sliced_row", host.nonzeros_of_sliced_row);
  line("host", "rows_of_group", host.rows_of_group);
  line("host", "most_grouped_nonzeros", host.most_grouped_nonzeros);
  line("host", "sparse_flops_per_second", host.sparse_flops_per_second);
  line("host", "seconds_of_sparse_entry", host.seconds_of_sparse_entry);
  line("host", "seconds_of_entry_in_gmres", host.seconds_of_entry_in_gmres);
  line("host", "seconds_of_matched_entry", host.seconds_of_matched_entry);
  line("host", "nonzeros_of_thread", host.nonzeros_of_thread);
  line("host", "dense_rows_of_thread", host.dense_rows_of_thread);
  line("host", "least_order_for_iteration", host.least_order_for_iteration);
  line("host", "worthwhile_iteration", host.worthwhile_iteration);
  line("host", "steps_of_trial", host.steps_of_trial);
  line("host", "worthwhile_estimate", host.worthwhile_estimate);
  line("host", "seconds_of_incomplete", host.seconds_of_incomplete);
  line("host", "seconds_of_symmetric_step", host.seconds_of_symmetric_step);
  line("host", "seconds_of_unsymmetric_step", host.seconds_of_unsymmetric_step);
  line("host", "logarithm_of_steps", host.logarithm_of_steps);
  line("host", "seconds_of_analysed_nonzero", host.seconds_of_analysed_nonzero);
  line("host", "seconds_of_analysed_row", host.seconds_of_analysed_row);
  line("host", "least_order_for_multigrid", host.least_order_for_multigrid);
  line("host", "replicated_level_nonzeros", host.replicated_level_nonzeros);
  line("host", "seconds_of_setup", host.seconds_of_setup);
  line("host", "seconds_of_iteration", host.seconds_of_iteration);
  line("host", "seconds_of_estimates", host.seconds_of_estimates);
  line("host", "power_of_threads", host.power_of_threads);
  line("host", "seconds_of_entry_in_estimates", host.seconds_of_entry_in_estimates);
  line("host", "least_flops_over_ranks", host.least_flops_over_ranks);
  line("host", "flops_worth_a_note", host.flops_worth_a_note);
  line("host", "bytes_between_ranks", host.bytes_between_ranks);
  line("host", "seconds_of_message", host.seconds_of_message);
  line("host", "most_by_minimum_degree", host.most_by_minimum_degree);
  line("host", "degree_of_solids", host.degree_of_solids);
  line("host", "most_spread_of_degrees", host.most_spread_of_degrees);
  line("host", "seconds_of_dissected_vertex", host.seconds_of_dissected_vertex);
}

void add_gpu(const GpuTuning& gpu, Lines& line) {
  line("gpu", "replicated_level_nonzeros", gpu.replicated_level_nonzeros);
  line("gpu", "least_order", gpu.least_order);
  line("gpu", "usable_memory", gpu.usable_memory);
  line("gpu", "bytes_over_link", gpu.bytes_over_link);
  line("gpu", "least_nonzeros_to_start_ahead", gpu.least_nonzeros_to_start_ahead);
  line("gpu", "seconds_of_driver", gpu.seconds_of_driver);
  line("gpu", "seconds_of_start", gpu.seconds_of_start);
  line("gpu", "least_order_for_iteration", gpu.least_order_for_iteration);
  line("gpu", "seconds_of_setup", gpu.seconds_of_setup);
  line("gpu", "seconds_of_solves", gpu.seconds_of_solves);
  line("gpu", "seconds_of_estimates", gpu.seconds_of_estimates);
  line("gpu", "blocked_flops_per_second", gpu.blocked_flops_per_second);
  line("gpu", "columnwise_flops_per_second", gpu.columnwise_flops_per_second);
  line("gpu", "sparse_flops_per_second", gpu.sparse_flops_per_second);
  line("gpu", "seconds_of_sparse_entry", gpu.seconds_of_sparse_entry);
  line("gpu", "seconds_of_level", gpu.seconds_of_level);
  line("gpu", "seconds_of_front_pivot", gpu.seconds_of_front_pivot);
  line("gpu", "seconds_of_dense_column", gpu.seconds_of_dense_column);
  line("gpu", "seconds_of_run_column", gpu.seconds_of_run_column);
  line("gpu", "seconds_of_gmres_step", gpu.seconds_of_gmres_step);
  line("gpu", "least_flops_over_ranks", gpu.least_flops_over_ranks);
  line("gpu", "least_bytes_over_ranks", gpu.least_bytes_over_ranks);
  line("gpu", "seconds_to_share", gpu.seconds_to_share);
  line("gpu", "bytes_between_ranks", gpu.bytes_between_ranks);
  line("gpu", "seconds_of_message", gpu.seconds_of_message);
  line("gpu", "least_order_for_all", gpu.least_order_for_all);
  line("gpu", "least_mixed_order", gpu.least_mixed_order);
  line("gpu", "one_panel_order", gpu.one_panel_order);
  line("gpu", "narrow_panel", gpu.narrow_panel);
  line("gpu", "wide_panel_order", gpu.wide_panel_order);
  line("gpu", "wide_panel", gpu.wide_panel);
  line("gpu", "shared_orders", gpu.shared_orders);
  line("gpu", "shared_panels", gpu.shared_panels);
  line("gpu", "shared_wide_panel", gpu.shared_wide_panel);
  line("gpu", "wide_order_a_gpu", gpu.wide_order_a_gpu);
  line("gpu", "rows_that_hide_a_panel", gpu.rows_that_hide_a_panel);
  line("gpu", "rows_searched_at_once", gpu.rows_searched_at_once);
  line("gpu", "rows_for_each", gpu.rows_for_each);
  line("gpu", "leaves_at_once", gpu.leaves_at_once);
  line("gpu", "panel_processors", gpu.panel_processors);
  line("gpu", "seconds_of_run", gpu.seconds_of_run);
  line("gpu", "bytes_per_second", gpu.bytes_per_second);
  line("gpu", "seconds_of_empty_step", gpu.seconds_of_empty_step);
  line("gpu", "column_pieces", gpu.column_pieces);
  line("gpu", "panels_of_piece", gpu.panels_of_piece);
  line("gpu", "nccl_blocks_beside_work", gpu.nccl_blocks_beside_work);
  line("gpu", "message_piece", gpu.message_piece);
  line("gpu", "clearly_faster", gpu.clearly_faster);
}

}  // namespace

std::string tuning_table() {
  Lines lines;
  add_host(host_tuning, lines);
  add_gpu(gpu_tuning, lines);
  return std::move(lines.table);
}

}  // namespace spsolve::core
