#include "kernels/petsc/matrix/grid_rows.hpp"

#include <algorithm>

#include "formats/threads.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/matrix/box_sides.hpp"
#include "kernels/petsc/matrix/grid_blocks.hpp"
#include "kernels/value_changes.hpp"

namespace quadrille::petsc {
namespace {

bool is_short_way(const BlockStructure& s, const NodeOffset& o) {
  const std::array<std::int64_t, 3> d{o.x, o.y, o.z};
  for (int axis = 0; axis < 3; ++axis)
    if (s.periodic[axis] ? 2 * d[axis] > s.extents[axis] || 2 * d[axis] <= -s.extents[axis]
                         : std::abs(d[axis]) >= s.extents[axis])
      return false;
  return true;
}

std::int64_t place_among(const std::vector<NodeOffset>& offsets, const NodeOffset& o) {
  const auto at = std::find(offsets.begin(), offsets.end(), o);
  return at == offsets.end() ? -1 : at - offsets.begin();
}

// For each block diagonal of the whole grid the one of the box with the same offset, or -1.
std::vector<std::int64_t> diagonals_of_box(const BlockStructure& whole, const BlockStructure& box) {
  std::vector<std::int64_t> places;
  for (const NodeOffset& o : whole.offsets) places.push_back(place_among(box.offsets, o));
  return places;
}

// Whether the rows of the box are those of the whole grid as they are: then they need no second array.
bool has_all_diagonals(const BlockStructure& whole, const BlockStructure& box) {
  const std::vector<std::int64_t> places = diagonals_of_box(whole, box);
  bool same = box.diagonals() == whole.diagonals();
  for (std::size_t d = 0; d < places.size() && same; ++d) same = places[d] == static_cast<std::int64_t>(d);
  return same;
}

// The values of the block diagonals that the box has, from those of the whole grid; zeros of its others.
void keep_those_of_box(const BlockStructure& whole, const double* from, BlockDiagonals<double>& box) {
  const std::vector<std::int64_t> places = diagonals_of_box(whole, box);
  const std::int64_t of_one = box.rows() * box.dof;
  std::fill_n(box.values.data(), box.values.size(), 0.0);
  for (std::size_t d = 0; d < places.size(); ++d)
    if (places[d] >= 0)
      std::copy_n(from + static_cast<std::int64_t>(d) * of_one, of_one,
                  box.values.data() + places[d] * of_one);
}

// body(part, own node, block diagonal of the whole grid, the one of the box with this offset or -1, number of
// the neighbour) for the couplings that leave the box, one way or another; in parts, as in_parts() has them.
template <class Part, class Body>
std::vector<Part> couplings_that_leave(const GridStructure& s, const BlockStructure& whole,
                                       const Body& body) {
  const NodeBox box = own_box(s.partition);
  const std::vector<std::int64_t> places = diagonals_of_box(whole, s.owned);
  NodePosition reach{};
  for (const NodeOffset& o : whole.offsets)
    reach = {std::max<std::int64_t>(reach[0], std::abs(o.x)), std::max<std::int64_t>(reach[1], std::abs(o.y)),
             std::max<std::int64_t>(reach[2], std::abs(o.z))};
  const std::vector<NodePosition> sides = nodes_at_sides(s.partition, box, reach);
  return in_parts<Part>(std::ssize(sides), [&](Part& part, std::int64_t i) {
    const NodePosition& p = sides[i];
    const std::int64_t node = (p[2] * box.size[1] + p[1]) * box.size[0] + p[0];
    for (std::int64_t d = 0; d < whole.diagonals(); ++d) {
      const NodeOffset& o = whole.offsets[d];
      if (places[d] >= 0 && s.owned.neighbour(p[0], p[1], p[2], o) >= 0) continue;
      const std::int64_t to =
          whole.neighbour(box.first[0] + p[0], box.first[1] + p[1], box.first[2] + p[2], o);
      if (to < 0) continue;
      const std::int64_t line = to / whole.extents[0];
      body(part, node, d, places[d],
           number_of(s.partition, {to % whole.extents[0], line % whole.extents[1], line / whole.extents[1]}));
    }
  });
}

void require_same_grid(const GridStructure& s, const BlockStructure& whole) {
  if (whole.extents != s.partition.extents || whole.periodic != s.partition.periodic ||
      whole.dof != s.owned.dof)
    throw FormatError("the block diagonals and the matrix are of different grids");
}

// What leaves the box goes to where it belongs: to the ghosts, or the long way around to a node of the box.
// `from`: [block diagonal of the whole grid][column][row], which may be the values of the box themselves.
void move_what_leaves(const GridStructure& s, const BlockStructure& whole, const double* from,
                      GridValues& values) {
  const GridBlocks blocks(s, values);
  double* const kept = values.hub()->values.data();
  const std::int64_t dof = whole.dof, n = s.owned.rows();
  struct Part {
    bool couples = true;
  };
  const auto parts = couplings_that_leave<Part>(
      s, whole, [&](Part& part, std::int64_t node, std::int64_t d, std::int64_t place, std::int64_t to) {
        const Block block = blocks.between(s.own_node(node), static_cast<PetscInt>(to));
        part.couples = part.couples && block.values != nullptr;
        if (!part.couples) return;
        for (std::int64_t c = 0; c < dof; ++c)
          for (std::int64_t r = 0; r < dof; ++r) {
            const std::int64_t row = node * dof + r;
            const double value = from[(d * dof + c) * n + row];
            if (place >= 0) kept[(place * dof + c) * n + row] = 0;
            if (block.couples(r, c)) block.at(r, c) = value;
          }
      });
  for (const Part& part : parts)
    if (!part.couples) throw FormatError("the block diagonals couple nodes that the matrix does not");
}

}  // namespace

void require_fitting(const Partition& partition, const GridRows& rows) {
  const BlockStructure& s = rows.structure;
  const bool on_device = rows.device_values.size() > 0;
  const std::int64_t nodes = own_box(partition).nodes(),
                     values = on_device ? rows.device_values.size() : rows.values.size();
  const bool few = rows.few_rows && partition.ranks() == 1 && rows.few_rows->a == s;
  if (s.extents != partition.extents || s.periodic != partition.periodic || s.dof < 1)
    throw FormatError("the block diagonals and the partition are of different grids");
  validate_fill(s);
  if (rows.few_rows && !few)
    throw FormatError("few rows are those of another operator, or of a matrix that ranks share");
  if (!few && values != checked_product(s.diagonals() * s.dof * s.dof, nodes, "the values of a rank"))
    throw FormatError("a rank with " + std::to_string(nodes * s.dof) + " rows has " + std::to_string(values) +
                      " values, not " + std::to_string(s.diagonals() * s.dof * s.dof * nodes));
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    if (!is_short_way(s, s.offsets[d]) || place_among(s.offsets, s.offsets[d]) != d)
      throw FormatError("block diagonal " + std::to_string(d) +
                        " of a grid leads nowhere, the long way round, or where another one leads");
}

bool keeps_fill(const BlockStructure& whole, const double* values, std::int64_t rows) {
  const std::int64_t dof = whole.dof, columns = whole.fill.said() ? whole.diagonals() * dof : 0;
  bool kept = true;
#pragma omp parallel for schedule(static) reduction(&& : kept) if (columns * rows > worth_threads)
  for (std::int64_t column = 0; column < columns; ++column) {
    const std::uint8_t* const couples = whole.fill_of(column / dof);
    for (std::int64_t r = 0; r < dof; ++r) {
      if (couples[r * dof + column % dof] != 0) continue;
      const double* const of_unknown = values + column * rows + r;
      std::int64_t others = 0;  // counted, for a loop that stops is none of vectors
      for (std::int64_t row = 0; row < rows; row += dof) others += of_unknown[row] != 0;
      kept = kept && others == 0;
    }
  }
  return kept;
}

void throw_outside_fill() {
  throw FormatError(
      "the block diagonals have values other than 0 where their fill says that nothing couples");
}

GridValues values_of(const GridStructure& s, GridRows rows, bool with_ghosts) {
  if (rows.few_rows && s.owned == rows.few_rows->a) {
    GridValues values(s, false, Array<double>(value_bytes(s.owned, sizeof(double)) / std::int64_t{8}));
    values.set(std::make_shared<const FewRows>(std::move(*rows.few_rows)), cuda::device_count() > 0);
    return values;
  }
  if (rows.few_rows) {
    rows.values = Array<double>(value_bytes(rows.structure, sizeof(double)) / std::int64_t{8});
    repeat_rows(*rows.few_rows, rows.values.data());
  }
  if (rows.device_values.size() > 0) {
    if (has_all_diagonals(rows.structure, s.owned)) {
      GridValues values(s, with_ghosts, std::move(rows.device_values));
      if (!with_ghosts) return values;
      if (const auto leaving = leaving_couplings(s, rows.structure, values)) {
        const DefaultQueue order(true);
        cuda::move(copy_to<Device>(leaving->from), copy_to<Device>(leaving->to), values.gpu_hub()->values,
                   values.gpu_ghost()->value);
        return values;
      }
      rows.device_values = std::move(values.gpu_hub()->values);
    }
    rows.values = copy_to<Host>(rows.device_values);
  }
  if (has_all_diagonals(rows.structure, s.owned)) {
    GridValues values(s, with_ghosts, std::move(rows.values));
    move_what_leaves(s, rows.structure, values.hub()->values.data(), values);
    return values;
  }
  GridValues values(s, with_ghosts);
  keep_those_of_box(rows.structure, rows.values.data(), *values.hub());
  move_what_leaves(s, rows.structure, rows.values.data(), values);
  values.changed_on_host();
  return values;
}

void refill(const GridStructure& s, const BlockStructure& whole, const FillRows& fill, GridValues& values) {
  require_same_grid(s, whole);
  BlockDiagonals<double>& hub = *values.hub();
  if (has_all_diagonals(whole, s.owned)) {
    fill(hub.values.data());
    move_what_leaves(s, whole, hub.values.data(), values);
  } else {
    Array<double> rows(whole.diagonals() * whole.dof * s.owned.rows());
    fill(rows.data());
    keep_those_of_box(whole, rows.data(), hub);
    move_what_leaves(s, whole, rows.data(), values);
  }
  values.changed_on_host();
}

std::optional<LeavingCouplings> leaving_couplings(const GridStructure& s, const BlockStructure& whole,
                                                  const GridValues& values) {
  require_same_grid(s, whole);
  if (!has_all_diagonals(whole, s.owned)) return std::nullopt;
  const GridBlocks blocks(s, values);
  const Csr<double>* const ghost = values.ghost().get();
  const std::int64_t dof = whole.dof, n = s.owned.rows();
  struct Part {
    std::vector<std::int64_t> from, to;
    bool all_to_ghosts = true;
  };
  const auto parts = couplings_that_leave<Part>(
      s, whole, [&](Part& part, std::int64_t node, std::int64_t d, std::int64_t, std::int64_t neighbour) {
        const Block block = blocks.between(s.own_node(node), static_cast<PetscInt>(neighbour));
        part.all_to_ghosts = part.all_to_ghosts && ghost != nullptr && block.values == ghost->value.data();
        for (std::int64_t c = 0; c < dof; ++c)
          for (std::int64_t r = 0; r < dof; ++r) {
            if (!block.couples(r, c)) continue;
            part.from.push_back((d * dof + c) * n + node * dof + r);
            part.to.push_back(block.place(r, c));
          }
      });
  std::int64_t count = 0;
  for (const Part& part : parts) {
    if (!part.all_to_ghosts) return std::nullopt;
    count += std::ssize(part.from);
  }
  LeavingCouplings leaving{Array<std::int64_t>(count), Array<std::int64_t>(count)};
  std::int64_t at = 0;
  for (const Part& part : parts) {
    std::copy(part.from.begin(), part.from.end(), leaving.from.data() + at);
    std::copy(part.to.begin(), part.to.end(), leaving.to.data() + at);
    at += std::ssize(part.from);
  }
  return leaving;
}

}  // namespace quadrille::petsc
