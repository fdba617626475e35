// How the threads of a GPU go through the rows of a box of nodes: those of inner nodes in tiles, some lines a
// thread, and those near faces, the slabs around them, one by one. Both have blocks of one launch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "assembly/residual.hpp"

namespace quadrille {

namespace device_residual_detail {

constexpr int threads_per_block = 256;

// The nodes of a box that are not inner: the slabs around it, two for each axis, and how many nodes are in
// those before each and in all.
struct Shell {
  std::array<NodeBox, 6> box{};
  std::array<int, 7> first{};

  std::int64_t rows(int dof) const { return to_index32(std::int64_t{first[6]} * dof, "rows near faces"); }
  void count() {
    for (std::size_t i = 0; i < box.size(); ++i)
      first[i + 1] = to_index32(first[i] + box[i].nodes(), "nodes near faces");
  }
};

inline Shell shell_of(const NodeBox& box, const NodeBox& inner) {
  Shell shell;
  for (NodeBox& none : shell.box) none.size = {0, 0, 0};
  if (inner.nodes() == 0) {
    shell.box[0] = box;
    shell.count();
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
  shell.count();
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
inline Blocks blocks_of(const Inner& inner, int lines, const Shell& shell, int dof, int diagonals = 1) {
  const auto parts = [](std::int64_t n, std::int64_t size) {
    return static_cast<unsigned>(to_index32((n + size - 1) / size, "blocks of a kernel"));
  };
  Blocks blocks;
  blocks.slabs = parts(shell.rows(dof), threads_per_block) * static_cast<unsigned>(diagonals);
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

// row(position, r, number) for a thread's row of the slabs, in this block of theirs.
template <class Row>
__device__ void for_slab_row(const Shell& shell, unsigned block, int dof, const Row& row) {
  const unsigned unknowns = static_cast<unsigned>(dof),
                 i = block * threads_per_block + threadIdx.y * blockDim.x + threadIdx.x;
  if (i >= static_cast<unsigned>(shell.first[6]) * unknowns) return;
  unsigned node = i / unknowns;
  const int r = static_cast<int>(i - node * unknowns);
  int slab = 0;
  while (node >= static_cast<unsigned>(shell.first[slab + 1])) ++slab;
  const NodeBox& box = shell.box[slab];
  node -= static_cast<unsigned>(shell.first[slab]);
  const unsigned along_x = static_cast<unsigned>(box.size[0]), along_y = static_cast<unsigned>(box.size[1]),
                 line = node / along_x, plane = line / along_y;
  row(Position{box.first[0] + (node - line * along_x), box.first[1] + (line - plane * along_y),
               box.first[2] + plane},
      r, i);
}

}  // namespace device_residual_detail
}  // namespace quadrille
