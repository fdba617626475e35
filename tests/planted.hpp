// Random block diagonals with structure that forms which follow the values are to find.
#pragma once

#include <array>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "formats/block_diagonals.hpp"
#include "formats/compact.hpp"

namespace quadrille::planted {

enum class Kind { nothing, constant, varies, mirror };

template <class T>
struct Operator {
  BlockDiagonals<T> hub;
  std::vector<Kind> kind;  // [diagonal][row][column]
};

template <class T>
bool same_bits(const BlockDiagonals<T>& a, const BlockDiagonals<T>& b) {
  return a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), static_cast<std::size_t>(a.values.bytes())) == 0;
}

inline std::int64_t neighbour_of(const BlockStructure& s, std::int64_t node, std::int64_t d) {
  const std::int64_t line = node / s.extents[0];
  return s.neighbour(node % s.extents[0], line % s.extents[1], line / s.extents[1], s.offsets[d]);
}

// The place of entry (d, r, c) of a node.
inline std::int64_t place(const BlockStructure& s, std::int64_t d, int r, int c, std::int64_t node) {
  return (d * s.dof + c) * s.rows() + node * s.dof + r;
}

// The last value that is not 0, or -1.
template <class T>
std::int64_t last_value(const BlockDiagonals<T>& hub) {
  for (std::int64_t i = hub.values.size() - 1; i >= 0; --i)
    if (hub.values[i] != 0) return i;
  return -1;
}

// A grid of 4 to 9 nodes an axis, or in steps of more, 1 to 3 unknowns, a star or a box, some axes periodic;
// each entry is nothing, constant, of its own at every node or, where its opposite is that, its mirror. Every
// fourth has no opposites. Integers from 1 to 7, or numbers in (0.5, 2).
template <class T>
Operator<T> draw(std::uint64_t seed, bool integer = false, int step = 1) {
  std::mt19937_64 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  std::uniform_real_distribution<double> uniform(0.5, 2);
  const auto number = [&] { return static_cast<T>(integer ? 1 + below(7) : uniform(random)); };
  Operator<T> a;
  BlockDiagonals<T>& hub = a.hub;
  const int dimension = 1 + below(3);
  for (int axis = 0; axis < dimension; ++axis) {
    hub.extents[axis] = 4 + step * below(6);
    hub.periodic[axis] = below(3) == 0;
  }
  hub.dof = 1 + below(3);
  const bool box = below(2) == 0, half = below(4) == 0;
  for (int z = dimension > 2 ? -1 : 0; z <= (dimension > 2 ? 1 : 0); ++z)
    for (int y = dimension > 1 ? -1 : 0; y <= (dimension > 1 ? 1 : 0); ++y)
      for (int x = -1; x <= 1; ++x) {
        const bool behind = z * 9 + y * 3 + x < 0;
        if ((box || std::abs(x) + std::abs(y) + std::abs(z) <= 1) && !(half && behind))
          hub.offsets.push_back({x, y, z});
      }
  const int b = hub.dof;
  hub.values = Array<T>(hub.diagonals() * b * hub.rows(), T(0));
  a.kind.resize(static_cast<std::size_t>(hub.diagonals()) * b * b);
  // From the last diagonal on, so that what may be mirrored is there.
  for (std::int64_t d = hub.diagonals() - 1; d >= 0; --d)
    for (int r = 0; r < b; ++r)
      for (int c = b - 1; c >= 0; --c) {
        const std::int64_t back = opposite(hub, d);
        const bool second = back > d || (back == d && r > c);
        Kind& kind = a.kind[(d * b + r) * b + c];
        kind = std::array{Kind::nothing, Kind::constant, Kind::varies}[below(3)];
        if (second && a.kind[(back * b + c) * b + r] == Kind::varies && below(2) == 0) kind = Kind::mirror;
        const T constant = number();
        for (std::int64_t node = 0; node < hub.nodes(); ++node) {
          const std::int64_t to = neighbour_of(hub, node, d);
          if (to < 0 || kind == Kind::nothing) continue;
          hub.values[place(hub, d, r, c, node)] = kind == Kind::constant ? constant
                                                  : kind == Kind::varies
                                                      ? number()
                                                      : hub.values[place(hub, back, c, r, to)];
        }
      }
  return a;
}

inline BlockDiagonals<double> symmetric_star(std::array<std::int64_t, 3> extents) {
  BlockDiagonals<double> hub;
  hub.extents = extents;
  hub.offsets = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  hub.values = Array<double>(7 * hub.nodes(), 0.0);
  for (std::int64_t node = 0; node < hub.nodes(); ++node) {
    hub.values[place(hub, 3, 0, 0, node)] = 6 + static_cast<double>(node);
    for (const std::int64_t d : {4, 5, 6}) {
      const std::int64_t to = neighbour_of(hub, node, d);
      if (to < 0) continue;
      hub.values[place(hub, d, 0, 0, node)] = hub.values[place(hub, 6 - d, 0, 0, to)] =
          -1 - 0.25 * static_cast<double>(node);
    }
  }
  return hub;
}

}  // namespace quadrille::planted
