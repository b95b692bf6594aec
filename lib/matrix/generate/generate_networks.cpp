// Matrices of networks: circuits, flows with interior-point scaling, random walks.

#include <algorithm>
#include <cmath>
#include <vector>

#include "matrix/generate/generator_keys.hpp"
#include "matrix/generate/merged_rows.hpp"
#include "matrix/generate/random_order.hpp"

namespace spsolve::inline matrix::generated {

namespace {

/// The random parts of a circuit, and those that every block of its nodes has.
class CircuitParts {
 protected:
  explicit CircuitParts(Index seed) : key_(key_of(seed, for_values)) {}

  // The uses of random numbers.
  enum Part : std::uint64_t { wire, net, member, supply, pair, transistor, terminal, attachment };

  std::uint64_t bits(Part part, Index number, Index level = 0) const {
    return random_bits(random_bits(key_, part + 8 * static_cast<std::uint64_t>(level)),
                       static_cast<std::uint64_t>(number));
  }

  /// The conductance of a part, with twelve decades: 2^-30 .. 2^10.
  double conductance(Part part, Index number, Index level = 0) const {
    return log_uniform(mix_bits(bits(part, number, level)), -30, 10);
  }

  // Source k lies between a node of the first half of block k of 16 and one of the second.
  Index positive(Index k) const { return 16 * k + random_below(bits(terminal, k), 8); }
  Index negative(Index k) const { return 16 * k + 8 + random_below(bits(terminal, k, 1), 8); }

  /// Of `nodes`, half are drains of a transistor whose gate is another node of their block of
  /// four, no node of more than one. Hands back what that adds to the diagonal.
  double add_transistors(Index i, Index nodes, Entries& entries) const {
    const Index first = i / 4 * 4;
    if (first + 4 > nodes) return 0;
    const Index step = 1 + random_below(bits(pair, first), 3);
    const auto strength = [&](Index drain) {
      return bits(transistor, drain) >> 63 == 0 ? conductance(transistor, drain, 1) : 0.0;
    };
    const double own = strength(i);
    if (own > 0) entries.add(first + (i + step) % 4, own);
    return own + strength(first + (i + 4 - step) % 4);
  }

  std::uint64_t key_;
};

/// The equations of a circuit by modified nodal analysis (Ho, Ruehli, Brennan 1975): the currents
/// of all nodes, then the voltages of the sources,
///     [ G  B ]   G: conductances and transconductances of the nodes,
///     [ B' 0 ]   B: the nodes that each voltage source lies between.
/// Nodes are wires of 8, the wires a binary tree; nets of 2^k of them, one a block of 4^k nodes, so
/// that sizes obey a power law and some sqrt(m) connections leave a block of m nodes (Rent's rule
/// with the exponent 1/2); pairs of a transistor's gate and drain; two supply nodes with one in 16
/// of all others each. From order 64 on there are sources: one of each supply, and one in 32
/// unknowns between nodes.
///
/// Nonsingular: every node also leaks some millionth of its conductances to ground, and its gates'
/// transconductances stand on the diagonal of both of their nodes, so that rows and columns of G
/// are strictly dominant with a positive diagonal, and G + G' is positive definite. No two sources
/// share a node, so that the columns of B are independent. With G v + B i = 0 and B' v = 0 then v'
/// G v = 0, so v = 0, and B i = 0, so i = 0.
class Circuit : CircuitParts {
 public:
  Circuit(Index order, Index seed)
      : CircuitParts(seed),
        sources_(order < 64 ? 0 : order / 32),
        supplies_(order < 64 ? 0 : 2),
        nodes_(order - sources_ - 2 * supplies_) {}

  Entries row(Index i) const {
    Entries entries;
    const Index source = i - nodes_ - supplies_;
    if (source >= supplies_) {
      entries.add(positive(source - supplies_), 1);
      entries.add(negative(source - supplies_), -1);
    } else if (source >= 0) {
      entries.add(nodes_ + source, 1);
    } else {
      add_node(i, entries);
    }
    return entries;
  }

 private:
  bool supplied(Index i, Index which) const { return bits(supply, i, which) % 16 == 0; }

  void add_node(Index i, Entries& entries) const {
    double sum = 0;
    const auto connect = [&](Index other, double strength) {
      entries.add(other, -strength);
      sum += strength;
    };
    if (i >= nodes_) {
      const Index which = i - nodes_;
      for (Index other = 0; other < nodes_; ++other) {
        if (supplied(other, which)) connect(other, conductance(supply, other, which));
      }
      entries.add(nodes_ + supplies_ + which, 1);
    } else {
      add_wires(i, connect);
      add_nets(i, connect);
      for (Index which = 0; which < supplies_; ++which) {
        if (supplied(i, which)) connect(nodes_ + which, conductance(supply, i, which));
      }
      sum += add_transistors(i, nodes_, entries);
      if (const Index k = i / 16; k < sources_) {
        const Index column = nodes_ + 2 * supplies_ + k;
        if (i == positive(k)) entries.add(column, 1);
        if (i == negative(k)) entries.add(column, -1);
      }
    }
    entries.add(i, sum + (sum * 0x1p-20 + 0x1p-30));
  }

