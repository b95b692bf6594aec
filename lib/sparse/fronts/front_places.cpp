#include "sparse/fronts/front_places.hpp"

#include <algorithm>
#include <map>

#include "sparse/fronts/front_entries.hpp"

namespace spsolve {

namespace {

/// Elements that places of large fronts, and columns in them, are multiples of.
constexpr int alignment = 4;

template <typename Size>
Size aligned(Size size) {
  return (size + alignment - 1) / alignment * alignment;
}

/// Room that blocks of the stack take one after another and give back: the first gap that is large
/// enough.
class Room {
 public:
  explicit Room(Index begin) : end_(begin) {}

  Index take(Index size) {
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second < size) continue;
      const Index place = gap->first;
      const Index left = gap->second - size;
      gaps_.erase(gap);
      if (left > 0) gaps_.emplace(place + size, left);
      return place;
    }
    const Index place = end_;
    end_ += size;
    return place;
  }

  void give_back(Index place, Index size) {
    auto gap = gaps_.emplace(place, size).first;
    if (const auto next = std::next(gap); next != gaps_.end() && place + size == next->first) {
      gap->second += next->second;
      gaps_.erase(next);
    }
    if (gap == gaps_.begin()) return;
    const auto before = std::prev(gap);
    if (before->first + before->second == place) {
      before->second += gap->second;
      gaps_.erase(gap);
    }
  }

  Index end() const { return end_; }  ///< nothing was ever beyond

 private:
  std::map<Index, Index> gaps_;  // size by place
  Index end_;
};

/// The level of each front: subtrees of small fronts alone by their height, above them all the
/// others by their depth, which puts siblings, alike as they mostly are, side by side. Tells how
/// many levels the low ones are.
std::vector<int> levels_of(const std::vector<FrontPlace>& places, int& low_levels) {
  const std::size_t count = places.size();
  std::vector<bool> low(count, true);  // in a subtree of small fronts
  std::vector<int> level(count, 0), depth(count, 0);
  int heights = 0, depths = 0;
  for (std::size_t s = 0; s < count; ++s) {
    if (!places[s].is_small()) low[s] = false;
    if (low[s]) heights = std::max(heights, level[s] + 1);
    const int parent = places[s].parent;
    if (parent < 0) continue;
    if (!low[s]) low[parent] = false;
    level[parent] = std::max(level[parent], level[s] + 1);
  }
  for (std::size_t s = count; s-- > 0;) {
    if (low[s]) continue;
    if (places[s].parent >= 0) depth[s] = depth[places[s].parent] + 1;
    depths = std::max(depths, depth[s] + 1);
  }
  for (std::size_t s = 0; s < count; ++s) {
    if (!low[s]) level[s] = heights + depths - 1 - depth[s];
  }
  low_levels = heights;
  return level;
}

FrontPlace shape_of(const Fronts& fronts, LocalIndex s) {
  FrontPlace place;
  place.pivots = fronts.pivots(s);
  place.border = fronts.border_size(s);
  const bool small = place.is_small();
  place.border_row = small ? place.pivots : aligned(place.pivots);
  place.ld = place.border_row + (small ? place.border : aligned(place.border));
  place.ld_passed = small ? place.border : aligned(place.border);
  place.first = fronts.first[s];
  place.child_begin = static_cast<int>(fronts.child_starts[s]);
  place.child_end = static_cast<int>(fronts.child_starts[s + 1]);
  place.parent = fronts.parent[s];
  place.border_begin = fronts.border_starts[s];
  return place;
}

/// Places what is passed up, level by level.
void place_stack(const std::vector<int>& level, FrontPlaces& all) {
  struct Passed {
    Index place, size;
  };
  std::vector<std::vector<Passed>> until(all.levels());  // by the level of the parents
  Room room(all.factor_elements);
  // By the level of the parents: of a chain there are as many as fronts, so that only those that
  // this level passes to are looked at.
  std::vector<Index> sizes(all.levels()), begin(all.levels());
  std::vector<int> passed_to;
  for (int l = 0; l < all.levels(); ++l) {
    passed_to.clear();
    const auto each = [&](const auto& visit) {
      for (Index i = all.level_starts[l]; i < all.level_starts[l + 1]; ++i) {
        FrontPlace& place = all.places[all.by_level[i]];
        if (place.parent < 0 || place.border == 0) continue;
        visit(place, level[place.parent],
              aligned(static_cast<Index>(place.ld_passed) * place.border));
      }
    };
    each([&](FrontPlace& place, int parents, Index size) {
      if (sizes[parents] == 0) passed_to.push_back(parents);
      place.passed_up = sizes[parents];
      sizes[parents] += size;
    });
    std::sort(passed_to.begin(), passed_to.end());
    for (const int parents : passed_to) {
      begin[parents] = room.take(sizes[parents]);
      until[parents].push_back({begin[parents], sizes[parents]});
      sizes[parents] = 0;
    }
    each([&](FrontPlace& place, int parents, Index) { place.passed_up += begin[parents]; });
    for (const Passed& passed : until[l]) room.give_back(passed.place, passed.size);
  }
  all.elements = room.end();
}

}  // namespace

FrontPlaces place_fronts(const Fronts& fronts, Factorization kind) {
  FrontPlaces all;
  all.places.reserve(fronts.size());
  Index next = 0;
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    FrontPlace place = shape_of(fronts, s);
    const Index size = aligned(static_cast<Index>(place.ld) * place.pivots);
    place.lower = next;
    place.upper = kind == Factorization::cholesky ? next : next + size;
    next = place.upper + size;
    all.places.push_back(place);
  }
  all.factor_elements = next;
  const std::vector<int> level = levels_of(all.places, all.low_levels);
  const int levels = fronts.size() == 0 ? 0 : *std::max_element(level.begin(), level.end()) + 1;
  all.level_starts.assign(levels + 1, 0);
  for (const int l : level) ++all.level_starts[l + 1];
  for (int l = 0; l < levels; ++l) all.level_starts[l + 1] += all.level_starts[l];
  all.by_level.resize(fronts.size());
  std::vector<Index> place(all.level_starts.begin(), all.level_starts.end() - 1);
  for (LocalIndex s = 0; s < fronts.size(); ++s) all.by_level[place[level[s]]++] = s;
  place_stack(level, all);
  return all;
}

GpuFactorMemory gpu_factor_memory(const Fronts& fronts, Factorization kind, Index nonzeros,
                                  Index entries) {
  const FrontPlaces all = place_fronts(fronts, kind);
  constexpr auto value = static_cast<std::int64_t>(sizeof(double));
  constexpr auto index = static_cast<std::int64_t>(sizeof(LocalIndex));
  constexpr auto entry = static_cast<std::int64_t>(sizeof(FrontEntry));
  // Of a front: its place, where its entries begin, counters of sweeps, two tasks.
  constexpr auto front = static_cast<std::int64_t>(sizeof(FrontPlace)) + 64;
  // Products, their tiles and pieces of assemblies, some bytes for thousands of values each.
  constexpr std::int64_t values_a_byte_of_program = 32;
  const auto borders = static_cast<std::int64_t>(fronts.border.size());
  GpuFactorMemory memory;
  memory.factors = all.factor_elements * value;
  memory.stack = (all.elements - all.factor_elements) * value;
  memory.lists = nonzeros * value + entries * entry + 4 * borders * index +
                 3 * fronts.order() * index + fronts.size() * front +
                 all.elements / values_a_byte_of_program;
  memory.column = (3 * fronts.order() + borders) * value;
  return memory;
}

}  // namespace spsolve
