#include "sparse/analysis/analysis_file.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "checkpoint/section_bytes.hpp"

namespace spsolve::inline sparse {

namespace {

constexpr std::uint32_t version = 4;

/// The part of an analysis besides its arrays that does not follow from its fronts.
struct Head {
  std::int64_t rows = 0, nonzeros = 0;
  std::uint64_t pattern = 0;
  double seconds = 0;
  std::int32_t kind = 0, ordering = 0;
  std::int64_t pairs = 0;
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
  visit("blocks", analysis.off_diagonal_blocks.roots);
  visit("coupling starts", analysis.off_diagonal_blocks.starts);
  visit("couplings", analysis.off_diagonal_blocks.entries);
}

bool is_permutation(const std::vector<LocalIndex>& values, Index n) {
  if (static_cast<Index>(values.size()) != n) return false;
  std::vector<bool> seen(static_cast<std::size_t>(n), false);
  for (const LocalIndex value : values) {
    if (value < 0 || value >= n || seen[value]) return false;
    seen[value] = true;
  }
  return true;
}

/// Whether `starts` cuts `count` things for each of `parts`.
bool are_starts(const std::vector<Index>& starts, Index parts, std::size_t count) {
  return static_cast<Index>(starts.size()) == parts + 1 && starts.front() == 0 &&
         starts.back() == static_cast<Index>(count) && std::is_sorted(starts.begin(), starts.end());
}

/// Whether every front but roots is a child of one that comes later, and subtrees are contiguous.
bool is_tree(const Fronts& fronts) {
  const LocalIndex count = fronts.size();
  std::size_t below = 0;  // fronts that have a parent
  for (LocalIndex s = 0; s < count; ++s) {
    const LocalIndex up = fronts.parent[s];
    if (up != -1 && (up <= s || up >= count)) return false;
    if (up != -1) ++below;
    const auto children = fronts.children_of(s);
    LocalIndex begin = s;
    for (std::size_t i = children.size(); i-- > 0;) {
      const LocalIndex child = children[i];
      if (child < 0 || child != begin - 1 || fronts.parent[child] != s) return false;
      begin = fronts.first_of_subtree[child];
    }
    if (fronts.first_of_subtree[s] != begin) return false;
  }
  return below == fronts.children.size();
}

/// Whether the border of front s is in the front above, where there is one.
bool has_its_border_above(const Fronts& fronts, LocalIndex s) {
  const LocalIndex up = fronts.parent[s];
  const auto rows = fronts.border_of(s), places = fronts.in_parent_of(s);
  if (up == -1) return rows.empty();
  const Index pivots = fronts.pivots(up);
  const auto above = fronts.border_of(up);
  LocalIndex row_before = fronts.first[s + 1] - 1, place_before = -1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LocalIndex place = places[i];
    if (rows[i] <= row_before || place <= place_before ||
        place >= pivots + static_cast<Index>(above.size())) {
      return false;
    }
    if (rows[i] != (place < pivots ? fronts.first[up] + place : above[place - pivots])) {
      return false;
    }
    row_before = rows[i];
    place_before = place;
  }
  return true;
}

/// The error in the fronts of n unknowns, in a few words, or "".
std::string problem_of(const Fronts& fronts, Index n) {
  const auto count = static_cast<Index>(fronts.parent.size());
  if (static_cast<Index>(fronts.first.size()) != count + 1 || fronts.first.front() != 0 ||
      fronts.first.back() != n ||
      std::ranges::adjacent_find(fronts.first, std::greater_equal<>()) != fronts.first.end()) {
    return "its fronts are not those of its rows";
  }
  if (!are_starts(fronts.border_starts, count, fronts.border.size()) ||
      fronts.in_parent.size() != fronts.border.size() ||
      !are_starts(fronts.child_starts, count, fronts.children.size()) ||
      static_cast<Index>(fronts.first_of_subtree.size()) != count) {
    return "the parts of its fronts do not go together";
  }
  if (!is_tree(fronts)) return "its fronts are no tree";
  // From the roots down, so that what is above is sound.
  for (LocalIndex s = fronts.size() - 1; s >= 0; --s) {
    if (!has_its_border_above(fronts, s)) return "the border of a front is not in its parent";
  }
  return "";
}

/// The error in the entries between blocks, likewise: `seen` are the entries of A that are
/// somewhere already.
std::string problem_of(const OffDiagonalBlocks& off_diagonal_blocks, const Fronts& fronts,
                       std::vector<bool>& seen) {
  const auto blocks = static_cast<Index>(off_diagonal_blocks.roots.size());
  if (blocks == 0) {
    return off_diagonal_blocks.starts.empty() && off_diagonal_blocks.entries.empty()
               ? ""
               : "its blocks are not there";
  }
  if (blocks != std::ranges::count(fronts.parent, -1) ||
      !are_starts(off_diagonal_blocks.starts, blocks, off_diagonal_blocks.entries.size())) {
    return "its blocks are not its trees";
  }
  constexpr Index never = -1;
  std::vector<Index> block_at(static_cast<std::size_t>(fronts.order()), never);
  for (Index block = 0; block < blocks; ++block) {
    const LocalIndex root = off_diagonal_blocks.roots[block];
    if (root < 0 || root >= fronts.size() || fronts.parent[root] != -1) {
      return "its blocks are not its trees";
    }
    const LocalIndex first = fronts.first[fronts.first_of_subtree[root]];
    if (block_at[first] != never) return "its blocks are not its trees";
    std::fill(block_at.begin() + first, block_at.begin() + fronts.first[root + 1], block);
  }
  for (Index block = 0; block < blocks; ++block) {
    for (Index k = off_diagonal_blocks.starts[block]; k < off_diagonal_blocks.starts[block + 1];
         ++k) {
      const OffDiagonalEntry& entry = off_diagonal_blocks.entries[k];
      if (entry.source < 0 || entry.source >= static_cast<Index>(seen.size()) ||
          seen[entry.source]) {
        return "its entries are not those of a matrix";
      }
      seen[entry.source] = true;
      if (entry.row < 0 || entry.row >= fronts.order() || block_at[entry.row] != block ||
          entry.column < 0 || entry.column >= fronts.order() || block_at[entry.column] >= block) {
        return "an entry between its blocks is elsewhere";
      }
    }
  }
  return "";
}

/// The error in the entries of A, in its fronts and between blocks, likewise: LU has all of them,
/// other kinds those of one triangle.
std::string problem_of(const FrontEntries& entries, const OffDiagonalBlocks& off_diagonal_blocks,
                       const Fronts& fronts, bool lu, Index nonzeros) {
  if (!are_starts(entries.starts, fronts.size(), entries.entries.size())) {
    return "its entries are not those of its fronts";
  }
  const auto count =
      static_cast<Index>(entries.entries.size() + off_diagonal_blocks.entries.size());
  if (lu ? nonzeros != count : nonzeros < count || nonzeros > 2 * count) {
    return "its entries are not those of a matrix";
  }
  std::vector<bool> seen(static_cast<std::size_t>(nonzeros), false);
  for (LocalIndex s = 0; s < fronts.size(); ++s) {
    const LocalIndex pivots = fronts.pivots(s), border = fronts.border_size(s);
    for (const FrontEntry& entry : entries.of(s)) {
      if (entry.source < 0 || entry.source >= nonzeros || seen[entry.source]) {
        return "its entries are not those of a matrix";
      }
      seen[entry.source] = true;
      const bool upper = entry.column < 0;
      const LocalIndex column = upper ? ~entry.column : entry.column;
      if ((upper && !lu) || column >= pivots || entry.row < 0 ||
          entry.row >= (upper ? border : pivots + border)) {
        return "an entry of its fronts is outside of them";
      }
    }
  }
  return problem_of(off_diagonal_blocks, fronts, seen);
}

/// Whether rows are matched as the factorisation wants it: LU's with columns, those of L D L^T in
/// pairs, which have factors in common.
bool is_matched_rightly(const SparseAnalysis& analysis, const Head& head) {
  const bool moves = !analysis.row_of.empty();
  if (analysis.row_scale.empty()) return !moves && head.pairs == 0;
  if (head.kind == static_cast<int>(Factorization::lu)) return head.pairs == 0;
  return head.kind == static_cast<int>(Factorization::ldlt) && !moves &&
         analysis.row_scale == analysis.column_scale && head.pairs >= 0 &&
         head.pairs <= head.rows / 2;
}

std::string problem_of(const SparseAnalysis& analysis, const Head& head) {
  const Index n = head.rows;
  if (head.kind < 0 || head.kind > static_cast<int>(Factorization::lu) || head.ordering <= 0 ||
      head.ordering >= static_cast<int>(std::size(ordering_words)) ||
      !(head.seconds >= 0 && std::isfinite(head.seconds))) {
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
  const bool lu = head.kind == static_cast<int>(Factorization::lu);
  if (!is_matched_rightly(analysis, head)) {
    return "its rows are not matched as its factorisation wants it";
  }
  std::string problem = problem_of(analysis.fronts, n);
  return problem.empty() ? problem_of(analysis.entries, analysis.off_diagonal_blocks,
                                      analysis.fronts, lu, head.nonzeros)
                         : problem;
}

SparseAnalysis analysis_in(const SectionReader& reader) {
  SparseAnalysis analysis;
  Head head;
  BytesFromFile bytes(reader);
  bytes.begin({"analysis", version});
  bytes.value(head);
  bytes.end();
  for_arrays(analysis, [&](std::string_view name, auto& array) {
    bytes.begin({name, version});
    bytes.rest(array);
  });
  if (const std::string problem = problem_of(analysis, head); !problem.empty()) {
    reader.refuse("this is no analysis of a sparse matrix: {}", problem);
  }
  analysis.kind = static_cast<Factorization>(head.kind);
  analysis.ordering = static_cast<Ordering>(head.ordering);
  analysis.pattern = head.pattern;
  analysis.nonzeros = head.nonzeros;
  analysis.seconds = head.seconds;
  analysis.pairs = static_cast<LocalIndex>(head.pairs);
  analysis.count();
  return analysis;
}

}  // namespace

void save_analysis(const std::filesystem::path& path, const SparseAnalysis& analysis) {
  SectionWriter writer(path);
  const Head head{analysis.rows(),
                  analysis.nonzeros,
                  analysis.pattern,
                  analysis.seconds,
                  static_cast<std::int32_t>(analysis.kind),
                  static_cast<std::int32_t>(analysis.ordering),
                  analysis.pairs};
  writer.begin({"analysis", version});
  writer.write_values(std::span(&head, 1));
  for_arrays(analysis, [&](std::string_view name, const auto& array) {
    writer.begin({name, version});
    writer.write_values(std::span(array.data(), array.size()));
  });
  writer.commit();
}

std::uint64_t checksum_of(const SparseAnalysis& analysis) {
  Checksum sum;
  for_arrays(analysis, [&](std::string_view name, const auto& array) {
    const std::size_t size = array.size();
    sum.add(std::as_bytes(std::span(name)));
    sum.add(std::as_bytes(std::span(&size, 1)));
    sum.add(std::as_bytes(std::span(array.data(), size)));
  });
  return sum.value();
}

SparseAnalysis load_analysis(const std::filesystem::path& path) {
  try {
    const SectionReader reader(path);
    reader.verify();
    return analysis_in(reader);
  } catch (const Error& error) {
    fail(error.code(),
         "{}; name another solve.analysis_file, or remove this one if it is an analysis, which is "
         "then made anew",
         error.what());
  }
}

}  // namespace spsolve::sparse
