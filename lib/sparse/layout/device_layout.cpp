#include "sparse/layout/device_layout.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "core/worth_threads.hpp"
#include "sparse/dissection/first_failure.hpp"
#include "sparse/dissection/first_fit_allocator.hpp"
#include "sparse/fronts/front_entries.hpp"
#include "sparse/layout/front_leveling.hpp"

namespace spsolve::inline sparse {

namespace {

FrontLayout shape_of(const Fronts& fronts, LocalIndex s, int panel_columns) {
  FrontLayout layout;
  layout.panel_columns = panel_columns;
  layout.pivots = fronts.pivots(s);
  layout.border = fronts.border_size(s);
  const bool small = layout.is_small();
  layout.border_row = small ? layout.pivots : aligned(layout.pivots);
  layout.ld = layout.border_row + (small ? layout.border : aligned(layout.border));
  layout.ld_contribution = small ? layout.border : aligned(layout.border);
  layout.first = fronts.first[s];
  layout.child_begin = static_cast<int>(fronts.child_starts[s]);
  layout.child_end = static_cast<int>(fronts.child_starts[s + 1]);
  layout.parent = fronts.parent[s];
  layout.border_begin = fronts.border_starts[s];
  return layout;
}

/// Each front's factors follow those of the front before.
void lay_out_factors(Factorization kind, DeviceLayout& all) {
  Index next = 0;
  for (FrontLayout& layout : all.fronts) next = lay_out_factors_at(next, kind, layout);
  all.factor_elements = all.window_elements = next;
}

/// Finds the children of roots that are assembled early.
void find_early(const Fronts& fronts, Factorization kind, std::vector<FrontLayout>& layouts) {
  constexpr Index share = 64;  // of a root's factors: blocks of less are no matter
  constexpr int broad = 8;     // times as many rows of a border as pivots
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    FrontLayout& root = layouts[s];
    if (root.border > 0 || root.parent >= 0 || root.is_small()) continue;
    const Index elements = factor_elements(kind, root);
    const auto is_broad = [&](LocalIndex child) {
      const FrontLayout& layout = layouts[child];
      return !layout.is_small() && layout.border >= broad * layout.pivots &&
             layout.contribution_elements() * share >= elements;
    };
    Index all = 0;
    for (const LocalIndex child : fronts.children_of(s)) {
      if (is_broad(child)) all += layouts[child].contribution_elements();
    }
    if (all <= elements) continue;
    for (const LocalIndex child : fronts.children_of(s)) {
      layouts[child].early = is_broad(child);
      root.early_children += layouts[child].early ? 1 : 0;
    }
  }
}

/// Elements of the factors of every level.
std::vector<Index> level_sizes(Factorization kind, const DeviceLayout& all) {
  std::vector<Index> sizes(all.levels(), 0);
  for (int l = 0; l < all.levels(); ++l) {
    for (Index i = all.level_starts[l]; i < all.level_starts[l + 1]; ++i) {
      sizes[l] += factor_elements(kind, all.fronts[all.by_level[i]]);
    }
  }
  return sizes;
}

/// The factors of some levels at a time, in two windows that take `room` together, or as much as
/// the largest level wants.
void lay_out_in_windows(Factorization kind, Index room, DeviceLayout& all) {
  const std::vector<Index> sizes = level_sizes(kind, all);
  const Index largest = *std::max_element(sizes.begin(), sizes.end());
  const Index window = std::max(largest, room / 2 / front_alignment * front_alignment);
  all.window_elements = 2 * window;
  all.parts.clear();
  for (int l = 0; l < all.levels(); ++l) {
    if (all.parts.empty() || all.parts.back().elements + sizes[l] > window) {
      all.parts.push_back({l, l, static_cast<Index>(all.parts.size() % 2) * window, 0});
    }
    FrontPart& part = all.parts.back();
    Index next = part.window + part.elements;
    for (Index i = all.level_starts[l]; i < all.level_starts[l + 1]; ++i) {
      next = lay_out_factors_at(next, kind, all.fronts[all.by_level[i]]);
    }
    part.elements += sizes[l];
    part.end_level = l + 1;
  }
}

/// Places the contribution blocks, level by level: until their parents' level, or for their own
/// alone.
void lay_out_stack(const std::vector<int>& level, DeviceLayout& all) {
  struct StackBlock {
    Index offset, size;
  };
  // By the level of the parents; blocks of roots stay after the last level.
  std::vector<std::vector<StackBlock>> until(all.levels() + 1);
  FirstFitAllocator allocator(all.window_elements);
  // By the level of the parents: of a chain there are as many as fronts, so that only those that
  // this level passes to are looked at.
  std::vector<Index> sizes(all.levels() + 1), begin(all.levels() + 1);
  std::vector<int> parent_levels;
  for (int l = 0; l < all.levels(); ++l) {
    parent_levels.clear();
    const auto each = [&](const auto& visit) {
      for (Index i = all.level_starts[l]; i < all.level_starts[l + 1]; ++i) {
        FrontLayout& layout = all.fronts[all.by_level[i]];
        if (layout.border == 0) continue;
        const int parents = layout.parent < 0                     ? all.levels()
                            : layout.early && all.assembles_early ? l
                                                                  : level[layout.parent];
        visit(layout, parents, layout.contribution_elements());
      }
    };
    each([&](FrontLayout& layout, int parents, Index size) {
      if (sizes[parents] == 0) parent_levels.push_back(parents);
      layout.contribution = sizes[parents];
      sizes[parents] += size;
    });
    std::sort(parent_levels.begin(), parent_levels.end());
    for (const int parents : parent_levels) {
      begin[parents] = allocator.allocate(sizes[parents]);
      until[parents].push_back({begin[parents], sizes[parents]});
      sizes[parents] = 0;
    }
    each([&](FrontLayout& layout, int parents, Index) { layout.contribution += begin[parents]; });
    for (const StackBlock& block : until[l]) allocator.release(block.offset, block.size);
  }
  all.elements = allocator.end();
}

}  // namespace

