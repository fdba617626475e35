// The product of a compact operator of constants whose neighbours couple each unknown with its own kind
// alone, as species that spread by themselves and react at a node:
//
//     y(r) = sum over c of D(r, c) x(c)  +  sum over neighbours d of a(d, r) x_d(r)
//
// A thread has a word of unknowns, 16 bytes, of some nodes one above the other; those of a node are beside
// each other, so that a warp asks for whole lines of memory. (The kernels for any map have a node a thread:
// with 16 unknowns its words are 128 bytes from those of the next thread, and each of them costs a way to
// the first-level cache of its own.) The numbers come with the launch and are used from shared memory, as x
// at the node is. Products of a row are added in the order of the diagonals, as everywhere. Internal to
// kernels/cuda.
#pragma once

#include <algorithm>

#include "formats/compact.hpp"
#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/specialise.hpp"
#include "kernels/output.hpp"

namespace quadrille::cuda {

// a by [diagonal][row] without the centre, and D by [column][row] behind them.
template <class T, int Capacity>
struct KindNumbers {
  T v[Capacity];
};
inline constexpr int few_kind_numbers = 480;  // cheap to pass

// Which nodes a block has: some of a line, in planes one above the other.
struct KindTiles {
  int nodes, parts, words;  // of a block, of a line; words of a node
  int centre;               // which diagonal
  Divisor by_parts, by_words;
};
inline constexpr int planes_of_kinds = 4;

template <class T, int Structure, int Capacity>
__global__ void __launch_bounds__(threads_per_block, 4)
    compact_by_kind_kernel(const __grid_constant__ CdsStructure<Structure> s,
                           const __grid_constant__ KindNumbers<T, Capacity> numbers,
                           const __grid_constant__ KindTiles t, const T* __restrict__ x, Output<T> y) {
  constexpr int word = 16 / sizeof(T), planes = planes_of_kinds;
  using Word = VectorOf<T, word>;
  __shared__ alignas(16) T number[Capacity];
  // With a word more behind each node of several, so that a warp's nodes are in different banks.
  __shared__ Word own[planes][threads_per_block + threads_per_block / 2];
  const int size = (s.diagonals - 1 + s.dof) * s.dof, i = threadIdx.x;
  for (int k = i; k < size; k += blockDim.x) number[k] = numbers.v[k];

  const int line = divide(static_cast<int>(blockIdx.x), t.by_parts), group = divide(line, s.by_ny),
            in_y = line - group * s.ny, of_block = divide(i, t.by_words),
            kind = (i - of_block * t.words) * word,
            in_x = (static_cast<int>(blockIdx.x) - line * t.parts) * t.nodes + of_block,
            first = group * planes, place = i + (t.words > 1 ? of_block : 0);
  const bool there = of_block < t.nodes && in_x < s.nx;
  const auto at = [&](int node_x, int node_y, int node_z) {
    return ((static_cast<std::int64_t>(node_z) * s.ny + node_y) * s.nx + node_x) * s.dof + kind;
  };
  const auto load_word = [&](std::int64_t place, T(&to)[word]) {
    unpack(__ldg(reinterpret_cast<const Word*>(x + place)), to);
  };
  if (there)
#pragma unroll
    for (int p = 0; p < planes; ++p)
      if (first + p < s.nz)
        own[p][place] = __ldg(reinterpret_cast<const Word*>(x + at(in_x, in_y, first + p)));
  __syncthreads();
  if (!there) return;

  T sum[planes][word] = {};
  const T* beside = number + kind;
#pragma unroll 1
  for (int d = 0; d < s.diagonals; ++d) {
    if (d == t.centre) {
      const T* column = number + (s.diagonals - 1) * s.dof + kind;
      const int first_word = place - kind / word;
      for (int w = 0; w < t.words; ++w) {
        T by[planes][word];
#pragma unroll
        for (int p = 0; p < planes; ++p) unpack(own[p][first_word + w], by[p]);
#pragma unroll
        for (int c = 0; c < word; ++c, column += s.dof) {
          T a[word];
          unpack(*reinterpret_cast<const Word*>(column), a);
#pragma unroll
          for (int k = 0; k < word; ++k)
#pragma unroll
            for (int p = 0; p < planes; ++p) sum[p][k] += a[k] * by[p][c];
        }
      }
      continue;
    }
    T a[word];
    unpack(*reinterpret_cast<const Word*>(beside), a);
    beside += s.dof;
    const int to_x = step_along(in_x, s.offset[d].x, s.nx, s.wraps_x),
              to_y = step_along(in_y, s.offset[d].y, s.ny, s.wraps_y);
    if (static_cast<unsigned>(to_x) >= static_cast<unsigned>(s.nx) ||
        static_cast<unsigned>(to_y) >= static_cast<unsigned>(s.ny))
      continue;
    T of_neighbour[planes][word];
    bool has[planes];
#pragma unroll
    for (int p = 0; p < planes; ++p) {
      const int to_z = step_along(first + p, s.offset[d].z, s.nz, s.wraps_z);
      has[p] = static_cast<unsigned>(to_z) < static_cast<unsigned>(s.nz) && first + p < s.nz;
      if (has[p]) load_word(at(to_x, to_y, to_z), of_neighbour[p]);
    }
#pragma unroll
    for (int p = 0; p < planes; ++p)
#pragma unroll
      for (int k = 0; k < word; ++k)
        if (has[p]) sum[p][k] += a[k] * of_neighbour[p][k];
  }
#pragma unroll
  for (int p = 0; p < planes; ++p)
    if (first + p < s.nz) {
      const std::int64_t row = at(in_x, in_y, first + p);
#pragma unroll
      for (int k = 0; k < word; ++k) sum[p][k] = y.value(row + k, sum[p][k]);
      *reinterpret_cast<Word*>(y.to + row) = pack(sum[p]);
    }
}

template <class T>
bool fits_kinds(const Compact<T, Device>& a, const T* x, const Output<T>& y) {
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  return aligned(x) && aligned(y.to) && a.nodes() * a.dof <= INT32_MAX;
}

template <int Structure, int Capacity, class T>
void launch_kinds(const Execution& on, const Compact<T, Device>& a, const T* x, Output<T> y) {
  constexpr int word = 16 / sizeof(T);
  auto s = structure_of<Structure>(a, 0, false);
  turn_to_z(s);
  KindTiles t{};
  t.words = a.dof / word;
  const int most = threads_per_block / t.words;
  t.parts = (s.nx + most - 1) / most;
  t.nodes = (s.nx + t.parts - 1) / t.parts;
  t.by_parts = divisor(t.parts);
  t.by_words = divisor(t.words);
  t.centre =
      static_cast<int>(std::find(a.offsets.begin(), a.offsets.end(), NodeOffset{}) - a.offsets.begin());
  KindNumbers<T, Capacity> numbers{};
  T* to = numbers.v;
  for (std::int64_t d = 0; d < a.diagonals(); ++d)
    for (int r = 0; r < a.dof && d != t.centre; ++r) *to++ = a.at(d, r, r).constant;
  for (int c = 0; c < a.dof; ++c)
    for (int r = 0; r < a.dof; ++r) *to++ = a.at(t.centre, r, c).constant;
  const int groups = (s.nz + planes_of_kinds - 1) / planes_of_kinds,
            threads = (t.nodes * t.words + 31) / 32 * 32;
  compact_by_kind_kernel<<<static_cast<unsigned>(t.parts * s.ny * groups), threads, 0, stream_of(on)>>>(
      s, numbers, t, x, y);
  QUADRILLE_CUDA_LAUNCHED("compact by kind");
}
// Of an operator that takes_kinds(), and vectors that fits_kinds().
template <class T>
void launch_by_kind(const Execution& on, const Compact<T, Device>& a, const T* x, Output<T> y) {
  if (kind_numbers(a) <= few_kind_numbers && a.diagonals() <= few_diagonals)
    launch_kinds<few_diagonals, few_kind_numbers>(on, a, x, y);
  else
    launch_kinds<max_diagonals, many_kind_numbers>(on, a, x, y);
}

}  // namespace quadrille::cuda
