// Which axes the next coarser grid halves, where its nodes are, and how it is interpolated from. Internal to
// kernels/multigrid.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "grid/axis_interpolation.hpp"
#include "kernels/grid_interpolation.hpp"
#include "kernels/multigrid/galerkin_steps.hpp"
#include "kernels/multigrid/multigrid.hpp"
#include "kernels/multigrid/ranks.hpp"
#include "kernels/multigrid/transfer_steps.hpp"

namespace quadrille::multigrid {

// An axis is halved where its couplings have this share of the strongest axis' or more.
inline constexpr double strong_share = 0.25;
// Weights no further than this from linear ones are taken as linear.
inline constexpr double nearly_linear = 0.1;

// All nodes of an axis are on the coarse grid, too.
inline AxisInterpolation same_axis(std::int64_t n, bool periodic) {
  AxisInterpolation axis;
  axis.fine = axis.coarse = n;
  axis.periodic = periodic;
  for (std::int32_t i = 0; i < n; ++i) {
    axis.node.insert(axis.node.end(), {i, i});
    axis.weight.insert(axis.weight.end(), {1, 0});
    axis.reader.push_back(i);
    axis.reader_weight.push_back(1);
  }
  axis.first.resize(n + 1);
  std::iota(axis.first.begin(), axis.first.end(), 0);
  return axis;
}

// A level that ranks share.
struct SharedLevel {
  Ranks* ranks;
  Partition partition;
  RankBox box;
  SharedLevel(Ranks& ranks, Partition p)
      : ranks(&ranks), partition(std::move(p)), box(rank_box(partition, partition.rank)) {}
};

// What LinearGalerkinRow takes of an axis (coarsening_steps.hpp: Nodes).
template <class Space>
struct GalerkinAxis {
  Array<std::int32_t, Space> fine;
  Array<double, Space> shares;
};

template <class Space>
GalerkinAxis<Space> galerkin_axis(const AxisInterpolation& axis, bool wraps) {
  const std::int64_t n = axis.coarse;
  Array<std::int32_t> fine(3 * n, 0);
  Array<double> shares(27 * n, 0.0);
  for (std::int64_t c = 0; c < n; ++c)
    for (std::int32_t k = 0; k < axis.first[c + 1] - axis.first[c]; ++k) {
      const std::int64_t reader = axis.reader[axis.first[c] + k];
      fine[k * n + c] = static_cast<std::int32_t>(reader);
      for (std::int64_t offset = -1; offset <= 1; ++offset) {
        std::int64_t to = reader + offset;
        if (wraps) to = (to + axis.fine) % axis.fine;
        for (int which = 0; which < 2 && to >= 0 && to < axis.fine; ++which) {
          std::int64_t step = axis.node[2 * to + which] - c;
          if (wraps && step > 1) step -= n;
          if (wraps && step < -1) step += n;
          if (step < -1 || step > 1) continue;
          shares[(9 * k + 3 * (offset + 1) + (n == 1 ? 1 : step + 1)) * n + c] +=
              axis.reader_weight[axis.first[c] + k] * axis.weight[2 * to + which];
        }
      }
    }
  return {copy_to<Space>(fine), copy_to<Space>(shares)};
}

template <class Space>
struct Coarsening {
  bool there = false;  // a coarser grid
  bool by_operator = false;
  std::array<AxisInterpolation, 3> axes;  // of this rank's box where ranks share the level
  std::array<bool, 3> halved{};
  std::array<AxisTables<double, Space>, 3> tables;
  std::array<Array<std::int8_t, Space>, 3> between;  // [fine node of the axis]
  std::array<GalerkinAxis<Space>, 3> galerkin;       // of linear weights
  Array<double, Space> weights;                      // [corner][fine row], by_operator
  std::optional<Partition> partition;                // of the coarser grid, where ranks share this one

  Nodes nodes(const Couplings& s) const {
    Nodes p{};
    for (int axis = 0; axis < 3; ++axis) {
      const AxisTables<double, Space>& t = tables[axis];
      p.node[axis] = t.node.data();
      p.first[axis] = t.first.data();
      p.reader[axis] = t.reader.data();
      p.weight[axis] = t.weight.data();
      p.reader_weight[axis] = t.reader_weight.data();
      p.off[axis] = between[axis].data();
      p.fine[axis] = galerkin[axis].fine.data();
      p.shares[axis] = galerkin[axis].shares.data();
      p.fine_n[axis] = s.n[axis];
      p.coarse_n[axis] = static_cast<int>(axes[axis].coarse);
    }
    p.corners = s.n[2] == 1 ? 4 : 8;
    p.weights = by_operator ? weights.data() : nullptr;
    return p;
  }
};

// The tables of Transfer (transfer_steps.hpp), from those of the axes.
template <class T, class Space>
struct LevelTransfer {
  struct Axis {
    Array<std::int32_t, Space> node;
    Array<T, Space> weight;
    Array<std::int32_t, Space> fine;
    Array<T, Space> fine_weight;
    Array<std::int8_t, Space> second;
    int fine_n = 1, coarse_n = 1;
  };
  std::array<Axis, 3> axes;
  Array<T, Space> weights;  // [corner][fine row], or empty
  int dof = 1;