  /// A wire's nodes are a chain; its first one is joined to the last of the wire above.
  template <typename Connect>
  void add_wires(Index i, const Connect& connect) const {
    const auto up = [&](Index node) {
      const Index wire_number = node / 8;
      return node % 8 > 0 ? node - 1 : (wire_number - 1) / 2 * 8 + 7;
    };
    const auto down = [&](Index node) {
      if (node < nodes_) connect(node, conductance(wire, node));
    };
    if (i > 0) connect(up(i), conductance(wire, i));
    if (i % 8 < 7) {
      down(i + 1);
    } else {
      down(8 * (2 * (i / 8) + 1));
      down(8 * (2 * (i / 8) + 2));
    }
  }

  /// The net of a block of 4^k nodes is a star: one node of each 2^k that follow each other, and a
  /// node of the block that they are all joined to.
  template <typename Connect>
  void add_nets(Index i, const Connect& connect) const {
    for (Index k = 1; Index{1} << (2 * k) <= nodes_; ++k) {
      const Index size = Index{1} << (2 * k), first = i / size * size;
      if (first + size > nodes_) continue;
      const Index middle = first + random_below(bits(net, first, k), size);
      const auto member_of = [&](Index part) {
        return (part << k) + random_below(bits(member, part, k), Index{1} << k);
      };
      if (i != middle) {
        if (i == member_of(i >> k)) connect(middle, conductance(net, i >> k, k));
        continue;
      }
      for (Index part = first >> k; part < (first + size) >> k; ++part) {
        if (const Index other = member_of(part); other != i) {
          connect(other, conductance(net, part, k));
        }
      }
    }
  }

  Index sources_;  // between nodes
  Index supplies_;
  Index nodes_;  // without the supplies'
};

/// As Circuit, of a network whose elimination ends in a dense core: the nodes are a binary tree;
/// the first `core` of them an expander as well, by random permutations; every node is attached to
/// one of these, more to those of small numbers (degrees by a power law with the exponent 3, as
/// preferential attachment has it: Barabasi, Albert 1999); and four hubs have one node in 64 each.
class Network : CircuitParts {
 public:
  Network(Index order, Index core, Index seed)
      : CircuitParts(seed),
        sources_(order < 64 ? 0 : order / 32),
        nodes_(order - sources_),
        core_(std::min(core, nodes_)),
        attached_(key_of(seed, for_order), nodes_) {
    for (std::uint64_t k = 0; k < permutations; ++k) {
      orders_.emplace_back(random_bits(key_of(seed, for_columns), k), core_);
    }
  }

  Entries row(Index i) const {
    Entries entries;
    if (i >= nodes_) {
      entries.add(positive(i - nodes_), 1);
      entries.add(negative(i - nodes_), -1);
      return entries;
    }
    double sum = 0;
    const auto connect = [&](Index other, double strength) {
      if (other == i) return;
      entries.add(other, -strength);
      sum += strength;
    };
    if (i > 0) connect((i - 1) / 2, conductance(wire, i));
    for (const Index below : {2 * i + 1, 2 * i + 2}) {
      if (below < nodes_) connect(below, conductance(wire, below));
    }
    if (i < core_) add_core(i, connect);
    const Index at = attached_(i);
    connect(at % width(level_of(at)), conductance(attachment, i));
    add_hubs(i, connect);
    sum += add_transistors(i, nodes_, entries);
    if (const Index k = i / 16; k < sources_) {
      if (i == positive(k)) entries.add(nodes_ + k, 1);
      if (i == negative(k)) entries.add(nodes_ + k, -1);
    }
    entries.add(i, sum + (sum * 0x1p-20 + 0x1p-30));
    return entries;
  }

 private:
  static constexpr std::uint64_t permutations = 3;
  static constexpr Index hubs = 4, apart = 64;

  // The upper half of all places, in a random order, is attached to all of the core, of the rest
  // the upper half to a fourth of it, and so on.
  Index level_of(Index at) const {
    Index level = 0;
    while (at < nodes_ >> (level + 1) && width(level + 1) > 1) ++level;
    return level;
  }
  Index width(Index level) const { return std::max<Index>(1, core_ >> (2 * level)); }

  template <typename Connect>
  void add_core(Index i, const Connect& connect) const {
    for (std::uint64_t k = 0; k < permutations; ++k) {
      const Index before = orders_[k].inverse(i), level = static_cast<Index>(k);
      connect(orders_[k](i), conductance(net, i, level));
      connect(before, conductance(net, before, level));
    }
    for (Index level = 0; i < width(level); ++level) {
      const bool is_last = width(level + 1) <= 1;
      const Index end = nodes_ >> level, first = is_last ? 0 : nodes_ >> (level + 1);
      for (Index at = i + (first - i + width(level) - 1) / width(level) * width(level); at < end;
           at += width(level)) {
        const Index other = attached_.inverse(at);
        connect(other, conductance(attachment, other));
      }
      if (is_last) break;
    }
  }

