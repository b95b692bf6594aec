// Systems [H A'; A 0] of interior-point methods, step by step: H is the diagonal, A a family's.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "matrix/generate/generated_rows.hpp"
#include "matrix/generate/generator_keys.hpp"

namespace spsolve::inline matrix::generated {

namespace {

/// An entry of A, in a row or a column of it.
struct ConstraintEntry {
  Index at;
  double value;
};

/// A few entries, in any order until they are taken out.
class ConstraintEntries {
 public:
  void add(Index at, double value) { entries_.push_back({at, value}); }
  std::vector<ConstraintEntry> ascending() {
    std::ranges::sort(entries_, {}, &ConstraintEntry::at);
    return std::move(entries_);
  }

 private:
  std::vector<ConstraintEntry> entries_;
};

/// 2^t, but for straight lines between powers of two: the same bits on every machine.
double about_power_of_two(double t) {
  const double whole = std::floor(t);
  return std::ldexp(1 + (t - whole), static_cast<int>(whole));
}

/// The system of a family at step s of 100: variable v has the weight 10^(8 s/100 u_v) about, with
/// u_v uniform in [-1, 1) and the same in all steps, as barriers spread them. Zeros on the diagonal
/// of the second part are stored, where optimisers shift.
///
/// Nonsingular, with as many negative eigenvalues as A has rows, where these are independent: then
/// Schur's complement -A H^-1 A' is negative definite.
template <typename Constraints>
Csr<double> interior_point(const GeneratorArguments& arguments, const Constraints& a) {
  const Index variables = a.variables(), order = variables + a.rows();
  const std::uint64_t key = key_of(arguments.seed, for_values);
  constexpr double decades = 8, last_step = 100, bits_of_decade = 3.321928094887362;
  const double spread =
      decades * bits_of_decade * static_cast<double>(arguments.sizes[1]) / last_step;
  const auto row_of = [&](Index i) {
    ConstraintEntries row;
    if (i < variables) {
      const double u = symmetric_interval(random_bits(key, static_cast<std::uint64_t>(i)));
      row.add(i, about_power_of_two(spread * u));
      for (const ConstraintEntry& entry : a.column(i).ascending())
        row.add(variables + entry.at, entry.value);
    } else {
      row = a.row(i - variables);
      row.add(i, 0);
    }
    return row;
  };
  return build(
      arguments, order, order, a.average,
      [&](Index i) { return std::ssize(row_of(i).ascending()); },
      [&](Index i, Row row) {
        for (const ConstraintEntry& entry : row_of(i).ascending()) row.put(entry.at, entry.value);
      });
}

/// Flows on the arcs of a network that have a tail and a head, which may be outside of it: +1 at
/// the tail, -1 at the head. Every arc's ends and every node's arcs are known by formulas.
template <typename Network>
class Flow {
 public:
  static constexpr double average = 4;

  explicit Flow(const Network& network) : network_(network) {}
  Index variables() const { return network_.arcs(); }
  Index rows() const { return network_.nodes; }

  ConstraintEntries row(Index node) const {
    ConstraintEntries entries;
    network_.arcs_of(node, [&](Index arc) { entries.add(arc, sign(node, arc)); });
    return entries;
  }

  ConstraintEntries column(Index arc) const {
    ConstraintEntries entries;
    const auto [tail, head] = network_.ends(arc);
    entries.add(tail, 1);
    if (head >= 0 && head != tail) entries.add(head, -1);
    return entries;
  }

 private:
  double sign(Index node, Index arc) const { return network_.ends(arc)[0] == node ? 1 : -1; }

  Network network_;
};

/// A binary tree of nodes, each with an arc to its parent, the root's leaving; and one chord for
/// every 16 nodes to a node at most 63 further on.
struct NearTree {
  static constexpr Index apart = 16, reach = 63;

  Index nodes;
  std::uint64_t key;

