// The largest eigenvalue of D^-1 A by what single rows make of waves: with the couplings of a node for those
// of all, D^-1 A takes the wave exp(i angles . node) v to itself times the symbol
//
//     S = 1 + sum over couplings of D^-1 A_coupling exp(i angles . offset),
//
// a number, or a matrix of as many unknowns as a node has (R. Wienands and W. Joppich, Practical Fourier
// Analysis for Multigrid Methods, 2005). With the same couplings on both sides of a node along each axis it
// is largest for waves of which a half or nothing fits between two nodes. One pass over the rows, where a
// power method takes twelve sweeps. Internal to kernels/multigrid.
#pragma once

#include <cmath>

#include "kernels/multigrid/entry_rows.hpp"

namespace quadrille::multigrid {

// What of the largest |S| is taken. Where few rows are all, waves in the middle there are; those at faces are
// damped by what is beside them. Sweeps hold up to 1.2 times what they are made for, and with these numbers
// solves of some 280 operators took the fewest iterations.
inline constexpr double of_middle = 1.07, of_middle_blocks = 1, of_few_rows = 0.92, of_varying_rows = 0.96;

// Of one unknown a node, over half turns from node to node along each axis: `factor` times the largest |S| of
// a stored row a call. V: D^-1 A is stored, or A, and then D^-1.
template <class V, class T>
struct HalfTurnsOfRow {
  static constexpr std::int64_t work = 8;
  Couplings s;
  const V* a;
  const T* inverse;
  double factor;
  constexpr std::int64_t size() const { return s.stored_rows; }
  constexpr double operator()(std::int64_t row) const {
    if (s.shared && !s.owns(static_cast<int>(row))) return 0;
    T sums[8] = {};  // by the axes that a coupling goes along
    with_couplings(
        s, [&](int d) { return a[d * s.stored_rows + row]; },
        [&](int, int x, int y, int z, V value) {
          sums[(x & 1) + 2 * (y & 1) + 4 * (z & 1)] += static_cast<T>(value);
        });
    // A wave changes the signs of those along the axes in which it turns.
    QUADRILLE_UNROLL
    for (int axis = 1; axis < 8; axis *= 2) {
      QUADRILLE_UNROLL
      for (int i = 0; i < 8; ++i)
        if ((i & axis) == 0) {
          const T even = sums[i], odd = sums[i + axis];
          sums[i] = even + odd;
          sums[i + axis] = even - odd;
        }
    }
    const T by = inverse != nullptr ? inverse[row] : T(1);
    double largest = 0;
    for (const T sum : sums) {
      const double of_wave = absolute(1 + static_cast<double>(by * sum));
      largest = of_wave > largest ? of_wave : largest;
    }
    return factor * largest;
  }
};

// S of stored nodes, as a matrix, and how large its largest eigenvalue is by a power method. Dof: the
// unknowns of a node, or 0 for as many as `s` says, whose S is not stored.
template <class T, int Dof>
struct SymbolOfNode {
  static constexpr int most = Dof > 0 ? Dof : most_multigrid_unknowns;
  Couplings s;
  const T *a, *inverse;  // D^-1 A and null, or rows by kind (by_kind_steps.hpp)
  double factor;

  // `turns`: quarters of a turn from node to node along each axis.
  constexpr double radius(std::int64_t node, const int (&turns)[3]) const {
    const int dof = Dof > 0 ? Dof : s.dof;
    const std::int64_t first = node * dof;
    T sums[2][Dof > 0 ? Dof * Dof : most] = {};  // S - 1 of each column, or of each kind
    if (inverse != nullptr || Dof > 0)
      for_couplings(turns, [&](int d, T re, T im) {
        const int numbers = inverse != nullptr ? dof : Dof * Dof;
        for (int k = 0; k < numbers; ++k) {
          const int column = inverse != nullptr ? d : d * dof + k / dof;
          const T value = a[column * s.stored_rows + first + k % dof];
          sums[0][k] += re * value;
          sums[1][k] += im * value;
        }
      });
    return radius_of(first, turns, sums);
  }

