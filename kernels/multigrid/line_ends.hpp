// Lines that end in another rank's box, solved as the wholes that they are. Internal to kernels/multigrid.
//
// Each rank solves its part with the old values of the nodes beside it, and sees how much its first and its
// last node move, d. With the new values beside them they move, linearly in how much those do, by
//
//     e_first(part) = d_first(part) + B_first e_last(part - 1) + A_first e_first(part + 1)
//     e_last(part)  = d_last(part)  + B_last  e_last(part - 1) + A_last  e_first(part + 1)
//
// with blocks B and A that set-up finds by solving with one unknown moved. The ranks of a line tell each
// other their d; of the inverse of these equations each has the rows of the nodes beside its part, moves
// those, and solves its part again. Source: the SPIKE algorithm (E. Polizzi and A. Sameh, Parallel Computing
// 32, 2006); its spikes, which are as large as the factors, are not stored: to solve again takes as long as
// they do.
#pragma once

#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "formats/array.hpp"
#include "kernels/multigrid/ranks.hpp"

namespace quadrille::multigrid {

// The first and the last nodes of all parts of a rank's lines: [part][first or last][line][unknown].
struct LineEnds {
  int axis = 0, parts = 1, part = 0;    // of a line, and which of them this rank has
  int first[3] = {}, n[3] = {1, 1, 1};  // the rank's own nodes in its box
  int dof = 1;

  constexpr int fast() const { return axis == 0 ? 1 : 0; }
  constexpr int slow() const { return axis == 2 ? 1 : 2; }
  constexpr int lines() const { return n[fast()] * n[slow()]; }
  constexpr int line(const std::array<int, 3>& at) const {
    return at[fast()] - first[fast()] + n[fast()] * (at[slow()] - first[slow()]);
  }
  constexpr std::array<int, 3> at(int line) const {  // its first node
    std::array<int, 3> at{};
    at[axis] = first[axis];
    at[fast()] = first[fast()] + line % n[fast()];
    at[slow()] = first[slow()] + line / n[fast()];
    return at;
  }
  constexpr std::int64_t node(int of_part, int end, int line) const {
    return (std::int64_t{2} * of_part + end) * lines() + line;
  }
  constexpr std::int64_t nodes() const { return node(parts, 0, 0); }
  constexpr std::int64_t size() const { return nodes() * dof; }
  // Where the rank's part begins (0) and ends (1), whether the line goes on beside that, and where.
  constexpr int end_node(int end) const { return end == 0 ? first[axis] : first[axis] + n[axis] - 1; }
  constexpr bool goes_on(int side) const { return side == 0 ? part > 0 : part + 1 < parts; }
  constexpr int beside(int side) const { return side == 0 ? first[axis] - 1 : first[axis] + n[axis]; }
};

// Of lines whose parts the ranks along their axis have: none where one rank has them whole.
template <class T, class Space>
struct SplitLines {
  LineEnds ends;
  std::unique_ptr<NodeExchange> exchange;  // of all parts' ends
  Array<T, Space> moves;                   // d
  // How the unknowns beside the part move by them: [side][unknown there][part][first or last][unknown][line].
  Array<T, Space> inverse;
  bool there() const { return ends.parts > 1; }
};

// Of one line the rows of the inverse that a rank has, from B and A of all parts, [side][unknown that moved].
template <class T>
void invert_ends(const LineEnds& ends, const std::vector<Array<double>>& by_one, int line, T* inverse) {
  const int dof = ends.dof, size = 2 * ends.parts * dof, wanted = 2 * dof, width = size + wanted;
  std::vector<double> rows(static_cast<std::size_t>(size) * width,
                           0.0);  // the transpose, beside what is wanted
  const auto at = [&](int r, int c) -> double& { return rows[static_cast<std::size_t>(r) * width + c]; };
  const auto unknown = [dof](int part, int end, int r) { return (2 * part + end) * dof + r; };
  for (int i = 0; i < size; ++i) at(i, i) = 1;
  for (int part = 0; part < ends.parts; ++part)
    for (const int side : {0, 1}) {
      const int beside = side == 0 ? part - 1 : part + 1;
      if (beside < 0 || beside >= ends.parts) continue;
      for (int c = 0; c < dof; ++c)
        for (int i = 0; i < 2 * dof; ++i)
          at(unknown(beside, 1 - side, c), unknown(part, 0, i)) -=
              by_one[side * dof + c][ends.node(part, i / dof, line) * dof + i % dof];
    }
  for (const int side : {0, 1})
    for (int r = 0; r < dof && ends.goes_on(side); ++r)
      at(unknown(side == 0 ? ends.part - 1 : ends.part + 1, 1 - side, r), size + side * dof + r) = 1;
  // By Gauss and Jordan, without exchanges: ends move by less than what is beside them. One that the others
  // leave free, of a line that constants are mapped to zero by, is held.
  constexpr double rounding = 1e-11;
  for (int k = 0; k < size; ++k) {
    const double scale = std::abs(at(k, k)) > rounding ? 1 / at(k, k) : 0;
    for (int c = k; c < width; ++c) at(k, c) *= scale;
    for (int r = 0; r < size; ++r) {
      const double factor = r == k ? 0 : at(r, k);
      for (int c = k; c < width && factor != 0; ++c) at(r, c) -= factor * at(k, c);
    }
  }
  for (int row = 0; row < wanted; ++row)
    for (int i = 0; i < size; ++i)
      inverse[(std::int64_t{row} * size + i) * ends.lines() + line] = static_cast<T>(at(i, size + row));
}

// Of the lines along an axis, without the inverse. Collective.
template <class T, class Space>
SplitLines<T, Space> split_lines(Ranks& ranks, const Partition& p, const RankBox& box, int axis, int dof) {
  SplitLines<T, Space> split;
  LineEnds& ends = split.ends;
  ends = {axis, p.ranks_along(axis), place_of(p, p.rank)[axis], {}, {}, dof};
  for (int k = 0; k < 3; ++k) {
    ends.first[k] = static_cast<int>(box.own[k]);
    ends.n[k] = static_cast<int>(box.own_size[k]);
  }
  if (!split.there()) return split;
  // Each part's ends stand in the same place on all ranks of a line.
  const auto ends_to = [&](int rank) {
    const NodeBox own = box_of(p, rank);
    const std::int64_t nodes = 2 * own.size[ends.fast()] * own.size[ends.slow()];
    NodePosition at = own.first;
    std::vector<BoxTransfer> transfers;
    for (int part = 0; part < ends.parts; ++part) {
      if (part == place_of(p, rank)[axis]) continue;
      at[axis] = p.cuts[axis][part];
      const BoxWithin of_part{{nodes, 1, 1}, part * nodes, nodes, nodes};
      transfers.push_back({owner_of(p, at), of_part, of_part});
    }
    return transfers;
  };
  split.exchange = ranks.exchange(ends_to, ends.nodes(), dof, std::is_same_v<Space, Device>);
  split.moves = Array<T, Space>(ends.size());
  return split;
}

}  // namespace quadrille::multigrid