namespace {

/// Sorts the fronts by these levels, and places their contribution blocks.
void lay_out_by_levels(const std::vector<int>& level, DeviceLayout& all) {
  const int levels = level.empty() ? 0 : *std::max_element(level.begin(), level.end()) + 1;
  all.level_starts.assign(levels + 1, 0);
  for (const int l : level) ++all.level_starts[l + 1];
  for (int l = 0; l < levels; ++l) all.level_starts[l + 1] += all.level_starts[l];
  all.by_level.resize(level.size());
  std::vector<Index> next_of_level(all.level_starts.begin(), all.level_starts.end() - 1);
  for (std::size_t s = 0; s < level.size(); ++s) {
    all.by_level[next_of_level[level[s]]++] = static_cast<LocalIndex>(s);
  }
  all.parts = {{0, all.levels(), 0, all.factor_elements}};
  lay_out_stack(level, all);
}

/// The levels of fronts, and elements of the stack with ever more fronts one after another, those
/// included.
struct SavedStack {
  std::vector<int> level;
  std::vector<Index> sizes;
};

/// Fronts of so many rows one after another: the levels, and elements of the arena then.
struct StackWay {
  int rows;
  std::vector<int> level;
  Index elements = 0;
};

/// Ever smaller fronts for large ones, down to an eighth of the rows of the largest, whose
/// contribution blocks are small beside the others.
std::vector<StackWay> ways_to_save(const FrontLeveling& leveling, const DeviceLayout& all) {
  constexpr Index most_large_fronts = 1024;  // each has launches of its own
  std::vector<StackWay> ways;
  for (int rows = leveling.most_rows(); rows > small_front; rows = rows * 3 / 4) {
    if (std::ssize(ways) == most_smaller_stacks) break;
    if (leveling.large_fronts(rows) > most_large_fronts) break;
    ways.push_back({rows, {}, 0});
  }
  dissection::FirstFailure failure;
  const Index work = std::ssize(ways) * std::ssize(all.fronts);
#pragma omp parallel for schedule(dynamic) if (worth_threads(work))
  for (std::size_t way = 0; way < ways.size(); ++way) {
    failure.catch_from([&] {
      DeviceLayout other = all;
      ways[way].level = leveling.levels(ways[way].rows);
      lay_out_by_levels(ways[way].level, other);
      ways[way].elements = other.elements;
    });
  }
  failure.rethrow();
  return ways;
}

/// Takes large fronts one after another where that saves memory, and ever smaller ones for large,
/// until `most_elements` are enough or nothing is gained.
SavedStack save_stack(const FrontLeveling& leveling, Index most_elements, DeviceLayout& all) {
  constexpr Index worth_it = 32;  // a gain of such a share of the stack
  SavedStack saved{leveling.levels(), {}};
  if (all.elements <= most_elements) return saved;
  Index elements = all.elements;
  for (StackWay& way : ways_to_save(leveling, all)) {
    if (elements <= most_elements) break;
    const Index gain = elements - way.elements;
    const bool fits = gain > 0 && way.elements <= most_elements;
    if (!fits && gain <= (elements - all.window_elements) / worth_it) continue;
    elements = way.elements;
    saved.level = std::move(way.level);
    saved.sizes.push_back(elements - all.window_elements);
  }
  if (!saved.sizes.empty()) lay_out_by_levels(saved.level, all);
  return saved;
}

DeviceLayout placed_side_by_side(const Fronts& fronts, Factorization kind, int panel_columns) {
  DeviceLayout all;
  all.fronts.reserve(fronts.size());
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    all.fronts.push_back(shape_of(fronts, s, panel_columns));
  }
  lay_out_factors(kind, all);
  find_early(fronts, kind, all.fronts);
  const FrontLeveling leveling(all.fronts);
  all.low_levels = leveling.low_levels();
  lay_out_by_levels(leveling.levels(), all);
  return all;
}

}  // namespace