  Index chords() const { return (nodes - 1) / apart; }
  Index arcs() const { return nodes + chords(); }
  Index end_of(Index chord) const {
    const Index most = std::min(reach, nodes - 1 - apart * chord);
    return apart * chord + 1 +
           random_below(random_bits(key, static_cast<std::uint64_t>(chord)), most);
  }
  std::array<Index, 2> ends(Index arc) const {
    if (arc < nodes) return {arc, arc == 0 ? -1 : (arc - 1) / 2};
    return {apart * (arc - nodes), end_of(arc - nodes)};
  }
  template <typename Tell>
  void arcs_of(Index node, const Tell& tell) const {
    tell(node);
    for (const Index child : {2 * node + 1, 2 * node + 2}) {
      if (child < nodes) tell(child);
    }
    if (node % apart == 0 && node / apart < chords()) tell(nodes + node / apart);
    for (Index chord = std::max<Index>(0, (node - reach - 1) / apart);
         chord < chords() && apart * chord < node; ++chord) {
      if (end_of(chord) == node) tell(nodes + chord);
    }
  }
};

/// Nodes of a grid, each with an arc to the next of its row, and one to the next row; where there
/// is none, the arc leaves.
struct Streets {
  Index nodes, width;

  Index arcs() const { return 2 * nodes; }
  std::array<Index, 2> ends(Index arc) const {
    const Index node = arc / 2;
    const Index head = arc % 2 == 1 ? node + width : node % width + 1 < width ? node + 1 : nodes;
    return {node, head < nodes ? head : -1};
  }
  template <typename Tell>
  void arcs_of(Index node, const Tell& tell) const {
    tell(2 * node);
    tell(2 * node + 1);
    if (node % width > 0) tell(2 * (node - 1));
    if (node >= width) tell(2 * (node - width) + 1);
  }
};

/// State y and control u on a grid of d dimensions, -L y + u = f: A = [-L I] for its Laplacian.
template <int dimensions>
class PdeConstraints {
 public:
  static constexpr double average = 3 + 2 * dimensions;

  explicit PdeConstraints(Index side) : side_(side) {}
  Index rows() const { return dimensions == 3 ? side_ * side_ * side_ : side_ * side_; }
  Index variables() const { return 2 * rows(); }

  ConstraintEntries row(Index i) const {
    ConstraintEntries entries = of_states(i);
    entries.add(rows() + i, 1);
    return entries;
  }

  ConstraintEntries column(Index variable) const {
    if (variable < rows()) return of_states(variable);
    ConstraintEntries entries;
    entries.add(variable - rows(), 1);
    return entries;
  }

 private:
  ConstraintEntries of_states(Index i) const {
    ConstraintEntries entries;
    entries.add(i, -2 * dimensions);
    for (Index stride = 1, left = dimensions; left > 0; stride *= side_, --left) {
      const Index place = i / stride % side_;
      if (place > 0) entries.add(i - stride, 1);
      if (place + 1 < side_) entries.add(i + stride, 1);
    }
    return entries;
  }

  Index side_;
};

/// x_(k+1) = F_k x_k + G_k u_k with 8 states and 4 controls at each of N stages, x_0 given; F_k =
/// I / 2 + noise, G_k random. Variables are u_0, x_1, u_1, x_2 ...
class ControlConstraints {
 public:
  static constexpr Index states = 8, controls = 4, stage = states + controls;
  static constexpr double average = 14;

  ControlConstraints(Index stages, std::uint64_t key) : stages_(stages), key_(key) {}
  Index variables() const { return stage * stages_; }
  Index rows() const { return states * stages_; }

  ConstraintEntries row(Index row) const {
    const Index k = row / states, i = row % states;
    ConstraintEntries entries;
    for (Index j = 0; j < controls; ++j) entries.add(stage * k + j, value(row, states + j));
    entries.add(stage * k + controls + i, -1);
    for (Index j = 0; k > 0 && j < states; ++j) {
      entries.add(stage * (k - 1) + controls + j, of_state(row, j));
    }
    return entries;
  }

  ConstraintEntries column(Index variable) const {
    const Index k = variable / stage, j = variable % stage;
    ConstraintEntries entries;
    if (j < controls) {
      for (Index i = 0; i < states; ++i) {
        entries.add(states * k + i, value(states * k + i, states + j));
      }
      return entries;
    }
    const Index state = j - controls;
    entries.add(states * k + state, -1);
    for (Index i = 0; k + 1 < stages_ && i < states; ++i) {
      const Index row = states * (k + 1) + i;
      entries.add(row, of_state(row, state));
    }
    return entries;
  }

