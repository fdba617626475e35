// Interpolation from the next coarser level and restriction to it, an element or a few of them a call.
// Internal to kernels/multigrid.
#pragma once

#include "kernels/multigrid/couplings.hpp"

namespace quadrille::multigrid {

// The tables of AxisInterpolation, and coarse node by coarse node the fine ones that read it: up to three,
// for every other node is a coarse one. Passed by value.
template <class T>
struct Transfer {
  const std::int32_t* node[3];  // [fine node][2]
  const T* weight[3];           // [fine node][2]
  const std::int32_t* fine[3];  // [coarse node][3]
  const T* fine_weight[3];      // [coarse node][3], 0 where there are fewer
  const std::int8_t*
      second[3];  // [coarse node][3]: 1 where the coarse node is the second that this fine one reads
  int fine_n[3], coarse_n[3];
  Divisor by_dof, by_fine_n[2], by_coarse_n[2];
  int dof, corners;
  std::int64_t fine_rows;
  const T* weights;  // [corner][fine row] instead of the products, or null
  // Of an axis where coarse node j is fine node 2j + first: with which weights fine node i reads the coarse
  // ones i/2 - first and the next, [fine node][2], and those of the fine nodes 2j + first - 1, 2j + first and
  // 2j + first + 1 in coarse node j, [coarse node][3].
  const T *beside[3], *around[3];
  int first[3];   // -1 where the axis is not such a one
  bool in_words;  // linear weights, x is, and lines have whole words for the steps below
};

// The steps of linear weights for one unknown a node, by words of four fine nodes of a line. Four fine nodes
// read three coarse ones; two coarse ones read these four and one beside them.
template <class T>
struct InterpolateAddInWords {
  Transfer<T> p;
  const T* coarse;
  T* to;

  constexpr void operator()(std::int64_t index) const {
    const int row = static_cast<int>(index) * 4, line = divide(row, p.by_fine_n[0]),
              x = row - line * p.fine_n[0], z = divide(line, p.by_fine_n[1]), y = line - z * p.fine_n[1];
    const int last = p.coarse_n[0] - 1, from = x / 2 - p.first[0],
              at[3] = {from < 0 ? 0 : from, from + 1, from + 2};
    T of[3] = {};
    QUADRILLE_UNROLL
    for (int k = 0; k < 2; ++k) {
      const T wz = p.weight[2][2 * z + k];
      if (wz == 0) continue;
      QUADRILLE_UNROLL
      for (int j = 0; j < 2; ++j) {
        const T w = wz * p.weight[1][2 * y + j];
        if (w == 0) continue;
        const T* const start =
            coarse + static_cast<std::int64_t>(p.node[2][2 * z + k] * p.coarse_n[1] + p.node[1][2 * y + j]) *
                         p.coarse_n[0];
        for (int i = 0; i < 3; ++i) of[i] += w * start[at[i] > last ? last : at[i]];
      }
    }
    T sum[4], beside[8];
    load(to + row, sum);
    load(p.beside[0] + 2 * x, beside);
    for (int i = 0; i < 4; ++i) sum[i] += beside[2 * i] * of[i / 2] + beside[2 * i + 1] * of[i / 2 + 1];
    store_result(to + row, sum);
  }
};

// By the inverse of the coarse diagonal, too, where `inverse` is there.
template <class T>
struct RestrictInWords {
  Transfer<T> p;
  const T* from;
  Couplings of_coarse;
  const T* inverse;
  T* coarse;

  constexpr void operator()(std::int64_t index) const {
    const int row = static_cast<int>(index) * 2, line = divide(row, p.by_coarse_n[0]),
              c = row - line * p.coarse_n[0], z = divide(line, p.by_coarse_n[1]),
              y = line - z * p.coarse_n[1];
    // The word begins at fine node 2c, and the other number is the one before it or behind.
    const int word = 2 * c + 4 <= p.fine_n[0] ? 2 * c : p.fine_n[0] - 4,
              other = p.first[0] == 0 ? (word > 0 ? word - 1 : 0)
                                      : (word + 4 < p.fine_n[0] ? word + 4 : p.fine_n[0] - 1);
    T of[5] = {};
    QUADRILLE_UNROLL
    for (int k = 0; k < 3; ++k) {
      const T wz = p.fine_weight[2][3 * z + k];
      if (wz == 0) continue;
      QUADRILLE_UNROLL
      for (int j = 0; j < 3; ++j) {
        const T w = wz * p.fine_weight[1][3 * y + j];
        if (w == 0) continue;
        const T* const start =
            from + static_cast<std::int64_t>(p.fine[2][3 * z + k] * p.fine_n[1] + p.fine[1][3 * y + j]) *
                       p.fine_n[0];
        T four[4];
        load(start + word, four);
        const T one = start[other];
        of[0] += w * (p.first[0] == 0 ? one : four[0]);
        for (int i = 1; i < 4; ++i) of[i] += w * (p.first[0] == 0 ? four[i - 1] : four[i]);
        of[4] += w * (p.first[0] == 0 ? four[3] : one);
      }
    }
    T sum[2] = {};
    for (int i = 0; i < 3; ++i) {
      sum[0] += p.around[0][3 * c + i] * of[i];
      sum[1] += p.around[0][3 * c + 3 + i] * of[2 + i];
    }
    if (inverse != nullptr)
      for (int i = 0; i < 2; ++i) sum[i] *= inverse[of_coarse.place(row + i)];
    store(coarse + row, sum);
  }
};

// fine += P coarse, for Rows nodes of one line, of one unknown a node, or Kinds of a node, a call. Stored: by
// weights of their own.
template <class T, int Rows, int Kinds, bool Stored>
struct InterpolateAdd {
  static_assert(Rows == 1 || Kinds == 1);
  static constexpr int together = Rows * Kinds;
  Transfer<T> p;
  const T* coarse;
  T* to;

