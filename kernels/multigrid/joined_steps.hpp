// The steps of a cycle on its finest level, joined to two passes over memory: one before the coarser grids
// and one after them, each with two sweeps. For stars in 3D, one unknown a node: of couplings that are the
// same everywhere, where diagonals may differ near faces; and, in fp32, of a symmetric operator's that vary
// (varying_star.hpp). Internal to kernels/multigrid.
//
// A block of threads owns a tile of some lines and goes through its planes. A thread has a word of every
// plane, before the coarser grids of two lines: the planes before and behind it are in its registers, the
// nodes beside it in shared memory. What a later step needs of a plane, the step before it has made one plane
// earlier:
//
//     plane       k - 3          k - 2          k - 1        k
//     before      restriction <- residual    <- x         <- g = D^-1 b
//     after                      result      <- x'        <- x + P coarse
//
// Each arrow reads neighbours, so that a tile takes part in what is around it: `halo` words and lines at each
// side. What a thread makes there of neighbours that the tile has not got is not used. Outside the grid all
// is zero. One barrier a plane is enough, for what is written to shared memory is read a plane later.
#pragma once

#include <algorithm>

#include "kernels/multigrid/couplings.hpp"
#include "kernels/multigrid/transfer_steps.hpp"
#include "kernels/multigrid/varying_star.hpp"

namespace quadrille::multigrid {

// What a block owns, and its threads: each has a word of some lines.
struct Tiles {
  int words = 1, lines = 1, planes = 1;
  int halo_words = 1, halo_lines = 1;
  int lines_of_thread = 1;
  int tiles_x = 1, across = 1, blocks = 1;  // tiles along x, along x and y, and all
  constexpr int pitch() const { return words + 2 * halo_words; }
  constexpr int threads() const {
    return pitch() * ((lines + 2 * halo_lines + lines_of_thread - 1) / lines_of_thread);
  }
};

// Of `word` rows of a line at a time and steps that need `halo` lines around, for a GPU with so many
// multiprocessors, which do one tile at a time: what is done in the fewest passes over planes.
inline Tiles tiles_of(const Couplings& s, int word, int halo, int processors, int lines_of_thread,
                      int most_threads) {
  constexpr int most_words = 16, fewest_planes = 8, most_tries = 8, overhead = 8;  // in warps
  const auto parts = [](int n, int size) { return (n + size - 1) / size; };
  const int words = s.line / word;
  Tiles t;
  t.halo_words = parts(halo, word);
  t.halo_lines = halo;
  t.lines_of_thread = lines_of_thread;
  t.words = parts(words, parts(words, most_words));
  t.tiles_x = parts(words, t.words);
  const int most_lines = most_threads / t.pitch() * lines_of_thread - 2 * halo;
  const int fewest_tiles = parts(s.n[1], most_lines), most_deep = parts(s.n[2], fewest_planes);
  std::int64_t least = 0;
  for (int tiles_y = fewest_tiles; tiles_y < fewest_tiles + most_tries && tiles_y <= s.n[1]; ++tiles_y)
    for (int deep = 1; deep <= most_deep; ++deep) {
      Tiles now = t;
      now.lines = parts(s.n[1], tiles_y);
      now.planes = (parts(s.n[2], deep) + 1) / 2 * 2;
      now.across = t.tiles_x * parts(s.n[1], now.lines);
      now.blocks = now.across * parts(s.n[2], now.planes);
      const std::int64_t cost = static_cast<std::int64_t>(parts(now.blocks, processors)) *
                                (now.planes + 2 * halo + 1) * (parts(now.threads(), 32) + overhead);
      if (least > 0 && cost >= least) continue;
      least = cost;
      t = now;
    }
  return t;
}

// The operator: its couplings along -z, -y, -x, x, y and z, and D^-1 of the rows that are stored; or all of
// them by PackStar.
template <class T>
struct StarRows {
  bool there = false, vary = false;
  T a[6] = {};
  Couplings s;
  const T* inverse = nullptr;
  const Bf16 *xy = nullptr, *z = nullptr;
};

// Of the level of `s`, from values in host memory of the rows that `of` stores; not there where two rows have
// other couplings to nodes that both have.
template <class T>
StarRows<T> star_rows(const Couplings& s, const Couplings& of, const double* values) {
  StarRows<T> rows;
  rows.s = s;
  if (s.dof != 1 || s.count != 6 || s.any_wraps || !s.whole_star || s.stored.all ||
      !s.in_words_of(rows_together<T>))
    return rows;
  for (int k = 0; k < 6; ++k) {
    const int d = s.star[k];
    const double* const column = values + s.diagonal[d] * of.stored_rows;
    double a = 0;
    bool found = false;
    for (int node = 0; node < of.stored_nodes(); ++node) {
      const std::array<int, 3> at = of.stored_position(node);
      if (at[0] >= s.n[0] || !s.leads_inside(at, d)) continue;
      if (found && column[node] != a) return rows;
      a = column[node];
      found = true;
    }
    rows.a[k] = static_cast<T>(a);
  }
  rows.there = true;
  return rows;
}

// x of D^-1 A x = D^-1 b by two sweeps from zero, and the residual, restricted.
template <class T>
struct StepsBefore {
  StarRows<T> rows;
  Transfer<T> p;
  Couplings coarse_rows;
  const T* coarse_inverse;  // of the coarse D, to multiply by; or null
  T *x, *coarse, first, second;
  Tiles tiles;
};
// Two sweeps of x + P coarse, and (b, result) of each block's own nodes.
template <class T>
struct StepsAfter {
  StarRows<T> rows;
  Transfer<T> p;
  const T *x, *coarse;
  T first, second;
  Tiles tiles;
  double* of_block;
};

// Whether the two passes can do the transfer between levels, too.
template <class T>
bool can_be_joined(const Transfer<T>& p) {
  for (const int axis : {1, 2})
    if (p.first[axis] < 0 || p.coarse_n[axis] != (p.fine_n[axis] - p.first[axis] + 1) / 2) return false;
  return p.in_words;
}

}  // namespace quadrille::multigrid
