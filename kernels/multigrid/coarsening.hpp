// Which axes the next coarser grid halves, where its nodes are, and how it is interpolated from. Internal to
// kernels/multigrid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/multigrid/coarsening_steps.hpp"
#include "kernels/multigrid/galerkin_axis.hpp"
#include "kernels/multigrid/grid_choice.hpp"
#include "kernels/multigrid/kept.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/multigrid/operator_weights.hpp"
#include "kernels/multigrid/packed_tables.hpp"
#include "kernels/multigrid/shared_level.hpp"

namespace quadrille::multigrid {

// An axis is halved where its couplings have a larger share of the strongest axis' than this, by more than
// rounding: spacings of 1:2 along two axes are at it, and take half the iterations where it is not halved.
inline constexpr double strong_share = 0.25 * (1 + 1e-4);
// Weights no further than this from linear ones are taken as linear, as where couplings differ by three times
// from one side of a node to the other; of coefficients that jump by twenty times or more they are far.
inline constexpr double nearly_linear = 0.25, far_from_linear = 0.45;
// Rows whose weights differ by no more are alike.
inline constexpr double nearly_alike = 0.1;
// Where rows are alike and this share of couplings is advection, or less, what is smooth is nearly linear,
// and sweeps do for the rest; weights by the operator save iterations where it is more.
inline constexpr double strong_drift = 0.5;

// The tables of the next coarser grid, of this rank's box where ranks share the level.
template <class Space>
struct CoarseGrid {
  std::array<AxisInterpolation, 3> axes;
  // Where the tables of an axis stand among the packed ones.
  struct AxisPlaces {
    std::int64_t node = 0, first = 0, reader = 0, weight = 0, between = 0, fine = 0, shares = 0, corner = 0;
    RegularNodes regular = {};
    std::int64_t halved = -1;  // none
    int first_halved = 0;
  };
  PackedTables<Space> tables;
  std::array<AxisPlaces, 3> places;
};
template <class Space>
using KeptGrids = Kept<GridChoice, CoarseGrid<Space>>;

template <class Space>
struct Coarsening {
  bool there = false;  // a coarser grid
  bool by_operator = false;
  bool varies = false;  // by_operator, for coefficients vary from node to node
  bool jumps = false;   // and by far
  GridChoice choice;    // of the whole grid
  std::array<bool, 3> halved{};
  std::shared_ptr<const CoarseGrid<Space>> grid;
  Array<double, Space> weights;        // [corner][fine row], by_operator
  std::optional<Partition> partition;  // of the coarser grid, where ranks share this one