  template <typename Connect>
  void add_hubs(Index i, const Connect& connect) const {
    if (i % apart < hubs) connect(i % apart, conductance(supply, i));
    if (i >= hubs) return;
    for (Index other = i; other < nodes_; other += apart)
      connect(other, conductance(supply, other));
  }

  Index sources_, nodes_, core_;
  RandomOrder attached_;             // the place of each node
  std::vector<RandomOrder> orders_;  // of the core
};

}  // namespace

Csr<double> circuit(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0];
  const Circuit made(n, arguments.seed);
  return build_merged(arguments, n, 5, [&](Index i) { return made.row(i); });
}

Csr<double> network(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0];
  const Network made(n, arguments.sizes[1], arguments.seed);
  return build_merged(arguments, n, 10, [&](Index i) { return made.row(i); });
}

// Minimal costs of flows on the arcs of a grid of nodes, as a step of an interior-point method sees
// them. Node i of a grid of `width` nodes a row has the arcs 2 i, to the next of its row, and 2 i +
// 1, to the next row; where there is none, the arc leaves the network.
//
// Nonsingular, with as many positive eigenvalues as arcs and as many negative ones as nodes: H is
// positive definite, as the off-diagonal of its 2 x 2 blocks is at most half of either diagonal,
// and the rows of A are independent, as y' A = 0 means that y is the same at both ends of every
// arc, and zero where one leaves; all nodes are connected, and the arcs of the last one leave.
Csr<double> kkt(const GeneratorArguments& arguments) {
  const Index n = arguments.sizes[0], nodes = n / 3, arcs = n - nodes;
  const auto width =
      std::max<Index>(1, static_cast<Index>(std::floor(std::sqrt(static_cast<double>(nodes)))));
  const std::uint64_t key = key_of(arguments.seed, for_values);
  const auto scale = [key](Index arc) {
    return log_uniform(random_bits(key, static_cast<std::uint64_t>(arc)), -20, 20);
  };
  const auto entries_of = [=](Index i) {
    Entries entries;
    const auto outgoing = [&](Index node) {
      entries.add(2 * node, 1);
      entries.add(2 * node + 1, 1);
    };
    if (i >= arcs) {
      const Index node = i - arcs;
      if (node % width > 0) entries.add(2 * (node - 1), -1);
      if (node >= width) entries.add(2 * (node - width) + 1, -1);
      outgoing(node);
      // One or two arcs more where n is no multiple of three: they leave node 0.
      for (Index arc = 2 * nodes; node == 0 && arc < arcs; ++arc) entries.add(arc, 1);
      return entries;
    }
    entries.add(i, scale(i));
    if (i >= 2 * nodes) {
      if (nodes > 0) entries.add(arcs, 1);
      return entries;
    }
    const Index partner = i ^ 1, node = i / 2;
    const double sign = random_bits(key, static_cast<std::uint64_t>(n + node)) >> 63 == 0 ? 1 : -1;
    entries.add(partner, sign * 0.5 * std::min(scale(i), scale(partner)));
    entries.add(arcs + node, 1);
    const Index head = i % 2 == 0 ? (node % width + 1 < width ? node + 1 : nodes) : node + width;
    if (head < nodes) entries.add(arcs + head, -1);
    return entries;
  };
  return build_merged(arguments, n, 4, entries_of);
}

// Nonsingular: its rows are strictly dominant. An expander, as unions of random permutations are
// (Friedman 2008): every half of the nodes has a share of all nodes as neighbours outside, so that
// no order of elimination has small separators.
Csr<double> cage(const GeneratorArguments& arguments) {
  constexpr std::uint64_t permutations = 8;
  const Index n = arguments.sizes[0];
  const std::uint64_t order_key = key_of(arguments.seed, for_order);
  const std::uint64_t value_key = key_of(arguments.seed, for_values);
  std::vector<RandomOrder> orders;
  for (std::uint64_t k = 0; k < permutations; ++k) {
    orders.emplace_back(random_bits(order_key, k), n);
  }
  return build_merged(arguments, n, 17, [=](Index i) {
    const std::uint64_t key = random_bits(value_key, static_cast<std::uint64_t>(i));
    Entries entries;
    double sum = 1;
    const auto step_to = [&](Index j, std::uint64_t which) {
      if (j == i) return;
      const double value = unit_interval(random_bits(key, which)) - 1;
      entries.add(j, value);
      sum -= value;
    };
    for (std::uint64_t k = 0; k < permutations; ++k) {
      step_to(orders[k](i), 2 * k);
      step_to(orders[k].inverse(i), 2 * k + 1);
    }
    entries.add(i, sum);
    return entries;
  });
}

}  // namespace spsolve::matrix::generated