 protected:
  // Of S - 1, whose blocks or kinds are known where they are stored: [column][row].
  template <int Numbers>
  constexpr double radius_of(std::int64_t first, const int (&turns)[3], const T (&sums)[2][Numbers]) const {
    const int dof = Dof > 0 ? Dof : s.dof;
    constexpr int steps = 12;
    Vector v, to;
    for (int c = 0; c < dof; ++c) to.re[c] = 1 - static_cast<T>(c * 5 % 7) * T(0.3);  // some of each
    double length = v.take(to, dof);
    for (int step = 0; step < steps; ++step) {
      for (int c = 0; c < dof; ++c) to.re[c] = v.re[c], to.im[c] = v.im[c];
      if (inverse != nullptr) {
        for (int c = 0; c < dof; ++c)
          for (int r = 0; r < dof; ++r)
            to.add(r, inverse[c * s.stored_rows + first + r], sums[0][c] * v.re[c] - sums[1][c] * v.im[c],
                   sums[0][c] * v.im[c] + sums[1][c] * v.re[c]);
      } else if constexpr (Dof > 0) {
        QUADRILLE_UNROLL
        for (int k = 0; k < Dof * Dof; ++k) {
          const int c = k / Dof, r = k % Dof;
          to.add(r, sums[0][k], v.re[c], v.im[c]);
          to.add(r, sums[1][k], -v.im[c], v.re[c]);
        }
      } else {
        for_couplings(turns, [&](int d, T re, T im) {
          for (int c = 0; c < dof; ++c)
            for (int r = 0; r < dof; ++r)
              to.add(r, a[(std::int64_t{d} * dof + c) * s.stored_rows + first + r],
                     re * v.re[c] - im * v.im[c], re * v.im[c] + im * v.re[c]);
        });
      }
      length = v.take(to, dof);
    }
    return factor * length;
  }