  constexpr void operator()(std::int64_t index) const {
    const int row = static_cast<int>(index) * together, dof = Rows > 1 ? 1 : p.dof,
              at = Rows > 1 ? row : divide(row, p.by_dof), r = row - at * dof;
    const int line = divide(at, p.by_fine_n[0]), x = at - line * p.fine_n[0],
              z = divide(line, p.by_fine_n[1]), y = line - z * p.fine_n[1];
    T sum[together], along[2 * Rows];
    std::int32_t node[2 * Rows];
    load(to + row, sum);
    load(p.node[0] + 2 * x, node);
    load(p.weight[0] + 2 * x, along);
    QUADRILLE_UNROLL
    for (int k = 0; k < 2; ++k) {
      const T wz = p.weight[2][2 * z + k];
      if (wz == 0) continue;
      QUADRILLE_UNROLL
      for (int j = 0; j < 2; ++j) {
        const T w = wz * p.weight[1][2 * y + j];
        if (w == 0) continue;
        const T* const from =
            coarse +
            (static_cast<std::int64_t>(p.node[2][2 * z + k]) * p.coarse_n[1] + p.node[1][2 * y + j]) *
                p.coarse_n[0] * dof +
            r;
        T there[2][together];  // the coarse ones on both sides
        QUADRILLE_UNROLL
        for (int i = 0; i < Rows; ++i)
          for (int side = 0; side < 2; ++side) {
            T of_node[Kinds];
            load(from + node[2 * i + side] * dof, of_node);
            for (int kind = 0; kind < Kinds; ++kind) there[side][i * Kinds + kind] = of_node[kind];
          }
        if constexpr (Stored) {
          QUADRILLE_UNROLL
          for (int side = 0; side < 2; ++side) {
            T own[together];
            load_streamed(p.weights + (4 * k + 2 * j + side) * p.fine_rows + row, own);
            for (int i = 0; i < together; ++i) sum[i] += own[i] * there[side][i];
          }
        } else {
          for (int i = 0; i < together; ++i)
            sum[i] += w * (along[i / Kinds * 2] * there[0][i] + along[i / Kinds * 2 + 1] * there[1][i]);
        }
      }
    }
    store_result(to + row, sum);
  }
};

// coarse = P^T fine, Kinds rows of a coarse node a call.
template <class T, int Dof, int Kinds, bool Stored>
struct Restrict {
  Transfer<T> p;
  const T* from;
  T* coarse;

  constexpr void operator()(std::int64_t index) const {
    const int dof = Dof > 0 ? Dof : p.dof, row = static_cast<int>(index) * Kinds,
              at = Dof == 1 ? row : divide(row, p.by_dof), r = row - at * dof;
    const int line = divide(at, p.by_coarse_n[0]), z = divide(line, p.by_coarse_n[1]);
    const int c[3] = {at - line * p.coarse_n[0], line - z * p.coarse_n[1], z};
    int fine[3][3] = {};
    std::int64_t corner[3][3] = {};
    T weight[3][3] = {};
    QUADRILLE_UNROLL
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < 3; ++k) {
        fine[axis][k] = p.fine[axis][3 * c[axis] + k];
        weight[axis][k] = p.fine_weight[axis][3 * c[axis] + k];
        if (Stored && p.second[axis][3 * c[axis] + k] != 0) corner[axis][k] = p.fine_rows << axis;
      }
    T sum[Kinds] = {};
    QUADRILLE_UNROLL
    for (int k = 0; k < 3; ++k) {
      if (weight[2][k] == 0) continue;
      QUADRILLE_UNROLL
      for (int j = 0; j < 3; ++j) {
        const T w = weight[2][k] * weight[1][j];
        if (w == 0) continue;
        const std::int64_t first =
            (static_cast<std::int64_t>(fine[2][k]) * p.fine_n[1] + fine[1][j]) * p.fine_n[0] * dof + r;
        T of_line[Kinds] = {};
        QUADRILLE_UNROLL
        for (int i = 0; i < 3; ++i) {
          const std::int64_t place = first + fine[0][i] * dof;
          T v[Kinds];
          load(from + place, v);
          if constexpr (Stored) {
            if (weight[0][i] == 0) continue;
            T own[Kinds];
            load(p.weights + corner[2][k] + corner[1][j] + corner[0][i] + place, own);
            for (int kind = 0; kind < Kinds; ++kind) of_line[kind] += v[kind] * own[kind];
          } else {
            for (int kind = 0; kind < Kinds; ++kind) of_line[kind] += weight[0][i] * v[kind];
          }
        }
        for (int kind = 0; kind < Kinds; ++kind) sum[kind] += Stored ? of_line[kind] : w * of_line[kind];
      }
    }
    store(coarse + row, sum);
  }
};

}  // namespace quadrille::multigrid