  const std::array<AxisInterpolation, 3>& axes() const { return grid->axes; }
  Nodes nodes(const Couplings& s) const {
    Nodes p{};
    const PackedTables<Space>& tables = grid->tables;
    for (int axis = 0; axis < 3; ++axis) {
      const auto& at = grid->places[axis];
      p.node[axis] = tables.template at<std::int32_t>(at.node);
      p.first[axis] = tables.template at<std::int32_t>(at.first);
      p.reader[axis] = tables.template at<std::int32_t>(at.reader);
      p.weight[axis] = tables.template at<double>(at.weight);
      p.off[axis] = tables.template at<std::int8_t>(at.between);
      p.fine[axis] = tables.template at<std::int32_t>(at.fine);
      p.shares[axis] = tables.template at<double>(at.shares);
      p.corner[axis] = tables.template at<std::int8_t>(at.corner);
      p.regular[axis] = at.regular;
      if (at.halved >= 0) p.halved[axis] = {tables.template at<double>(at.halved), at.first_halved};
      p.fine_n[axis] = s.n[axis];
      p.coarse_n[axis] = static_cast<int>(axes()[axis].coarse);
    }
    p.corners = s.n[2] == 1 ? 4 : 8;
    p.weights = by_operator ? weights.data() : nullptr;
    return p;
  }
};

// Around an axis that ranks share three nodes or more stay.
inline bool can_be_halved(std::int64_t n, bool wraps_over_ranks) {
  return n > 1 && (!wraps_over_ranks || n >= 5);
}

// Linear in the distances, as couplings along the axis have them, unless these are nearly alike. Rounded, for
// the same axis of another direction to have the same.
inline double share_of_next(double next, double before, double alike) {
  const double share = next > 0 && before > 0 ? next / (next + before) : 0.5;
  return std::abs(share - 0.5) <= alike ? 0.5 : std::round(share * 0x1p20) * 0x1p-20;
}

// Whether the unknowns of a face see a value behind it, a coupling to which is missing in their rows, or
// none; of the latter whether what is smooth goes on evenly. `sums`: those of the face.
inline FaceKind face_kind(const double* sums) {
  constexpr double some = 0.01;
  const double missing = sums[0], inwards = sums[1], uneven = sums[2];
  const bool held = missing > AxisSums::held_share * inwards;
  return {
      {held ? BoundaryKind::value : BoundaryKind::clamp, 0}, inwards == 0, !held && uneven > some * inwards};
}

// Of the sums of all ranks.
inline AxisChoice axis_choice(const std::vector<double>& sums, int axis, int n, bool wraps) {
  const auto face = [&](int side) { return face_kind(sums.data() + AxisSums::of_face(axis, side)); };
  AxisChoice choice{n, wraps, false, face(0), face(1)};
  if (choice.high.uneven && !wraps) {
    // A body's end couples along it by 3:2, on even grids; of a last node that was kept it is 2:1 and more.
    constexpr double as_at_ends = 0.125;
    const double* const before_last = sums.data() + AxisSums::before_last(axis);
    choice.of_last = share_of_next(before_last[0], before_last[1], as_at_ends);
    // Not on two levels in turn, lest nodes nearly coincide; but for few, which few levels follow.
    constexpr int few = 8;
    choice.high.uneven = choice.of_last <= 0.5 || n <= few;
  }
  if (wraps) {
    choice.low = choice.high = {{BoundaryKind::periodic, 0}};
    for (const int side : {0, 1}) {
      const double* const beside = sums.data() + AxisSums::of_face(axis, side);
      choice.over_seam[side] = share_of_next(beside[0], beside[1], nearly_alike);
    }
  }
  return choice;
}

inline WholeAxes whole_axes(const Couplings& s, const SharedLevel* shared) {
  WholeAxes axes;
  for (int axis = 0; axis < 3; ++axis) {
    const bool part = shared != nullptr;
    axes.first[axis] = part ? static_cast<int>(shared->box.first[axis]) : 0;
    axes.n[axis] = part ? static_cast<int>(shared->partition.extents[axis]) : s.n[axis];
    axes.wraps[axis] = part ? shared->partition.periodic[axis] && axes.n[axis] > 1 : s.wraps[axis];
  }
  return axes;
}

// The halved axes along which some node is far from both faces, so that rows tell of it. Beside shorter ones
// rows tell of the other axes alone, and not by their sums, for all of them are near a face.
inline std::array<bool, 3> with_middle(const WholeAxes& axes, std::array<bool, 3> halved) {
  for (int axis = 0; axis < 3; ++axis) halved[axis] = halved[axis] && (axes.wraps[axis] || axes.n[axis] >= 5);
  return halved;
}

// Which axes are halved. Where `from_linear` is asked for, it gets how far weights by the operator are from
// linear ones, in this rank's rows, for these axes.
template <class Machine>
GridChoice choose_axes(Machine& machine, const Couplings& s, const double* values, bool semi,
                       const SharedLevel* shared, double* from_linear) {
  GridChoice choice;
  std::array<double, 3> strength{};  // of the couplings along an axis, all of them together
  const WholeAxes axes = whole_axes(s, shared);
  const auto& n = axes.n;
  const auto& wraps = axes.wraps;
  std::array<bool, 3> likely{};  // halved most likely
  double strongest = 0;
  for (int axis = 0; axis < 3; ++axis)
    likely[axis] =
        can_be_halved(n[axis], wraps[axis] && shared != nullptr && shared->partition.ranks_along(axis) > 1);
  const std::array<bool, 3> looked_at = with_middle(axes, likely);
  std::vector<double> sums;
  if (from_linear == nullptr) {
    sums = machine.sums(AxisSums{s, values, axes});
  } else {
    std::tie(sums, *from_linear) = machine.sums_and_largest(
        AxisSumsFromLinear{{s, values, axes}, {s, values, axes, looked_at, looked_at == likely}});
  }
  if (shared != nullptr) shared->ranks->sum(sums);
  const auto is_thin = [&](int axis) { return wraps[axis] && n[axis] < 5; };
  double strongest_long = 0;
  for (int axis = 0; axis < 3; ++axis) {
    choice[axis].n = n[axis];
    choice[axis].wraps = wraps[axis];
    if (!likely[axis]) continue;
    choice[axis] = axis_choice(sums, axis, n[axis], wraps[axis]);
    // A body of one node across does not bend.
    likely[axis] = n[axis] > 2 || !choice[axis].high.uneven;
    if (!likely[axis]) continue;
    strength[axis] = std::max(0.0, sums[axis]);
    if (!is_thin(axis)) strongest_long = std::max(strongest_long, strength[axis]);
  }
  // Few nodes around an axis are let be, unless sweeps do nothing for the other axes as long as they are
  // there.
  for (int axis = 0; axis < 3; ++axis) {
    if (is_thin(axis))
      likely[axis] =
          likely[axis] && semi && strongest_long > 0 && strongest_long < strong_share * strength[axis];
    if (likely[axis]) strongest = std::max(strongest, strength[axis]);
  }
  for (int axis = 0; axis < 3; ++axis)
    choice[axis].halved = likely[axis] && (!semi || strength[axis] >= strong_share * strongest);
  const std::array<bool, 3> halved = halved_of(choice), telling = with_middle(axes, halved);
  if (from_linear != nullptr && telling != std::array<bool, 3>{} && telling != looked_at)
    *from_linear = machine.largest(FromLinear{s, values, axes, telling, telling == halved});
  return choice;
}

// The tables that the kernels read; of the coarser grid's partition where ranks share the level.
template <class Space>
CoarseGrid<Space> make_grid(const GridChoice& choice, const Couplings& s, const SharedLevel* shared,
                            std::optional<Partition>& partition) {
  CoarseGrid<Space> grid;
  const std::array<bool, 3> halved = halved_of(choice);
  const auto like = [&](int axis) {
    return first_like(axis, [&](int a, int b) { return choice[a] == choice[b]; });
  };
  std::array<AxisInterpolation, 3> whole;
  for (int axis = 0; axis < 3; ++axis)
    whole[axis] = like(axis) < axis ? whole[like(axis)] : interpolation_of(choice[axis]);
  grid.axes = whole;
  if (shared != nullptr) {
    partition = coarser(shared->partition, whole, halved);
    grid.axes =
        axes_of_boxes(whole, halved, shared->partition, shared->box, rank_box(*partition, partition->rank));
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (shared == nullptr && like(axis) < axis) {
      grid.places[axis] = grid.places[like(axis)];
      continue;
    }
    const AxisInterpolation& a = grid.axes[axis];
    const std::int64_t first = shared != nullptr ? shared->box.first[axis] : 0,
                       size = shared != nullptr ? shared->box.size[axis] : a.fine;
    const std::vector<std::int8_t> between = nodes_between(whole[axis], halved[axis], first, size);
    const GalerkinAxis galerkin = galerkin_axis(a, s.wraps[axis]);
    PackedTables<Space>& tables = grid.tables;
    grid.places[axis] = {
        tables.add(a.node),          tables.add(a.first),         tables.add(a.reader),
        tables.add(a.weight),        tables.add(between),         tables.add(galerkin.fine),
        tables.add(galerkin.shares), tables.add(galerkin.corner), regular_nodes(galerkin, a, halved[axis])};
    for (int start = 0; start < 2 && grid.places[axis].halved < 0; ++start)
      if (const auto weights = halved_weights(a, s.wraps[axis], start); !weights.empty())
        grid.places[axis].halved = tables.add(weights), grid.places[axis].first_halved = start;
  }
  grid.tables.put_in_place();
  return grid;
}

// What makes weights other than linear ones in a row that FromLinear looks at: by how much more it couples
// along an axis upwards than downwards, as a part of both, or, of axis 3, its sum, as a part of its diagonal.
// 1 plus that, or less it; 0 of other rows.
struct OfRow {
  Couplings s;
  const double* values;
  WholeAxes axes;
  std::array<bool, 3> halved;
  int axis;
  bool less;
  constexpr std::int64_t size() const { return s.stored_rows; }
  constexpr double operator()(std::int64_t row) const {
    if (!tells_of_middle(s, axes, halved, row)) return 0;
    const auto value = [&](int diagonal) {
      return values[(std::int64_t{diagonal} * s.dof + row % s.dof) * s.stored_rows + row];
    };
    double part = axis < 3 ? 0 : value(s.centre), whole = part;
    for (int d = 0; d < s.count; ++d) {
      const int offset = axis < 3 ? s.offset[d][axis] : 1;
      if (offset == 0) continue;
      const double coupling = value(s.diagonal[d]);
      part += offset * coupling;
      whole += axis < 3 ? coupling : 0;
    }
    if (whole == 0) return 1;
    return 1 + (less ? -part : part) / whole;
  }
};

// Whether that is nearly the same everywhere, as where a step in time adds to the diagonal or the same
// advection to all couplings, or small, and how large it is of couplings.
struct RowsAlike {
  bool are = true;
  double drift = 0;
};
template <class Machine>
RowsAlike rows_alike(Machine& machine, const Couplings& s, const double* values,
                     const std::array<bool, 3>& halved, const SharedLevel* shared) {
  const WholeAxes axes = whole_axes(s, shared);
  const std::array<bool, 3> telling = with_middle(axes, halved);
  const auto largest = [&](int axis, bool less) {
    const double own = machine.largest(OfRow{s, values, axes, telling, axis, less});
    return shared != nullptr ? shared->ranks->largest(own) : own;
  };
  RowsAlike rows;
  for (int axis = 0; axis < 4 && rows.are; ++axis) {
    if (axis < 3 ? !telling[axis] : telling != halved) continue;
    const double more = largest(axis, false), less = largest(axis, true), drift = std::max(more, less) - 1;
    rows.are =
        more + less <= 2 + (axis < 3 ? nearly_alike : large_sum) || (axis < 3 && drift <= strong_drift);
    if (axis < 3) rows.drift = std::max(rows.drift, drift);
  }
  return rows;
}

// Of an operator that has values in these of its rows, and of those alone: without the weights of all rows.
// Of grids in `kept`, if there are such, and of no ranks', the tables are not made again.
template <class Machine>
Coarsening<typename Machine::Space> choose_coarsening(
    Machine& machine, const BlockDiagonals<double, typename Machine::Space>& a, bool semi,
    LevelInterpolation interpolation, const SharedLevel* shared = nullptr, const StoredNodes& stored = {},
    KeptGrids<typename Machine::Space>* kept = nullptr) {
  const Couplings s = couplings_of(a, shared != nullptr ? &shared->box : nullptr, stored);
  const double* const values = a.values.data();
  Coarsening<typename Machine::Space> next;
  const bool as_suits = interpolation == LevelInterpolation::as_suits;
  double own = 0;
  next.choice = choose_axes(machine, s, values, semi, shared, as_suits ? &own : nullptr);
  next.halved = halved_of(next.choice);
  next.there = next.halved != std::array<bool, 3>{};
  if (!next.there) return next;
  next.by_operator = next.varies = next.jumps = interpolation == LevelInterpolation::by_operator;
  if (as_suits) {
    const double largest = shared != nullptr ? shared->ranks->largest(own) : own;
    const WholeAxes axes = whole_axes(s, shared);
    const std::array<bool, 3> telling = with_middle(axes, next.halved);
    const RowsAlike rows =
        largest > nearly_linear ? rows_alike(machine, s, values, next.halved, shared) : RowsAlike{};
    next.varies = !rows.are;
    next.by_operator = next.varies || rows.drift > strong_drift;
    if (next.varies && largest > far_from_linear) {
      const FromLinear of_coefficients{s, values, axes, telling, false};
      const double mine = machine.largest(of_coefficients);
      next.jumps = (shared != nullptr ? shared->ranks->largest(mine) : mine) > far_from_linear;
    }
  }
  using Grid = CoarseGrid<typename Machine::Space>;
  const auto make = [&] {
    return make_grid<typename Machine::Space>(next.choice, s, shared, next.partition);
  };
  next.grid = kept != nullptr && shared == nullptr ? kept->get(next.choice, make)
                                                   : std::make_shared<const Grid>(make());
  return next;
}

// With them, of all rows. Those of nodes in the layers of other ranks are their owners', which see all that
// the weights follow from.
template <class Machine>
Coarsening<typename Machine::Space> coarsen(Machine& machine,
                                            const BlockDiagonals<double, typename Machine::Space>& a,
                                            bool semi, LevelInterpolation interpolation,
                                            const SharedLevel* shared = nullptr,
                                            const StoredNodes& stored = {},
                                            KeptGrids<typename Machine::Space>* kept = nullptr) {
  auto next = choose_coarsening(machine, a, semi, interpolation, shared, stored, kept);
  if (!next.by_operator) return next;
  const Couplings s = couplings_of(a, shared != nullptr ? &shared->box : nullptr, stored);
  const double* const values = a.values.data();
  const Nodes p = next.nodes(s);
  next.weights = Array<double, typename Machine::Space>(p.corners * s.rows);
  for (int between = 0; between <= 3; ++between)
    machine.for_each(s.rows, OperatorWeights{s, values, p, between, next.weights.data()});
  for (int corner = 0; corner < p.corners && shared != nullptr; ++corner) {
    double* const of_corner = next.weights.data() + corner * s.rows;
    shared->layers->run(of_corner, of_corner, machine.stream());
  }
  return next;
}

}  // namespace quadrille::multigrid
