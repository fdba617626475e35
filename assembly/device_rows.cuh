// How the threads of a GPU go through the rows of a box of nodes: those of inner nodes in tiles, some lines a
// thread, and those near faces, the slabs around them, one by one. Both may have blocks of one launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "assembly/residual.hpp"

namespace quadrille {

namespace device_residual_detail {

constexpr int threads_per_block = 256;

// The nodes of a box that are not inner: the slabs around it, two for each axis. Those of x and y are counted
// plane by plane, as rings, and those of z are caps.
struct Shell {
  std::array<NodeBox, 6> box{};
  int planes = 0, rings = 0, caps = 0;  // how many, and the nodes of all rings and of both caps
  std::array<int, 5> in_ring{};         // those before each slab in a ring, and in all
  unsigned blocks_of_rings = 0, blocks_of_caps = 0;

  constexpr unsigned blocks() const { return blocks_of_rings + blocks_of_caps; }
  void count(int dof) {
    const auto nodes = [](std::int64_t n) { return to_index32(n, "nodes near faces"); };
    planes = 0;
    for (int i = 0; i < 4; ++i) {
      in_ring[i + 1] = nodes(in_ring[i] + box[i].size[0] * box[i].size[1]);
      planes = std::max(planes, box[i].nodes() > 0 ? nodes(box[i].size[2]) : 0);
    }
    rings = nodes(std::int64_t{in_ring[4]} * planes);
    caps = nodes(box[4].nodes() + box[5].nodes());
    const auto blocks = [&](int n) {
      const std::int64_t rows = to_index32(std::int64_t{n} * dof, "rows near faces");
      return static_cast<unsigned>((rows + threads_per_block - 1) / threads_per_block);
    };
    blocks_of_rings = blocks(rings);
    blocks_of_caps = blocks(caps);
  }
  // The number of a node in the rings.
  constexpr std::int64_t in_rings(int slab, const Position& at) const {
    const NodeBox& b = box[slab];
    return (at.z - b.first[2]) * in_ring[4] + in_ring[slab] + (at.y - b.first[1]) * b.size[0] + at.x -
           b.first[0];
  }
  constexpr Position of_rings(unsigned node) const {
    const unsigned plane = node / static_cast<unsigned>(in_ring[4]);
    node -= plane * static_cast<unsigned>(in_ring[4]);
    int slab = 0;
    while (node >= static_cast<unsigned>(in_ring[slab + 1])) ++slab;
    return of_box(box[slab], node - static_cast<unsigned>(in_ring[slab]), plane);
  }
  constexpr Position of_caps(unsigned node) const {
    const unsigned low = static_cast<unsigned>(box[4].nodes());
    return node < low ? of_box(box[4], node, 0) : of_box(box[5], node - low, 0);
  }

 private:
  static constexpr Position of_box(const NodeBox& box, unsigned node, unsigned plane) {
    const unsigned along_x = static_cast<unsigned>(box.size[0]), along_y = static_cast<unsigned>(box.size[1]),
                   line = node / along_x, more = line / along_y;
    return {box.first[0] + (node - line * along_x), box.first[1] + (line - more * along_y),
            box.first[2] + plane + more};
  }
};

inline Shell shell_of(const NodeBox& box, const NodeBox& inner, int dof) {
  Shell shell;
  for (NodeBox& none : shell.box) none.size = {0, 0, 0};
  if (inner.nodes() == 0) {
    shell.box[0] = box;
    shell.count(dof);
    return shell;
  }
  NodeBox rest = box;  // what the slabs so far leave
  for (int axis = 2; axis >= 0; --axis) {
    NodeBox &low = shell.box[2 * axis], &high = shell.box[2 * axis + 1];
    low = high = rest;
    low.size[axis] = inner.first[axis] - rest.first[axis];
    high.first[axis] = inner.first[axis] + inner.size[axis];
    high.size[axis] = rest.first[axis] + rest.size[axis] - high.first[axis];
    rest.first[axis] = inner.first[axis];
    rest.size[axis] = inner.size[axis];
  }
  shell.count(dof);
  return shell;
}

constexpr int rows_of_sectors = 16;  // that a line begins at a multiple of

// The inner nodes as threads go through them: the rows of a line along threadIdx.x, planes along threadIdx.y,
// and some lines one after the other.
struct Inner {
  Position first;
  int nodes, lines, planes;  // inner ones of a line
  int line, lead;            // rows of the box's line, and its nodes before the first inner one
  int before;                // threads that have no row, so that others write whole sectors of memory
  std::int64_t own, own_line, own_plane;        // of the first node, and steps
  std::int64_t place, place_line, place_plane;  // the same in the window
};

// Of fewer lines than a thread has, the slabs are all.
inline NodeBox inner_box(const ResidualState& state, int lines) {
  NodeBox inner = state.inner();
  if (inner.size[1] < lines) inner.size = {0, 0, 0};
  return inner;
}

inline Inner inner_of(const ResidualState& state, const NodeBox& box) {
  const Position first{box.first[0], box.first[1], box.first[2]};
  const auto &own = state.box.size, &window = state.window.box.size;
  return {.first = first,
          .nodes = to_index32(box.size[0], "nodes of a line"),
          .lines = to_index32(box.size[1], "lines"),
          .planes = to_index32(box.size[2], "planes"),
          .line = to_index32(own[0] * state.grid.dof, "rows of a line"),
          .lead = to_index32(first.x - state.box.first[0], "nodes of a line"),
          .before = static_cast<int>((state.own(first) - (first.x - state.box.first[0])) * state.grid.dof %
                                     rows_of_sectors),
          .own = state.own(first),
          .own_line = own[0],
          .own_plane = own[0] * own[1],
          .place = state.window.place(first),
          .place_line = window[0],
          .place_plane = window[0] * window[1]};
}

// The blocks of one launch, in one row: those of the slabs stand evenly among the tiles of inner rows.
struct Blocks {
  unsigned slabs = 0, tiles = 0, tiles_of_line = 1, tiles_of_plane = 1, period = 1;
  dim3 threads{threads_per_block};

