#pragma once

#include <string>

#include "core/types.hpp"

namespace spsolve::inline core {

// Where one way of working becomes better than another one, by the kind of device: numbers that
// were measured, and are measured anew for another kind. Sizes that kernels are compiled with stand
// with the kernels.

/// A host: some cores with caches, and memory.
struct HostTuning {
  /// Columns of a panel: of a matrix of order n, n / panels_of_matrix in multiples of 8 between the
  /// two. Wide panels bring the update to the rate of dgemm, and cost latency while it is small.
  Index panels_of_matrix = 16;
  Index least_panel = 16;
  Index most_panel = 128;

  /// Multiply-adds of a column's elimination below which a parallel region costs more than it
  /// saves.
  Index parallel_elimination = 20000;

  /// Columns of swapped rows that one thread takes at a time: rows of so many stay in a core's
  /// cache.
  Index swap_columns = 512;

  /// The matrices that solve.method=auto tries sparse elimination for: the smallest order, and the
  /// largest share of non-zeros; else making it dense is as soon done.
  Index least_order_for_sparse = 500;
  double most_density_for_sparse = 0.1;
  /// Of complex symmetric and Hermitian ones: 324 rows of a quarter took 1.2 ms to factor sparse
  /// and 2.6 ms made dense, 600 of random places 13 and 14.
  double most_density_of_complex_symmetric = 0.3;

  /// The smallest order of matrices with at most so many non-zeros a row, which an analysis is soon
  /// done with: 416 rows of 5.5 took 1 ms sparse and 4 ms made dense, 450 rows of 10 more than made
  /// dense.
  Index least_order_of_few = 200;
  double few_nonzeros_a_row = 8;

  /// Work that is worth a thread more, where nobody says how many: of a sparse matrix so many
  /// non-zeros, of a dense one so many rows. On 16 processors 500 dense rows took 8 ms by two
  /// threads and 35 by all.
  Index nonzeros_of_thread = 25000;
  Index dense_rows_of_thread = 250;

  /// Bytes that memory gives a rank in a second, as predictions of products have it.
  double bytes_per_second = 1e10;

  /// Flops a second of a rank that predictions of dense elimination reckon with: in blocks at the
  /// speed of products of matrices, column by column at that of memory.
  double blocked_flops_per_second = 5e10;
  double columnwise_flops_per_second = 4e9;

  /// The formats of rows that many products are made with: by types where so many rows of one type
  /// follow each other on average; else side by side where rows have fewer non-zeros on average and
  /// fewer share their columns; else grouped. Fewer non-zeros stay as they are: an iteration on so
  /// few, all in a core's caches, is over before a format has repaid its 20 products.
  Index least_nonzeros_of_format = 1 << 15;
  double rows_of_type_run = 8;
  double nonzeros_of_sliced_row = 24;
  double rows_of_group = 1.5;

  /// Non-zeros up to which long rows are grouped: beyond a processor's caches their values alone
  /// take the time, and another copy of them is worth nothing.
  Index most_grouped_nonzeros = 1 << 22;

  /// Flops a second of one thread that predictions of sparse elimination reckon with, and the
  /// seconds that every entry of the factors takes in addition.
  double sparse_flops_per_second = 2e10;
  double seconds_of_sparse_entry = 2e-9;
  /// Seconds that every entry of the factors takes for a step of GMRES on them, in the trial, the
  /// solution and its refinement together.
  double seconds_of_entry_in_gmres = 1e-8;
  /// Seconds of one thread that a row, or a non-zero, takes to be matched and ordered.
  double seconds_of_matched_entry = 3e-7;

  /// solve.method=auto: a matrix that looks elliptic of at least so many rows is not analysed but
  /// left to multigrid at once; a smaller one where that is predicted to take so little of the time
  /// of its elimination; and the steps after which it is given up for an elimination.
  Index least_order_for_iteration = 1000000;
  double worthwhile_iteration = 0.7;
  Index steps_of_trial = 80;

