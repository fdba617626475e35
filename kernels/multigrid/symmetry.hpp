// How far an operator is from a symmetric one. Chebyshev's weights are for eigenvalues of D^-1 A on a stretch
// of the real axis, and make what belongs to complex ones larger: such operators, of advection or of unknowns
// that couple one way, are smoothed with equal weights. Internal to kernels/multigrid.
#pragma once

#include <optional>

#include "kernels/multigrid/setup_steps.hpp"
#include "kernels/multigrid/shared_operator.hpp"

namespace quadrille::multigrid {

// The largest over rows of the sum of |A - A^T| over that of |A| + |A^T|: 0 of a symmetric operator, 1 of one
// whose rows meet nothing in their columns, or the opposite. Couplings to unknowns that are given, as PETSc's
// tutorials have them in faces, and their rows count as symmetric. Of a row of `nodes` a call.
struct FarFromSymmetric {
  static constexpr std::int64_t work = 20;
  Couplings s;
  const double* values;
  StoredNodes nodes;

  constexpr std::int64_t size() const { return std::int64_t{nodes.all ? s.nodes : nodes.nodes()} * s.dof; }
  // Of the row of a node's unknown r, where the values of the node begin.
  constexpr double entry(int diagonal, std::int64_t place, int r, int c) const {
    return values[(std::int64_t{diagonal} * s.dof + c) * s.stored_rows + place + r];
  }
  constexpr bool is_given(std::int64_t place, int r) const {
    for (int d = 0; d < s.count; ++d)
      for (int c = 0; c < s.dof; ++c)
        if (entry(s.diagonal[d], place, r, c) != 0) return false;
    return true;
  }
  constexpr double operator()(std::int64_t row) const {
    const int number = s.node_of(row), r = static_cast<int>(row - std::int64_t{number} * s.dof);
    const std::array<int, 3> at = nodes.all ? s.position(number) : nodes.position(number);
    if (at[0] >= s.n[0]) return 0;
    const int node = s.index(at);
    const std::int64_t place = s.place(std::int64_t{node} * s.dof);
    if (!s.owns(node) || is_given(place, r)) return 0;
    double differs = 0, all = 0;
    const auto add = [&](double own, double opposite) {
      differs += absolute(own - opposite);
      all += absolute(own) + absolute(opposite);
    };
    for (int c = 0; c < s.dof; ++c) add(entry(s.centre, place, r, c), entry(s.centre, place, c, r));
    for (int d = 0; d < s.count; ++d) {
      if (!s.leads_inside(at, d)) continue;
      const signed char* const o = s.offset[d];
      const int back = s.box[(1 - o[2]) * 9 + (1 - o[1]) * 3 + 1 - o[0]];
      const std::int64_t there = s.place_beside(at, node, d);
      for (int c = 0; c < s.dof; ++c) {
        if (s.by_kind && c != r) continue;
        const double own = entry(s.diagonal[d], place, r, c),
                     opposite = back < 0 ? 0 : entry(back, there, c, r);
        add(own, own != 0 && opposite == 0 && is_given(there, c) ? own : opposite);
      }
    }
    return all > 0 ? differs / all : 0;
  }
};

// Of the first coarse operator, which tells for all levels.
class Symmetry {
 public:
  // Of an operator that is known to be symmetric nothing need be looked at.
  void take_as_symmetric() { far_ = false; }
  // An operator that this rank has all of.
  template <class Machine>
  void look(Machine& machine, const BlockDiagonals<double, typename Machine::Space>& a,
            const StoredNodes& stored = {}) {
    if (!far_)
      far_ =
          machine.largest(FarFromSymmetric{couplings_of(a, nullptr, stored), a.values.data(), stored}) > near;
  }
  // Of a box, the rows of other ranks with it.
  template <class Machine>
  void look(Machine& machine, const BlockDiagonals<double, typename Machine::Space>& a,
            const SharedLevel& level) {
    if (!far_)
      far_ = level.ranks->largest(
                 machine.largest(FarFromSymmetric{couplings_of(a, &level.box), a.values.data(), {}})) > near;
  }
  bool is_far() const { return far_.value_or(false); }

 private:
  // Steady advection at 0.11 and 0.21 takes 10 and 12 iterations with Chebyshev's weights and 12 and 14 with
  // equal ones, at 0.23 17 and 11, at 0.77 42 and 25.
  static constexpr double near = 0.2;
  std::optional<bool> far_;
};

}  // namespace quadrille::multigrid
