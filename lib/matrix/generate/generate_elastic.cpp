// Finite elements of linear elasticity.

#include <array>

#include "matrix/generate/generated_rows.hpp"
#include "matrix/generate/generator_keys.hpp"

namespace spsolve::inline matrix::generated {

namespace {

using Corner = std::array<int, 3>;  // 0 or 1 along x, y, z

/// 72 times the integral over the unit cube of
///     lambda d_p f_a d_q f_b + mu (d_q f_a d_p f_b + [p = q] grad f_a . grad f_b)
/// for the trilinear functions f_a and f_b that are 1 at corners a and b, with lambda = 3 and mu =
/// 2 (Poisson's ratio 0.3): an integer. Integrals over the cube are products of those over its
/// edges.
int stiffness(const Corner& a, int p, const Corner& b, int q) {
  const auto mass = [&](int axis) { return a[axis] == b[axis] ? 2 : 1; };    // 6 times
  const auto slope = [&](int axis) { return a[axis] == b[axis] ? 1 : -1; };  // once
  const auto sign = [](const Corner& corner, int axis) { return corner[axis] == 1 ? 1 : -1; };
  // 72 times the integral of d_s f_a d_t f_b
  const auto gradients = [&](int s, int t) {
    if (s == t) return 2 * slope(s) * mass((s + 1) % 3) * mass((s + 2) % 3);
    return 3 * sign(a, s) * sign(b, t) * mass(3 - s - t);
  };
  int value = 3 * gradients(p, q) + 2 * gradients(q, p);
  for (int axis = 0; p == q && axis < 3; ++axis) value += 2 * gradients(axis, axis);
  return value;
}

}  // namespace

// Positive definite: the energy of a displacement that keeps the clamped face, which is zero for
// rigid motions only, and a rigid motion that keeps three points is none. Moduli and element
// matrices are small dyadic numbers, so that no sum is rounded and A is exactly symmetric.
Csr<double> elastic3d(const GeneratorArguments& arguments) {
  const Index side = arguments.sizes[0];  // elements; nodes are one more, less the clamped layer
  const Index width = side + 1;
  const std::uint64_t key = key_of(arguments.seed, for_values);
  std::array<int, 24 * 24> table{};
  for (int a = 0; a < 24; ++a) {
    for (int b = 0; b < 24; ++b) {
      const auto corner = [](int node) { return Corner{node & 1, node >> 1 & 1, node >> 2}; };
      table[a * 24 + b] = stiffness(corner(a / 3), a % 3, corner(b / 3), b % 3);
    }
  }
  const auto neighbours = [side](Index x) { return 1 + (x > 0) + (x < side); };
  const auto length = [=](Index i) {
    const Index node = i / 3, z = node / width / width + 1;
    // The layer z = 0 is clamped.
    return 3 * neighbours(node % width) * neighbours(node / width % width) *
           (neighbours(z) - (z == 1));
  };
  const Index rows = 3 * width * width * side;
  return build(arguments, rows, rows, 81, length, [=](Index i, Row row) {
    const Index node = i / 3;
    const Index x = node % width, y = node / width % width, z = node / width / width + 1;
    const auto first = [](Index a, Index b) { return std::max<Index>(std::max(a, b) - 1, 0); };
    const auto last = [=](Index a, Index b) { return std::min(std::min(a, b), side - 1); };
    for (Index zz = std::max<Index>(z - 1, 1); zz <= std::min(z + 1, side); ++zz) {
      for (Index yy = std::max<Index>(y - 1, 0); yy <= std::min(y + 1, side); ++yy) {
        for (Index xx = std::max<Index>(x - 1, 0); xx <= std::min(x + 1, side); ++xx) {
          std::array<double, 3> sum{};
          // The elements that both nodes are corners of.
          for (Index ez = first(z, zz); ez <= last(z, zz); ++ez) {
            for (Index ey = first(y, yy); ey <= last(y, yy); ++ey) {
              for (Index ex = first(x, xx); ex <= last(x, xx); ++ex) {
                const Index element = (ez * side + ey) * side + ex;
                const auto bits = random_bits(key, static_cast<std::uint64_t>(element));
                const double modulus = static_cast<double>(512 + (bits >> 55)) / 1024;
                const Index a = (x - ex) + 2 * (y - ey) + 4 * (z - ez);
                const Index b = (xx - ex) + 2 * (yy - ey) + 4 * (zz - ez);
                for (int q = 0; q < 3; ++q) {
                  sum[q] += modulus * table[(3 * a + i % 3) * 24 + 3 * b + q];
                }
              }
            }
          }
          const Index other = ((zz - 1) * width + yy) * width + xx;
          for (int q = 0; q < 3; ++q) row.put(3 * other + q, sum[q]);
        }
      }
    }
  });
}

Dense<double> coordinates_of_elastic3d(const GeneratorArguments& arguments) {
  const Index side = arguments.sizes[0], width = side + 1, nodes = width * width * side;
  const Index first = std::min(arguments.first_row, nodes);
  Dense<double> places(std::min(arguments.last_row, nodes) - first, 3);
  for (Index i = 0; i < places.rows; ++i) {
    const Index node = first + i;
    places(i, 0) = static_cast<double>(node % width);
    places(i, 1) = static_cast<double>(node / width % width);
    places(i, 2) = static_cast<double>(node / width / width + 1);
  }
  return places;
}

}  // namespace spsolve::matrix::generated