  /// solve.method=auto: a matrix that is not analysed yet is left to cg or bicgstab where that is
  /// predicted to take so little of the time of an analysis and what follows it. The figures of the
  /// prediction for each non-zero and five for each row: seconds of one thread for incomplete
  /// factors, and for a step of cg, or half of one of bicgstab, with them, the solves of the
  /// estimates included, for which three steps are made for each one of the solution. The steps are
  /// this number over -log of the rate of GMRES with the diagonal: such factors take a third of
  /// those to 1e-16. And for an analysis: for each non-zero, and for each row where A is dissected.
  double worthwhile_estimate = 0.95;
  double seconds_of_incomplete = 2.5e-8;
  double seconds_of_symmetric_step = 6.5e-9;
  double seconds_of_unsymmetric_step = 1e-8;
  double logarithm_of_steps = 12;
  double seconds_of_analysed_nonzero = 9.5e-8;
  double seconds_of_analysed_row = 9.5e-7;

  /// preconditioner=auto: the smallest order that multigrid is taken for.
  Index least_order_for_multigrid = 2000;

  /// Multigrid over ranks: the non-zeros of a level up to which every rank has it, and all coarser
  /// ones, whole: one message takes the place of one for each product, and all ranks do all work.
  Index replicated_level_nonzeros = 50000;

  /// The figures of predictions of multigrid for each non-zero and five for each row: seconds of
  /// two threads for its setup, for a solution, and for the solves that estimate its condition.
  /// More threads take them less by this power of their number: memory and its first use hold them
  /// up.
  double seconds_of_setup = 7.5e-8;
  double seconds_of_iteration = 8e-8;
  double seconds_of_estimates = 1.4e-7;
  double power_of_threads = 0.4;

  /// Seconds that every entry of sparse factors takes in the solves that estimate the condition.
  double seconds_of_entry_in_estimates = 2.5e-8;

  /// solve.ranks=auto: the flops from which all ranks share a sparse elimination, for the memory of
  /// each, and for the time of more ranks than a host has. Two ranks of one host that share take as
  /// long as rank 0 with both processors, 0.65 s and 0.67 for 4e10 flops (grid3d:50), up to
  /// somewhat longer, 0.37 and 0.29 for 7e9 (grid2d:700), and the larger one 0.56 to 0.71 of the
  /// memory.
  double least_flops_over_ranks = 2e9;

  /// Flops of eliminations from which a note says where the BLAS could be faster: as many take some
  /// hundredths of a second.
  double flops_worth_a_note = 1e9;

  /// Bytes that reach a rank in a second, and seconds until a short message has come, as
  /// predictions for ranks on several hosts have it.
  double bytes_between_ranks = 5e9;
  double seconds_of_message = 5e-6;

  /// solve.ordering=auto: graphs of at most so many vertices are ordered by minimum degree alone;
  /// those of at least so many neighbours a vertex, and at most so many times their mean, by
  /// dissection alone, which takes so many seconds for a vertex.
  Index most_by_minimum_degree = 1000;
  double degree_of_solids = 5;
  double most_spread_of_degrees = 4;
  double seconds_of_dissected_vertex = 4e-6;
};

/// A GPU with memory of its own, as an H200 is.
struct GpuTuning {
  /// See HostTuning: a message takes a GPU as long as some million non-zeros.
  Index replicated_level_nonzeros = 6000000;

  /// Smallest order that device=auto eliminates on a GPU: below, starting its libraries takes
  /// longer than the whole elimination on a host.
  Index least_order = 1000;

  /// The part of a GPU's free memory that sparse factors may plan with, as libraries take some of
  /// it and pieces are left over; and bytes a second on the way between a GPU and host memory.
  double usable_memory = 0.96;
  double bytes_over_link = 50e9;

  /// device=auto: the non-zeros from which on GPUs are started concurrently with the analysis,
  /// whether they are chosen then or not: a smaller matrix is sooner solved on a host than they
  /// have started.
  Index least_nonzeros_to_start_ahead = 4500000;

  /// Seconds until the driver of GPUs has started, and ends with the process.
  double seconds_of_driver = 0.2;

  /// Seconds from then on until a GPU and its libraries are there, which device=auto adds to what
  /// it predicts.
  double seconds_of_start = 0.2;

  /// device=cuda: what looks elliptic, or is elastic, is iterated from so many rows on without an
  /// analysis, if it is solved once: an H200 with 16 threads takes 0.25 s from start to end for
  /// grid3d:50 by cg with multigrid, 0.28 for grid2d:600 and 0.34 for grid3d:80, where L L^T takes
  /// 0.35, 0.37 to 0.48 and 0.79 to 0.87, most of it the analysis.
  Index least_order_for_iteration = 100000;

