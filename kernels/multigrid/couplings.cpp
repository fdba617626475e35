#include "kernels/multigrid/couplings.hpp"

#include <cstdlib>
#include <string>

#include "formats/format.hpp"
#include "kernels/multigrid/ranks.hpp"

namespace quadrille::multigrid {

namespace {

bool is_diagonal(const std::vector<std::uint8_t>& block, int dof) {
  for (int i = 0; i < dof * dof; ++i)
    if (block[static_cast<std::size_t>(i)] != 0 && i / dof != i % dof) return false;
  return true;
}

}  // namespace

Couplings couplings_of(const BlockStructure& a, const RankBox* box, const StoredNodes& stored) {
  Couplings s;
  s.by_kind = a.dof > 1 && a.fill.said() && is_diagonal(a.fill.beside, a.dof);
  s.mixes = s.by_kind && !is_diagonal(a.fill.centre, a.dof);
  s.stored = stored;
  s.shared = box != nullptr;
  for (int axis = 0; axis < 3 && s.shared; ++axis) {
    s.own[axis] = static_cast<int>(box->own[axis]);
    s.own_end[axis] = static_cast<int>(box->own[axis] + box->own_size[axis]);
  }
  for (int axis = 0; axis < 3; ++axis) {
    s.n[axis] = to_index32(a.extents[axis], "nodes along an axis");
    s.wraps[axis] = a.periodic[axis] && a.extents[axis] > 1;
    s.any_wraps = s.any_wraps || s.wraps[axis];
  }
  s.dof = a.dof;
  s.line = stored.line > 0 ? stored.line : s.n[0];
  s.nodes = to_index32(std::int64_t{s.line} * s.n[1] * s.n[2], "nodes of multigrid");
  s.rows = to_index32(std::int64_t{s.nodes} * s.dof, "rows of multigrid");
  s.by_dof = divisor(s.dof);
  s.by_line = divisor(s.line);
  s.by_n1 = divisor(s.n[1]);
  s.stored_rows = stored.all ? s.rows : std::int64_t{stored.nodes()} * s.dof;
  std::fill(std::begin(s.box), std::end(s.box), static_cast<signed char>(-1));
  for (std::int64_t d = 0; d < a.diagonals(); ++d) {
    const NodeOffset& o = a.offsets[d];
    if (std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)}) <= 1 && d < 27)
      s.box[(o.z + 1) * 9 + (o.y + 1) * 3 + o.x + 1] = static_cast<signed char>(d);
    if (o == NodeOffset{}) {
      s.centre = static_cast<int>(d);
      continue;
    }
    if (std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)}) > 1 || s.count == most_couplings)
      throw FormatError("a level of multigrid has the offset (" + std::to_string(o.x) + ", " +
                        std::to_string(o.y) + ", " + std::to_string(o.z) + "), which leads to no neighbour");
    s.step[s.count] = (o.z * s.n[1] + o.y) * s.line + o.x;
    s.offset[s.count][0] = static_cast<signed char>(o.x);
    s.offset[s.count][1] = static_cast<signed char>(o.y);
    s.offset[s.count][2] = static_cast<signed char>(o.z);
    s.diagonal[s.count++] = static_cast<int>(d);
  }
  const int first = s.n[2] > 1 ? 0 : 9, last = s.n[2] > 1 ? 27 : 18;
  s.whole_box = a.diagonals() == last - first;
  for (int place = first; place < last; ++place) s.whole_box = s.whole_box && s.box[place] == place - first;
  const int first_axis = s.n[2] > 1 ? 2 : 1;
  s.whole_star = s.count == 2 * (first_axis + 1);
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {-1, 1}) {
      std::array<int, 3> wanted{};
      wanted[axis] = side;
      const auto leads = [&](const auto& o) { return std::equal(wanted.begin(), wanted.end(), o); };
      const auto found = std::find_if(s.offset, s.offset + s.count, leads);
      const auto place = side < 0 ? 2 - axis : 3 + axis;
      s.star[place] = static_cast<signed char>(found == s.offset + s.count ? -1 : found - s.offset);
      s.whole_star = s.whole_star && (axis > first_axis || s.star[place] >= 0);
    }
  if (s.centre < 0) throw FormatError("multigrid needs an operator with a diagonal");
  return s;
}

}  // namespace quadrille::multigrid
