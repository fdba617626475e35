// The numbers below were the fastest of those tried on an H200 (results/h200_tiling_2026-11-25.txt), with
// grids of 192^3 to 512^3.
#include "kernels/cuda/tiling.hpp"

#include <algorithm>
#include <utility>

namespace quadrille::cuda {
namespace {

constexpr std::int64_t most_products = 500;  // of a thread at once, of several planes
// Numbers of 8 bytes that hold the sums of several vectors and planes. With these for 2 and more vectors, and
// the bounds in blocks_of(), ptxas spills 140 bytes a thread at most (sm_90, CUDA 13.0; not timed yet).
constexpr std::int64_t most_sums = 16;

std::int64_t parts(std::int64_t n, std::int64_t size) {
  return (n + size - 1) / size;
}
// The size of as few equal parts of n as have at most `most` each.
std::int64_t even_part(std::int64_t n, std::int64_t most) {
  return parts(n, parts(n, most));
}

// Of all vectors at once; those of an operator without columns are stored one vector after the other.
std::int64_t sums_of(const TileWork& work, int rows) {
  return work.vectors > 1 && work.columns > 0 ? std::int64_t{rows} * work.vectors * 2 / work.word : 0;
}

// More registers, at the price of fewer threads, where many numbers are read for a second use, or many sums
// grow.
int blocks_of(const TileWork& work, int dof, int nodes) {
  if (work.table) return work.vectors > 1 ? 3 : 4;
  const std::int64_t again = work.read_again * nodes * 2 / work.word,  // numbers of 8 bytes
      sums = sums_of(work, nodes * dof);
  return again + sums <= (sums > 0 ? 6 : 20) ? 3 : again + sums <= 52 ? 2 : 1;
}

// Threads along x. Of operators without columns the tiles are whole lines, or parts of 64 words: on an H100
// 1 % faster than of 32 at 256^3, 4 % at 200^3, 1.5 % at 512^3 (results/h100_lines_of_tables_2026-11-26.txt).
std::int64_t most_threads_along(const TileWork& work, int dof, std::int64_t along) {
  if (dof > 1 || work.columns > 0) return 32;
  return along <= 128 ? 128 : 64;
}

// Planes at once where x is most of what is read; else one after the other, which takes fewer registers. With
// very many columns neither pays.
void share_planes(const TileWork& work, int dof, Tiling& t) {
  if (dof > 1 && work.columns > 0)
    t.steps = work.read_again > 0 && work.read_again <= 100 ? 8 : 1;
  else if (work.planes_share)
    t.planes = work.table ? 2 : dof > 1 ? (work.products <= 100 ? 4 : 2) : 8 / work.word;
}

}  // namespace

BlockStructure with_planes(BlockStructure s) {
  if (s.extents[2] > 1) return s;
  std::swap(s.extents[1], s.extents[2]);
  std::swap(s.periodic[1], s.periodic[2]);
  for (NodeOffset& o : s.offsets) std::swap(o.y, o.z);
  return s;
}

Tiling tiling_of(const BlockStructure& s, const TileWork& work) {
  Tiling t;
  if (s.nodes() == 0) return t;
  const std::int64_t ny = s.extents[1], nz = s.extents[2];
  t.nodes = s.dof == 1 && s.extents[0] % work.word == 0 ? work.word : 1;
  share_planes(work, s.dof, t);
  // More was not tried, and takes long to compile.
  while (t.planes > 1 && (work.products * t.nodes * t.planes * work.vectors > most_products ||
                          sums_of(work, t.nodes * t.planes * s.dof) > most_sums))
    t.planes /= 2;
  t.planes = static_cast<int>(std::min<std::int64_t>(t.planes, nz));
  const std::int64_t along = parts(s.extents[0], t.nodes);
  t.x =
      static_cast<int>(even_part(along, std::max(most_threads_along(work, s.dof, along), tile_threads / ny)));
  t.y = static_cast<int>(std::min<std::int64_t>(ny, tile_threads / t.x));
  t.tiles_x = parts(along, t.x);
  t.tiles_y = parts(ny, t.y);
  t.tiles_z = parts(nz, std::int64_t{t.planes} * t.steps);
  // As many blocks as keep a large GPU busy; one that goes from plane to plane is busy longer.
  const std::int64_t wanted = t.planes > 1 ? 1100 : 256;
  for (int* const each : {&t.planes, &t.steps})
    while (work.size == TileSize::of_grid && *each > 1 && t.launched() < wanted) {
      *each = (*each + 1) / 2;
      t.tiles_z = parts(nz, std::int64_t{t.planes} * t.steps);
    }
  t.blocks = blocks_of(work, s.dof, t.nodes * t.planes);
  return t;
}

}  // namespace quadrille::cuda