  unsigned all() const { return slabs + tiles; }
  // Of a block whether it is one of the slabs; and its number among those or among the tiles.
  __device__ bool is_of_slabs(unsigned block, unsigned& number) const {
    number = block;
    if (slabs == 0) return false;
    const unsigned group = block / period;
    const bool slab = group < slabs && block == group * period;
    number = slab ? group : block - min(slabs, group + 1);
    return slab;
  }
};

// `diagonals`: blocks of the slabs have rows of one.
inline Blocks blocks_of(const Inner& inner, int lines, const Shell& shell, int diagonals = 1) {
  const auto parts = [](std::int64_t n, std::int64_t size) {
    return static_cast<unsigned>(to_index32((n + size - 1) / size, "blocks of a kernel"));
  };
  Blocks blocks;
  blocks.slabs = shell.blocks() * static_cast<unsigned>(diagonals);
  if (inner.nodes > 0) {
    unsigned x = 32, y = threads_per_block / 32;
    while (static_cast<int>(y) > inner.planes && y > 1) x *= 2, y /= 2;
    blocks.threads = dim3(x, y);
    blocks.tiles_of_line = parts(inner.line + inner.before, x);
    blocks.tiles_of_plane = parts(inner.lines, lines);
    blocks.tiles = static_cast<unsigned>(
        to_index32(std::int64_t{blocks.tiles_of_line} * blocks.tiles_of_plane * parts(inner.planes, y),
                   "blocks of a kernel"));
  }
  if (blocks.slabs > 0) blocks.period = std::max(blocks.all() / blocks.slabs, 1u);
  return blocks;
}

// rows(node, r, beyond) for row r of the inner nodes of a tile, each the first of `lines` lines; where
// `beyond` is not 0, for the row of a node that is not inner, so many nodes along x from the next one that
// is. The last lines of a plane are made twice where some are left.
template <int lines, class Rows>
__device__ void for_inner_rows(const Inner& inner, const Blocks& blocks, unsigned tile, int dof,
                               const Rows& rows) {
  const unsigned along_y = tile / blocks.tiles_of_line, along_z = along_y / blocks.tiles_of_plane,
                 in_line = tile - along_y * blocks.tiles_of_line;
  const int z = static_cast<int>(along_z * blockDim.y + threadIdx.y),
            row = static_cast<int>(in_line * blockDim.x + threadIdx.x) - inner.before;
  if (row < 0 || row >= inner.line || z >= inner.planes) return;
  const unsigned i = static_cast<unsigned>(row), node = dof == 1 ? i : i / static_cast<unsigned>(dof);
  const int r = static_cast<int>(i - node * static_cast<unsigned>(dof)),
            from_first = static_cast<int>(node) - inner.lead, x = max(0, min(from_first, inner.nodes - 1)),
            chunk = static_cast<int>(along_y - along_z * blocks.tiles_of_plane),
            y = min(chunk * lines, inner.lines - lines);
  rows(residual_detail::InnerPlace{{inner.first.x + x, inner.first.y + y, inner.first.z + z},
                                   inner.own + x + y * inner.own_line + z * inner.own_plane,
                                   inner.place + x + y * inner.place_line + z * inner.place_plane},
       r, from_first - x);
}

// row(position, r, number) for a thread's row of the slabs, in this block of theirs. Blocks of rings stand
// evenly among those of caps: a ring's turn comes when that of the inner nodes in it does, which read what it
// reads and write parts of the same sectors of memory. The number is that in the rings.
template <class Row>
__device__ void for_slab_row(const Shell& shell, unsigned block, int dof, const Row& row) {
  const std::uint64_t of_rings = shell.blocks_of_rings, all = of_rings + shell.blocks_of_caps;
  const unsigned before = static_cast<unsigned>(block * of_rings / all);
  const bool ring = (block + 1) * of_rings / all > before;
  const unsigned unknowns = static_cast<unsigned>(dof),
                 i = (ring ? before : block - before) * threads_per_block + threadIdx.y * blockDim.x +
                     threadIdx.x,
                 node = i / unknowns;
  if (node >= static_cast<unsigned>(ring ? shell.rings : shell.caps)) return;
  row(ring ? shell.of_rings(node) : shell.of_caps(node), static_cast<int>(i - node * unknowns), i);
}

}  // namespace device_residual_detail
}  // namespace quadrille