Index factor_elements(Factorization kind, const FrontLayout& layout) {
  const Index size = aligned(layout.panel_elements());
  return kind == Factorization::cholesky ? size : 2 * size;
}

Index lay_out_factors_at(Index next, Factorization kind, FrontLayout& layout) {
  const Index end = next + factor_elements(kind, layout);
  layout.lower = next;
  layout.upper = kind == Factorization::cholesky ? next : next + (end - next) / 2;
  return end;
}

DeviceLayout lay_out_fronts(const Fronts& fronts, Factorization kind, Index most_elements,
                            int panel_columns) {
  DeviceLayout all = placed_side_by_side(fronts, kind, panel_columns);
  if (all.elements > most_elements && all.levels() > 1) {
    const std::vector<FrontLayout> shapes = all.fronts;
    const std::vector<int> level = save_stack(FrontLeveling(shapes), most_elements, all).level;
    if (all.elements > most_elements) {
      all.assembles_early = false;
      lay_out_stack(level, all);
      lay_out_in_windows(kind, most_elements - (all.elements - all.window_elements), all);
      lay_out_stack(level, all);
    }
  }
  all.elementwise =
      list_elementwise_assembly(fronts, kind, all.by_level, all.level_starts, all.fronts);
  return all;
}

GpuFactorMemory gpu_lists_memory(const Fronts& fronts, Index elements, Index nonzeros,
                                 Index entries) {
  constexpr auto value = static_cast<std::int64_t>(sizeof(double));
  constexpr auto index = static_cast<std::int64_t>(sizeof(LocalIndex));
  constexpr auto entry = static_cast<std::int64_t>(sizeof(FrontEntry));
  // The lists of a front: its place, where its entries begin, counters of sweeps, two tasks.
  constexpr auto front = static_cast<std::int64_t>(sizeof(FrontLayout)) + 64;
  // Products, their tiles and pieces of assemblies, some bytes for thousands of values each.
  constexpr std::int64_t values_a_byte_of_program = 32;
  const auto borders = static_cast<std::int64_t>(fronts.border.size());
  GpuFactorMemory memory;
  memory.lists = elementwise_assembly_bytes(fronts) + nonzeros * value + entries * entry +
                 4 * borders * index + 3 * fronts.order() * index + fronts.size() * front +
                 elements / values_a_byte_of_program;
  memory.column = (3 * fronts.order() + borders) * value;
  return memory;
}

GpuFactorMemory gpu_factor_memory(const Fronts& fronts, Factorization kind, Index nonzeros,
                                  Index entries) {
  const DeviceLayout all = placed_side_by_side(fronts, kind, widest_panel);
  constexpr auto value = static_cast<std::int64_t>(sizeof(double));
  GpuFactorMemory memory = gpu_lists_memory(fronts, all.elements, nonzeros, entries);
  memory.factors = all.factor_elements * value;
  memory.stack = (all.elements - all.window_elements) * value;
  DeviceLayout least = all;
  constexpr std::int64_t everywhere = std::int64_t{1} << 32;  // bytes that every GPU has
  if (memory.factors + memory.stack > everywhere) {
    const SavedStack saved = save_stack(FrontLeveling(all.fronts), 0, least);
    std::transform(saved.sizes.begin(), saved.sizes.end(), memory.smaller_stacks.begin(),
                   [](Index size) { return size * value; });
    least.assembles_early = false;
    lay_out_stack(saved.level, least);
  }
  memory.streaming_stack = (least.elements - least.window_elements) * value;
  for (const Index size : level_sizes(kind, least)) {
    memory.largest_level = std::max(memory.largest_level, size * value);
  }
  return memory;
}

double longest_path_on_gpu(const Fronts& fronts) {
  std::vector<double> path(static_cast<std::size_t>(fronts.size()), 0);
  double longest = 0;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {  // children before their parents
    const Index pivots = fronts.pivots(s);
    const bool is_small = pivots + fronts.border_size(s) <= small_front;
    path[s] += gpu_tuning.seconds_of_level;
    if (!is_small) path[s] += static_cast<double>(pivots) * gpu_tuning.seconds_of_front_pivot;
    longest = std::max(longest, path[s]);
    if (const LocalIndex up = fronts.parent[s]; up != -1) path[up] = std::max(path[up], path[s]);
  }
  return longest;
}

}  // namespace spsolve::sparse