  Transfer<T> tables() const {
    Transfer<T> t{};
    t.fine_rows = t.dof = dof;
    for (int axis = 0; axis < 3; ++axis) {
      const Axis& a = axes[axis];
      t.node[axis] = a.node.data();
      t.weight[axis] = a.weight.data();
      t.fine[axis] = a.fine.data();
      t.fine_weight[axis] = a.fine_weight.data();
      t.second[axis] = a.second.data();
      t.fine_n[axis] = a.fine_n;
      t.coarse_n[axis] = a.coarse_n;
      t.fine_rows *= a.fine_n;
    }
    t.weights = weights.data();
    return t;
  }
};

template <class T, class Space>
typename LevelTransfer<T, Space>::Axis transfer_axis(const AxisInterpolation& axis) {
  Array<std::int32_t> node(2 * axis.fine), fine(3 * axis.coarse);
  Array<T> weight(2 * axis.fine), fine_weight(3 * axis.coarse);
  Array<std::int8_t> second(3 * axis.coarse);
  std::copy(axis.node.begin(), axis.node.end(), node.data());
  for (std::int64_t i = 0; i < 2 * axis.fine; ++i) weight[i] = static_cast<T>(axis.weight[i]);
  for (std::int64_t c = 0; c < axis.coarse; ++c) {
    const std::int32_t first = axis.first[c], readers = axis.first[c + 1] - first;
    for (std::int32_t k = 0; k < 3; ++k) {
      const bool there = k < readers;
      const std::int32_t reader = there ? axis.reader[first + k] : readers > 0 ? axis.reader[first] : 0;
      fine[3 * c + k] = reader;
      fine_weight[3 * c + k] = there ? static_cast<T>(axis.reader_weight[first + k]) : T(0);
      second[3 * c + k] = there && axis.node[2 * reader] != c;
    }
  }
  return {copy_to<Space>(node),         copy_to<Space>(weight), copy_to<Space>(fine),
          copy_to<Space>(fine_weight),  copy_to<Space>(second), static_cast<int>(axis.fine),
          static_cast<int>(axis.coarse)};
}

inline bool can_be_halved(std::int64_t n, bool wraps) {
  return n > 1 && (!wraps || n >= 5);  // three nodes or more stay where it wraps
}

// What is known of a face of the grid.
struct FaceKind {
  FaceBoundary boundary;
  bool decoupled =
      false;  // its rows have nothing inwards, as those that hold a value: nothing is interpolated to them
};
struct AxisKind {
  double strength = 0;  // of the couplings along it, all of them together
  FaceKind low, high;
};

// Whether the unknowns of a face see a value behind it, a coupling to which is missing in their rows, or
// none.
inline FaceKind face_kind(double missing, double inwards) {
  return {{missing > 0.5 * inwards ? BoundaryKind::value : BoundaryKind::clamp, 0}, inwards == 0};
}

// Of the sums of all ranks.
inline AxisKind axis_kind(const std::vector<double>& sums, int axis, bool wraps) {
  const int low = AxisSums::of_face(axis, 0), high = AxisSums::of_face(axis, 1);
  AxisKind kind{std::max(0.0, sums[axis]), face_kind(sums[low], sums[low + 1]),
                face_kind(sums[high], sums[high + 1])};
  if (wraps) kind.low = kind.high = {{BoundaryKind::periodic, 0}, false};
  return kind;
}

inline AxisInterpolation halved_axis(std::int64_t n, const FaceKind& low, const FaceKind& high) {
  AxisInterpolation axis = nested_interpolation(n, low.boundary, high.boundary);
  for (const auto& [face, node] : {std::pair(&low, std::int64_t{0}), std::pair(&high, n - 1)}) {
    if (!face->decoupled || n < 3) continue;
    axis.weight[2 * node] = axis.weight[2 * node + 1] = 0;
    for (std::size_t k = 0; k < axis.reader.size(); ++k)
      if (axis.reader[k] == node) axis.reader_weight[k] = 0;
  }
  return axis;
}

// Which axes are halved, and their tables on the whole grid.
template <class Machine>
void halve_axes(Machine& machine, const Couplings& s, const double* values, bool semi,
                const SharedLevel* shared, Coarsening<typename Machine::Space>& next) {
  std::array<AxisKind, 3> kinds;
  std::array<std::int64_t, 3> n{};
  std::array<bool, 3> wraps{};
  double strongest = 0;
  std::vector<double> sums = machine.sums(AxisSums{s, values});
  if (shared != nullptr) shared->ranks->sum(sums);
  for (int axis = 0; axis < 3; ++axis) {
    n[axis] = shared != nullptr ? shared->partition.extents[axis] : s.n[axis];
    wraps[axis] = shared != nullptr ? shared->partition.periodic[axis] && n[axis] > 1 : s.wraps[axis];
    if (!can_be_halved(n[axis], wraps[axis])) continue;
    kinds[axis] = axis_kind(sums, axis, wraps[axis]);
    strongest = std::max(strongest, kinds[axis].strength);
  }
  for (int axis = 0; axis < 3; ++axis) {
    const AxisKind& kind = kinds[axis];
    next.halved[axis] =
        can_be_halved(n[axis], wraps[axis]) && (!semi || kind.strength >= strong_share * strongest);
    next.there = next.there || next.halved[axis];
    next.axes[axis] =
        next.halved[axis] ? halved_axis(n[axis], kind.low, kind.high) : same_axis(n[axis], wraps[axis]);
  }
}

// The tables that the kernels read; those of this rank's box where ranks share the level.
template <class Space>
void make_tables(const SharedLevel* shared, Coarsening<Space>& next) {
  std::optional<RankBox> coarse;
  if (shared != nullptr) {
    next.partition = coarser(shared->partition, next.axes, next.halved);
    coarse = rank_box(*next.partition, next.partition->rank);
  }
  for (int axis = 0; axis < 3; ++axis) {
    const AxisInterpolation& whole = next.axes[axis];
    const std::int64_t first = coarse ? shared->box.first[axis] : 0,
                       size = coarse ? shared->box.size[axis] : whole.fine;
    const std::vector<std::int8_t> off = nodes_between(whole, next.halved[axis], first, size);
    Array<std::int8_t> between(size);
    std::copy(off.begin(), off.end(), between.data());
    next.between[axis] = copy_to<Space>(between);
    if (coarse && shared->partition.ranks_along(axis) > 1)
      next.axes[axis] =
          axis_of_box(whole, next.halved[axis], first, size, coarse->first[axis], coarse->size[axis]);
  }
  next.tables = copy_to<Space>(grid_interpolation<double>(next.axes, 1)).axes;
}

template <class Machine>
Coarsening<typename Machine::Space> coarsen(Machine& machine,
                                            const BlockDiagonals<double, typename Machine::Space>& a,
                                            bool semi, LevelInterpolation interpolation,
                                            const SharedLevel* shared = nullptr) {
  const Couplings s = couplings_of(a, shared != nullptr ? &shared->box : nullptr);
  const double* const values = a.values.data();
  Coarsening<typename Machine::Space> next;
  halve_axes(machine, s, values, semi, shared, next);
  if (!next.there) return next;
  make_tables(shared, next);
  next.by_operator = interpolation == LevelInterpolation::by_operator;
  if (interpolation == LevelInterpolation::as_suits) {
    const double own = machine.largest(FromLinear{s, values, next.halved});
    next.by_operator = (shared != nullptr ? shared->ranks->largest(own) : own) > nearly_linear;
  }
  if (!next.by_operator) {
    for (int axis = 0; axis < 3; ++axis)
      next.galerkin[axis] = galerkin_axis<typename Machine::Space>(next.axes[axis], s.wraps[axis]);
    return next;
  }
  const Nodes p = next.nodes(s);
  next.weights = Array<double, typename Machine::Space>(p.corners * s.rows);
  for (int between = 0; between <= 3; ++between)
    machine.for_each(s.rows, OperatorWeights{s, values, p, between, next.weights.data()});
  return next;
}

// P^T A P; of a shared box, its own rows are right.
template <class Machine>
BlockDiagonals<double, typename Machine::Space> galerkin(
    Machine& machine, const BlockDiagonals<double, typename Machine::Space>& a, const Nodes& p,
    const RankBox* shared = nullptr) {
  BlockDiagonals<double, typename Machine::Space> coarse;
  coarse.dof = a.dof;
  coarse.periodic = a.periodic;
  GalerkinRow row{couplings_of(a, shared), a.values.data(), p, {}, 0, nullptr};
  for (int axis = 0; axis < 3; ++axis) {
    coarse.extents[axis] = p.coarse_n[axis];
    row.width[axis] = p.coarse_n[axis] > 1 ? 3 : 1;
  }
  const auto reach = [&](int axis) { return row.width[axis] / 2; };
  for (int z = -reach(2); z <= reach(2); ++z)
    for (int y = -reach(1); y <= reach(1); ++y)
      for (int x = -reach(0); x <= reach(0); ++x) coarse.offsets.push_back({x, y, z});
  row.coarse_rows = coarse.rows();
  coarse.values = decltype(coarse.values)(coarse.diagonals() * coarse.dof * coarse.rows());
  row.coarse = coarse.values.data();
  if (p.weights != nullptr)
    machine.for_each(coarse.rows() * coarse.dof, row);
  else
    machine.for_each(LinearGalerkinRow{row}.size(), LinearGalerkinRow{row});
  return coarse;
}

}  // namespace quadrille::multigrid
