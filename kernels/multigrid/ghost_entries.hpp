// Entries of a rank's rows that lead to other ranks' nodes: what set-up makes of them on the host, by all
// threads. Internal to kernels/multigrid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "formats/array.hpp"
#include "formats/csr.hpp"
#include "formats/stored_nodes.hpp"
#include "grid/partition.hpp"
#include "kernels/multigrid/box_steps.hpp"
#include "kernels/multigrid/couplings.hpp"
#include "kernels/multigrid/neighbour_form.hpp"

namespace quadrille::multigrid {

// A rank's own nodes within the grid. Passed by value.
struct OwnNodes {
  StoredNodes stored;
  int first[3], size[3], whole[3];
  bool wraps[3], alone[3];  // the axis; and this rank has all of it
  int dof;

  constexpr std::int64_t rows() const { return std::int64_t{size[0]} * size[1] * size[2] * dof; }
  constexpr std::int64_t stored_rows() const { return std::int64_t{stored.nodes()} * dof; }
  constexpr int stored_node(const std::array<int, 3>& at) const {
    return stored.index(first[0] + at[0], first[1] + at[1], first[2] + at[2]);
  }
  // Of the node that has the rows of a stored one: whether it is this rank's, and then which.
  constexpr bool has(int stored_node, std::array<int, 3>& at) const {
    at = stored.position(stored_node);
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] -= first[axis];
      if (at[axis] < 0 || at[axis] >= size[axis]) return false;
    }
    return true;
  }
  // Whether a coupling leads to a node of another rank.
  constexpr bool leads_away(const std::array<int, 3>& at, const NodeOffset& o) const {
    const int by[3] = {o.x, o.y, o.z};
    bool away = false;
    for (int axis = 0; axis < 3; ++axis) {
      const int to = at[axis] + by[axis], in_whole = first[axis] + to;
      if (to >= 0 && to < size[axis]) continue;
      if (!wraps[axis] && (in_whole < 0 || in_whole >= whole[axis])) return false;
      away = away || !alone[axis];
    }
    return away;
  }
  constexpr int index(const std::array<int, 3>& at) const {
    return (at[2] * size[1] + at[1]) * size[0] + at[0];
  }
};

OwnNodes own_nodes(const Partition& p, const StoredNodes& stored, int dof);

// Their places. The values of an operator stand in another array, perhaps in GPU memory.
struct GhostEntries {
  const Csr<double>& rows;
  const std::vector<std::int64_t>& boundary_rows;  // own rows, from 0
  const std::vector<std::int64_t>& columns;        // by the numbers of the partition
};

// [entry] where the coupling leads.
std::vector<NodeOffset> ghost_offsets(const Partition& p, int dof, const GhostEntries& ghosts);

// Offsets of couplings by their place in a list, none further than furthest_coupling.
class OffsetPlaces {
 public:
  static constexpr int reach = furthest_coupling, width = 2 * reach + 1, slots = width * width * width;
  static int slot(const NodeOffset& o) { return ((o.z + reach) * width + o.y + reach) * width + o.x + reach; }
  static NodeOffset of_slot(int slot) {
    return {slot % width - reach, slot / width % width - reach, slot / width / width - reach};
  }
  explicit OffsetPlaces(const std::vector<NodeOffset>& offsets) {
    for (std::size_t i = 0; i < offsets.size(); ++i) place_[slot(offsets[i])] = static_cast<std::int32_t>(i);
  }
  std::int32_t operator()(const NodeOffset& o) const { return place_[slot(o)]; }
  std::vector<std::int32_t> of(const std::vector<NodeOffset>& all) const;

 private:
  std::array<std::int32_t, slots> place_{};
};

// Where entries are among the rows of the whole grid that are stored, [diagonal][column][stored row].
struct StoredPlaces {
  std::vector<std::int32_t> of_entry;
  std::vector<std::int32_t> first;  // entries of those rows that are stored for others
};
// `diagonal`: the block diagonal of each entry.
StoredPlaces stored_places(const OwnNodes& of, const GhostEntries& ghosts,
                           const std::vector<std::int32_t>& diagonal);

// Whether a rank's entries are those of the rows `all`, as many and with the same values. Places are among
// the block diagonals of these offsets.
bool has_entries_of(const std::vector<double>& all, const std::vector<NodeOffset>& offsets,
                    const OwnNodes& of, const StoredPlaces& places, const Array<double>& values);

// [entry] its place in the block diagonals of the rank's box, [diagonal][column][row].
Array<std::int64_t> places_in_box(const GhostEntries& ghosts, const std::vector<std::int32_t>& diagonal,
                                  const BoxRows& box);

}  // namespace quadrille::multigrid
