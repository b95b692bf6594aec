#include "sparse/analysis_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "checkpoint/section_file.hpp"

namespace spsolve {

namespace {

constexpr std::uint32_t version = 2;

/// What an analysis has beside its arrays.
struct Head {
  std::int64_t rows = 0, nonzeros = 0, factor_entries = 0;
  std::uint64_t pattern = 0;
  double flops = 0, seconds = 0;
  std::int32_t kind = 0, ordering = 0;
};

/// Calls visit(name, array) for all arrays of an analysis.
template <typename Analysis, typename Visit>
void for_arrays(Analysis& analysis, const Visit& visit) {
  visit("order", analysis.order);
  visit("given order", analysis.given);
  visit("row of column", analysis.row_of);
  visit("row scale", analysis.row_scale);
  visit("column scale", analysis.column_scale);
  visit("first pivots", analysis.fronts.first);
  visit("parents", analysis.fronts.parent);
  visit("border starts", analysis.fronts.border_starts);
  visit("border", analysis.fronts.border);
  visit("places in parents", analysis.fronts.in_parent);
  visit("child starts", analysis.fronts.child_starts);
  visit("children", analysis.fronts.children);
  visit("subtrees", analysis.fronts.first_of_subtree);
  visit("entry starts", analysis.entries.starts);
  visit("entries", analysis.entries.entries);
}

bool is_permutation(const std::vector<LocalIndex>& values, Index n) {
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  for (const LocalIndex value : values) {
    if (value < 0 || value >= n || seen[value]) return false;
    seen[value] = true;
  }
  return static_cast<Index>(values.size()) == n;
}

/// Whether `starts` cuts `count` things for each of `parts`.
bool are_starts(const std::vector<Index>& starts, Index parts, std::size_t count) {
  return static_cast<Index>(starts.size()) == parts + 1 && starts.front() == 0 &&
         starts.back() == static_cast<Index>(count) && std::is_sorted(starts.begin(), starts.end());
}

/// What is wrong with the tree, in a few words, or "".
std::string problem_of(const Fronts& fronts, Index n) {
  const Index count = fronts.size();
  if (static_cast<Index>(fronts.first.size()) != count + 1 || fronts.first.front() != 0 ||
      fronts.first.back() != n || !std::is_sorted(fronts.first.begin(), fronts.first.end())) {
    return "its fronts are not those of its rows";
  }
  if (!are_starts(fronts.border_starts, count, fronts.border.size()) ||
      fronts.in_parent.size() != fronts.border.size() ||
      !are_starts(fronts.child_starts, count, fronts.children.size()) ||
      static_cast<Index>(fronts.first_of_subtree.size()) != count) {
    return "the parts of its fronts do not go together";
  }
  for (LocalIndex s = 0; s < count; ++s) {
    const LocalIndex up = fronts.parent[s], begin = fronts.first_of_subtree[s];
    if ((up != -1 && (up <= s || up >= count)) || begin < 0 || begin > s) {
      return "its fronts are no tree";
    }
    LocalIndex before = s;
    for (std::size_t i = fronts.children_of(s).size(); i-- > 0;) {
      const LocalIndex child = fronts.children_of(s)[i];
      if (child < 0 || child >= before || fronts.parent[child] != s)
        return "its fronts are no tree";
      before = child;
    }
    const auto rows = fronts.border_of(s);
    if (up == -1 && !rows.empty()) return "a root of its tree has a border";
    LocalIndex row_before = fronts.first[s + 1] - 1, place_before = -1;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const LocalIndex place = fronts.in_parent_of(s)[i];
      if (rows[i] <= row_before || rows[i] >= n || place <= place_before ||
          place >= fronts.pivots(up) + fronts.border_size(up)) {
        return "the border of a front is not in its parent";
      }
      const LocalIndex there = place < fronts.pivots(up)
                                   ? fronts.first[up] + place
                                   : fronts.border_of(up)[place - fronts.pivots(up)];
      if (there != rows[i]) return "the border of a front is not in its parent";
      row_before = rows[i];
      place_before = place;
    }
  }
  return "";
}

std::string problem_of(const SparseAnalysis& analysis, const Head& head) {
  const Index n = head.rows;
  if (head.kind < 0 || head.kind > 2 || head.ordering < 0 ||
      head.ordering >= static_cast<int>(std::size(ordering_words))) {
    return "it is of no factorisation";
  }
  const bool is_given = head.ordering == static_cast<int>(Ordering::file);
  if (!is_permutation(analysis.order, n) || is_given != !analysis.given.empty() ||
      (is_given && !is_permutation(analysis.given, n)) ||
      (!analysis.row_of.empty() && !is_permutation(analysis.row_of, n))) {
    return "its order is no permutation";
  }
  const auto is_scale = [&](const std::vector<double>& scale) {
    return scale.empty() ||
           (static_cast<Index>(scale.size()) == n && std::ranges::all_of(scale, [](double value) {
              return value > 0 && std::isfinite(value);
            }));
  };
  if (!is_scale(analysis.row_scale) || !is_scale(analysis.column_scale) ||
      analysis.row_scale.size() != analysis.column_scale.size()) {
    return "its scale factors are not positive numbers";
  }
  const Fronts& fronts = analysis.fronts;
  if (std::string problem = problem_of(fronts, n); !problem.empty()) return problem;
  const auto& entries = analysis.entries;
  if (!are_starts(entries.starts, fronts.size(), entries.entries.size())) {
    return "its entries are not those of its fronts";
  }
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const LocalIndex pivots = fronts.pivots(s), border = fronts.border_size(s);
    for (const FrontEntry& entry : entries.of(s)) {
      const bool upper = entry.column < 0;
      const LocalIndex column = upper ? ~entry.column : entry.column;
      if (entry.source < 0 || entry.source >= head.nonzeros || column < 0 || column >= pivots ||
          entry.row < 0 || entry.row >= (upper ? border : pivots + border)) {
        return "an entry of its fronts is outside of them";
      }
    }
  }
  return "";
}

}  // namespace