 private:
  double value(Index row, Index column) const {
    return symmetric_interval(random_bits(key_, static_cast<std::uint64_t>(stage * row + column)));
  }
  double of_state(Index row, Index j) const {
    return (row % states == j ? 0.5 : 0.0) + 0.25 * value(row, j);
  }

  Index stages_;
  std::uint64_t key_;
};

/// n / 3 rows of 4 normal entries, row i in columns 3 i to 3 i + 59.
class BandConstraints {
 public:
  static constexpr Index apart = 3, width = 60, most = 4;
  static constexpr double average = 3;

  BandConstraints(Index variables, std::uint64_t key) : variables_(variables), key_(key) {}
  Index variables() const { return variables_; }
  Index rows() const { return variables_ / apart; }

  ConstraintEntries row(Index i) const {
    ConstraintEntries entries;
    const std::array<Index, most> columns = columns_of(i);
    for (Index k = 0; k < most; ++k) {
      if (columns[k] >= 0) entries.add(columns[k], value(i, k));
    }
    return entries;
  }

  ConstraintEntries column(Index variable) const {
    ConstraintEntries entries;
    for (Index i = std::max<Index>(0, (variable - width) / apart);
         i < rows() && apart * i <= variable; ++i) {
      const std::array<Index, most> columns = columns_of(i);
      for (Index k = 0; k < most; ++k) {
        if (columns[k] == variable) entries.add(i, value(i, k));
      }
    }
    return entries;
  }

 private:
  std::uint64_t bits(Index i, Index number) const {
    return random_bits(random_bits(key_, static_cast<std::uint64_t>(i)),
                       static_cast<std::uint64_t>(number));
  }

  /// Different ones; -1 where there are not so many.
  std::array<Index, most> columns_of(Index i) const {
    const Index range = std::min(width, variables_ - apart * i);
    std::array<Index, most> found;
    found.fill(-1);
    for (Index k = 0, number = 0; k < std::min(most, range); ++number) {
      const Index column = apart * i + random_below(bits(i, number), range);
      if (std::ranges::count(found, column) == 0) found[k++] = column;
    }
    return found;
  }

  /// Twelve uniform numbers add up to nearly a normal one.
  double value(Index i, Index k) const {
    constexpr Index twelve = 12, first = 1 << 20;
    double sum = 0;
    for (Index j = 0; j < twelve; ++j) {
      sum += symmetric_interval(bits(i, first + twelve * k + j)) / 2;
    }
    return sum;
  }

  Index variables_;
  std::uint64_t key_;
};

std::uint64_t key_of_network(const GeneratorArguments& arguments) {
  return key_of(arguments.seed, for_columns);
}

}  // namespace

Csr<double> ipm_tree(const GeneratorArguments& arguments) {
  return interior_point(arguments, Flow(NearTree{arguments.sizes[0], key_of_network(arguments)}));
}

Csr<double> ipm_flow(const GeneratorArguments& arguments) {
  const Index nodes = arguments.sizes[0];
  const auto width = static_cast<Index>(std::sqrt(static_cast<double>(nodes)));
  return interior_point(arguments, Flow(Streets{nodes, std::max<Index>(1, width)}));
}

Csr<double> ipm_pde2d(const GeneratorArguments& arguments) {
  return interior_point(arguments, PdeConstraints<2>(arguments.sizes[0]));
}

Csr<double> ipm_pde3d(const GeneratorArguments& arguments) {
  return interior_point(arguments, PdeConstraints<3>(arguments.sizes[0]));
}

Csr<double> ipm_control(const GeneratorArguments& arguments) {
  return interior_point(arguments,
                        ControlConstraints(arguments.sizes[0], key_of_network(arguments)));
}

Csr<double> ipm_band(const GeneratorArguments& arguments) {
  return interior_point(arguments, BandConstraints(arguments.sizes[0], key_of_network(arguments)));
}

}  // namespace spsolve::matrix::generated