 private:
  struct Vector {
    T re[most] = {}, im[most] = {};
    // Another one, of length 1, and how long it was.
    constexpr double take(const Vector& other, int dof) {
      T squares = 0;
      for (int c = 0; c < dof; ++c) squares += other.re[c] * other.re[c] + other.im[c] * other.im[c];
      const double length = std::sqrt(static_cast<double>(squares));
      const T by = length > 0 ? static_cast<T>(1 / length) : T(0);
      for (int c = 0; c < dof; ++c) re[c] = by * other.re[c], im[c] = by * other.im[c];
      return length;
    }
    constexpr void add(int r, T by, T real, T imaginary) {
      re[r] += by * real;
      im[r] += by * imaginary;
    }
  };
  // body(coupling, real and imaginary part of exp(i angles . offset)), which are 0, 1 and -1
  template <class Body>
  constexpr void for_couplings(const int (&turns)[3], const Body& body) const {
    for (int d = 0; d < s.count; ++d) {
      const int turn =
          (s.offset[d][0] * turns[0] + s.offset[d][1] * turns[1] + s.offset[d][2] * turns[2]) & 3;
      const T one = turn < 2 ? T(1) : T(-1);
      body(d, turn % 2 == 0 ? one : T(0), turn % 2 == 0 ? T(0) : one);
    }
  }
};

// The same of rows by entries (entry_rows.hpp), over half turns, of which S is real.
template <class T, int Dof>
struct SymbolOfEntries : SymbolOfNode<T, Dof> {
  RowsByEntries<T, 1> rows;
  constexpr double radius(std::int64_t node, const int (&turns)[3]) const {
    const Couplings& s = rows.s;
    const auto at = rows.node_at(s.position(static_cast<int>(node)));
    T beside[Dof * Dof] = {}, sums[2][Dof * Dof] = {};
    QUADRILLE_UNROLL
    for (int r = 0; r < Dof; ++r)
      rows.for_entries(at, r, [&](int e, T value, int) {
        const int d = rows.table.coupling[e], column = rows.table.to[e] - s.step[d] * Dof;
        const auto& o = s.offset[d];
        const T turned = (o[0] * turns[0] + o[1] * turns[1] + o[2] * turns[2]) & 2 ? -value : value;
        QUADRILLE_UNROLL
        for (int c = 0; c < Dof; ++c) beside[c * Dof + r] += c == column ? turned : T(0);
      });
    QUADRILLE_UNROLL
    for (int k = 0; k < Dof; ++k)
      for (int r = 0; r < Dof; ++r) {
        const T by = rows.inverse[k * s.stored_rows + at.first_row + r];
        for (int c = 0; c < Dof; ++c) sums[0][c * Dof + r] += by * beside[c * Dof + k];
      }
    return this->radius_of(at.first_row, turns, sums);
  }
};

// Over half turns along each axis, a stored node and a wave a call. Threads that run together have nodes
// beside each other, and the waves of these nodes in turn.
template <class Symbol>
struct HalfTurnsOfNode : Symbol {
  static constexpr std::int64_t work = 300;
  static constexpr int waves = 8, together = 32;
  constexpr std::int64_t size() const {
    return (std::int64_t{this->s.stored_nodes()} + together - 1) / together * together * waves;
  }
  constexpr double operator()(std::int64_t i) const {
    const Couplings& s = this->s;
    const std::int64_t node = i / (together * waves) * together + i % together;
    const int wave = static_cast<int>(i / together % waves);
    if (node >= s.stored_nodes() || (s.shared && !s.owns(static_cast<int>(node)))) return 0;
    for (int axis = 0; axis < 3; ++axis)
      if ((wave >> axis & 1) == 1 && s.n[axis] == 1) return 0;
    return this->radius(node, {(wave & 1) * 2, wave & 2, wave >> 1 & 2});
  }
};
// Over quarter turns, of the node in the middle. A wave that goes the other way is as large: z needs no more
// than half a turn.
template <class T, int Dof>
struct QuarterTurnsInTheMiddle : SymbolOfNode<T, Dof> {
  static constexpr std::int64_t work = 300;
  constexpr std::int64_t size() const { return 4 * 4 * 3; }
  constexpr double operator()(std::int64_t i) const {
    const Couplings& s = this->s;
    const int turns[3] = {static_cast<int>(i & 3), static_cast<int>(i >> 2 & 3), static_cast<int>(i >> 4)};
    for (int axis = 0; axis < 3; ++axis)
      if (turns[axis] > 0 && s.n[axis] == 1) return 0;
    return this->radius(s.place(std::int64_t{s.index({s.n[0] / 2, s.n[1] / 2, s.n[2] / 2})} * s.dof) / s.dof,
                        turns);
  }
};

// Whether they are asked for of such rows, of so many nodes of all ranks, who all ask then or none: of many
// unknowns a node S is not stored, and few rows are read again and again.
inline bool suits_symbols(const Couplings& s, std::int64_t nodes) {
  constexpr std::int64_t few = 1024;
  return nodes <= few || s.dof == 1 || (s.dof <= 3 && !s.by_kind);
}

// Queues what they make of the rows of a level, for the largest of as many of machine.queued() as this tells
// to be the largest eigenvalue. Rows: a Level, or LevelRows.
template <class T, class Machine, class Rows>
int queue_symbols(Machine& machine, const Couplings& s, const Rows& rows) {
  const double factor = s.stored.all ? of_varying_rows : of_few_rows;
  const bool by_kind = rows.of_kind.size() > 0;
  const T* const a = by_kind ? rows.of_kind.data() : rows.scaled.data();
  const T* const inverse = by_kind ? rows.inverse.data() : nullptr;
  const auto middle = [&]<int Dof>() {
    if (s.stored.all) return 1;
    machine.queue_largest_of(
        QuarterTurnsInTheMiddle<T, Dof>{{s, a, inverse, s.dof > 1 ? of_middle_blocks : of_middle}});
    return 2;
  };
  const auto of_blocks = [&]<int Dof>() {
    if constexpr (Dof > 0)
      if (rows.entries.there()) {
        machine.queue_largest_of(HalfTurnsOfNode<SymbolOfEntries<T, Dof>>{
            {{s, nullptr, nullptr, factor}, {{s, nullptr, rows.inverse.data()}, rows.entries.table}}});
        return 1;
      }
    machine.queue_largest_of(HalfTurnsOfNode<SymbolOfNode<T, Dof>>{{s, a, inverse, factor}});
    return middle.template operator()<Dof>();
  };
  if (s.dof == 2) return of_blocks.template operator()<2>();
  if (s.dof == 3) return of_blocks.template operator()<3>();
  if (s.dof > 3) return of_blocks.template operator()<0>();
  if (rows.rounded.size() > 0)
    machine.queue_largest_of(HalfTurnsOfRow<Bf16, T>{s, rows.rounded.data(), rows.inverse.data(), factor});
  else
    machine.queue_largest_of(HalfTurnsOfRow<T, T>{s, a, nullptr, factor});
  return middle.template operator()<1>();
}

}  // namespace quadrille::multigrid