  /// The seconds that a setup of multigrid takes for each non-zero and five for each row: 0.06 to
  /// 0.1 s for grid3d:100, 3.4 for grid3d:460, 0.18 for elastic3d:60 on an H200 with 16 threads.
  double seconds_of_setup = 4e-9;

  /// Seconds of what is not in proportion to the work: what launches of a setup, solves, and those
  /// that estimate a condition take at least.
  double seconds_of_solves = 0.05;
  double seconds_of_estimates = 0.1;

  /// See HostTuning.
  double blocked_flops_per_second = 4e13;
  double columnwise_flops_per_second = 5e11;

  /// The figures of predictions of sparse elimination on a GPU: flops a second, and the seconds
  /// that every entry of the factors takes in addition. An H100 took 0.103, 0.314 and 1.08 s for
  /// elastic3d:40, grid3d:100 and grid3d:128 by L U, for which they say 0.109, 0.345 and 1.40, and
  /// two of them 0.073, 0.198 and 0.608 at work, for which the simulation says 0.060, 0.187, 0.740.
  double sparse_flops_per_second = 3.5e13;
  double seconds_of_sparse_entry = 1e-10;

  /// The seconds that each level of fronts takes in addition, as one waits for the one below it: 8
  /// to 10 microseconds on an H200, however small the fronts are, and half of that in each sweep of
  /// a solve.
  double seconds_of_level = 1e-5;

  /// The seconds that each pivot of larger fronts takes in addition on the way from a leaf to a
  /// root, where blocks of pivots wait for each other, with a few solves: an H200 eliminates
  /// grid2d:1000 by L L^T, with 7300 pivots on its longest path, in 9.9 ms and cage:6000 by L U,
  /// with 5200, in 20.4; one solve takes 1.4 and 4.6 ms.
  double seconds_of_front_pivot = 3e-6;

  /// The seconds that each column of a dense elimination takes in addition to the flops, in panels
  /// (H200: 1.06 ms for order 430, 7.3 for 3557) and column by column.
  double seconds_of_dense_column = 2e-6;
  double seconds_of_run_column = 8e-6;

  /// A step of GMRES of a small system, as launches take it.
  double seconds_of_gmres_step = 3e-4;

  /// solve.ranks=auto: the flops, and the bytes of factors and stack, from which all GPUs share a
  /// sparse elimination. New values of a pattern are eliminated sooner by two from some 5e12 flops
  /// on: 0.242 s for grid3d:100 (7.5e12) where one takes 0.314, 0.684 for grid3d:128 (3.6e13) and
  /// 1.079; elastic3d:40 (1.9e12) 0.162 and 0.103. But to deal out pattern and values for the first
  /// time takes some 0.3 s for a million unknowns, which one elimination alone wins back from where
  /// it takes some 3 s. Factors that one GPU has no room for are sooner made by several than
  /// through host memory.
  double least_flops_over_ranks = 1e14;
  Index least_bytes_over_ranks = 40000000000;

  /// The seconds that several GPUs must save, over all systems of a pattern that are expected, or
  /// else one does a system alone: to start NCCL and the other GPUs, and to deal out.
  double seconds_to_share = 1.0;

  /// The figures of predictions for messages between GPUs of a host with links of their own: bytes
  /// that reach one in a second, and seconds until a short message has come.
  double bytes_between_ranks = 1.5e11;
  double seconds_of_message = 1e-5;

  /// Smallest order that solve.ranks=auto gives to all GPUs: below, one is as soon done with all of
  /// a solve. Two H200 eliminate order 16384 in 0.0704 s, four in 0.0602, one in 0.0754, but NCCL
  /// takes longer than that to start, and each panel of each solve waits for a message.
  Index least_order_for_all = 20000;

  /// Smallest order that is eliminated in mixed precision on a GPU alone: below, panels take most
  /// of the time, as long in float as in double, and GMRES comes on top: 1.36 times the time of
  /// double at 7548, 0.91 at 16384.
  Index least_mixed_order = 12000;