void save_analysis(const std::filesystem::path& path, const SparseAnalysis& analysis) {
  SectionWriter writer(path);
  const Head head{analysis.rows(),
                  analysis.nonzeros,
                  analysis.factor_entries,
                  analysis.pattern,
                  analysis.flops,
                  analysis.seconds,
                  static_cast<std::int32_t>(analysis.kind),
                  static_cast<std::int32_t>(analysis.ordering)};
  writer.begin({"analysis", version});
  writer.write_values(std::span(&head, 1));
  for_arrays(analysis, [&](std::string_view name, const auto& array) {
    writer.begin({name, version});
    writer.write_values(std::span(array.data(), array.size()));
  });
  writer.commit();
}

SparseAnalysis load_analysis(const std::filesystem::path& path) {
  const SectionReader reader(path);
  reader.verify();
  SparseAnalysis analysis;
  Head head;
  const std::vector<std::byte> bytes = reader.read(reader.section({"analysis", version}));
  if (bytes.size() != sizeof(Head)) reader.refuse("its head has another size");
  std::memcpy(&head, bytes.data(), sizeof(Head));
  for_arrays(analysis, [&](std::string_view name, auto& array) {
    using Value = typename std::remove_reference_t<decltype(array)>::value_type;
    const std::vector<std::byte> data = reader.read(reader.section({name, version}));
    if (data.size() % sizeof(Value) != 0) reader.refuse("its section '{}' is cut short", name);
    array.resize(data.size() / sizeof(Value));
    if (!data.empty()) std::memcpy(array.data(), data.data(), data.size());
  });
  if (const std::string problem = problem_of(analysis, head); !problem.empty()) {
    reader.refuse("this is no analysis of a sparse matrix: {}", problem);
  }
  analysis.kind = static_cast<Factorization>(head.kind);
  analysis.ordering = static_cast<Ordering>(head.ordering);
  analysis.pattern = head.pattern;
  analysis.nonzeros = head.nonzeros;
  analysis.factor_entries = head.factor_entries;
  analysis.flops = head.flops;
  analysis.seconds = head.seconds;
  return analysis;
}

}  // namespace spsolve