  /// Columns of a panel on a GPU alone, which eliminates inside a wide one by halves, so that the
  /// update's rate counts alone: a whole matrix up to one_panel_order, narrow_panel columns below
  /// wide_panel_order, wide_panel from there on. An H200 took 0.0421 s with wide ones and 0.0428
  /// with narrow ones at order 12000, 0.0589 and 0.0622 at 14000, 0.139 and 0.145 at 20000.
  Index one_panel_order = 2048;
  Index narrow_panel = 512;
  Index wide_panel_order = 12000;
  Index wide_panel = 1024;

  /// Columns of a panel among several GPUs, and of a cyclic block: shared_panels[i] below the order
  /// shared_orders[i]; from wide_order_a_gpu times the GPUs on shared_wide_panel, else the last
  /// one. Four H200 took 3.73 to 3.75 s for order 100000 with 1152, 3.77 to 3.80 with 1024 by
  /// turns; four others 3.80 and 3.84, and 3.84 with 1280, 3.97 with 1536.
  Index shared_orders[3] = {2500, 6000, 8000};
  Index shared_panels[4] = {64, 128, 256, 512};
  Index shared_wide_panel = 1152;
  Index wide_order_a_gpu = 20000;

  /// Rows a GPU that are left to an update that still hides the election of a panel of
  /// shared_wide_panel columns; below, panels half as wide pay.
  Index rows_that_hide_a_panel = 8192;

  /// Active rows of all GPUs up to which pivots are elected among all of them, which every GPU
  /// gets, in one elimination; with more, each GPU's best rows are found first. Four H200 took
  /// 0.0713 s with 8192 for order 16384, 0.0742 with 16384 and 0.0793 with none; for order 34920
  /// 0.254, 0.250 and 0.265, 0.273 with all.
  Index rows_searched_at_once = 8192;

  /// The most rows that every GPU of a team eliminates for itself in the end, and no more than half
  /// of the matrix: messages of so few take longer than the whole elimination of one GPU. Four H200
  /// took 0.0767 to 0.0839 s for order 16384 with none, 0.0711 with 6144, 0.0682 to 0.0702 with
  /// 8192, 0.0679 to 0.0700 with 10240 and 0.0669 with 12288, which take twice the memory of 8192.
  Index rows_for_each = 8192;

  /// Leaves of a panel that are launched before concurrent work is launched: as many as keep a GPU
  /// busy until that is done.
  Index leaves_at_once = 3;

  /// Multiprocessors that an update leaves to the concurrent panel: as many as the cluster that a
  /// leaf is eliminated by has blocks.
  int panel_processors = 16;

  /// The seconds that one launch of eliminated columns may take, and the figures that its length is
  /// reckoned by: bytes that the GPU moves in a second, and the time of a step that moves none.
  double seconds_of_run = 20e-3;
  double bytes_per_second = 3e12;
  double seconds_of_empty_step = 5e-6;

  /// Pieces of the columns, whose pivot rows travel and are solved for during the update of
  /// another; and the fewest panels of a piece, since each takes two dozen launches.
  Index column_pieces = 4;
  Index panels_of_piece = 24;

  /// Multiprocessors that NCCL may take from work concurrent with its messages. Four GPUs
  /// eliminated grid3d:128 by sparse L U in 0.326 s with 8, 0.311 with 12 and 0.312 with 16; dense
  /// systems of n = 100000 in 4.16 s with 4, 4.15 to 4.20 with 8 and 0.2 more with NCCL's choice, n
  /// = 34920 in 0.299 s with 8 and 0.296 with 16; products of grid3d27:127:3, K = 16, took 0.768 ms
  /// with 8, 0.770 with 1 to 4 and 0.778 with NCCL's choice.
  int nccl_blocks_beside_work = 12;

  /// Bytes that are copied between GPU and host memory while as many travel.
  Index message_piece = Index{4} << 20;

  /// The share of the fastest halo's time that one of a later transport must stay under: later ones
  /// take more from the concurrent product, multiprocessors at first and then waits of the host
  /// before each next launch.
  double clearly_faster = 0.8;
};

inline constexpr HostTuning host_tuning;
inline constexpr GpuTuning gpu_tuning;

/// Both as a table for people, a line for each number: kind of device, name, value.
std::string tuning_table();

}  // namespace spsolve::core
