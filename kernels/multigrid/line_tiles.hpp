// What solves the lines of a colour in one step, by threads that share them: what a GPU does in place of
// line_steps.hpp. Internal to kernels/multigrid.
//
// A team (a block of threads) has some lines beside each other, all of their nodes or, where those are too
// many, segments of them one after the other. Its threads make, in shared memory,
//
//     f_i = P_i r_i,  a_i = -P_i L_i,  c_i = -P_i U_i      of each node
//
// in the order in which nodes stand beside each other in memory, whatever the lines lead along. What is left
// are two recurrences, y_i = a_i y_i-1 + f_i forwards and x_i = c_i x_i+1 + y_i backwards: a warp solves
// those of a line (line_recurrence.hpp). Where rows are dominant, a and c make no number grow.
//
// A Team has each(f), which calls f(thread) for all threads, each_warp(f), which calls f(warp, its number),
// sync(), which waits for all of it, wait_for_step_before(), for all teams of it, and Each<V>, a V for each
// thread or warp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/multigrid/line_recurrence.hpp"
#include "kernels/multigrid/line_steps.hpp"

namespace quadrille::multigrid {

// How lines are shared out.
struct LineTiles {
  static constexpr int threads = 256, most_lines = threads / lanes;
  static constexpr int bytes_of_starts = 128;  // of shared memory, where the lines begin
  int lines = most_lines, log2_lines = 3;      // of a team
  int segment = 1;                             // nodes of a line at a time
  int chunk = 1;  // of a lane: odd, so that no two lanes read the same bank of shared memory
  int pitch = 1;  // from one line to the next there: what 8 lines and 4 nodes are in are all banks
  std::int64_t teams = 0;
  int bytes = 0;  // of shared memory
};

// For so much shared memory.
template <class T>
LineTiles line_tiles(const Lines& lines, int most_bytes, int processors) {
  const int length = lines.length(), dof = lines.s.dof, entries = dof + 2 * dof * dof,
            most_numbers = (most_bytes - LineTiles::bytes_of_starts) / static_cast<int>(sizeof(T));
  const std::int64_t count = lines.colour.size();
  const auto pitch_of = [](int nodes) { return (nodes + 27) / 32 * 32 + 4; };
  LineTiles t;
  // As many lines as threads read beside each other, unless that leaves processors without work, or a line
  // does not fit.
  const int fewest = lines.places.axis == 0 ? 1 : dof == 1 ? 4 : 2;
  const auto too_many = [&] {
    const std::int64_t nodes = std::int64_t{t.lines} * length;
    return entries * t.lines * std::int64_t{pitch_of(length)} > most_numbers ||
           (nodes * dof > LineTiles::threads && count < std::int64_t{3} * t.lines * processors);
  };
  while (t.lines > fewest && too_many()) t.lines = 1 << --t.log2_lines;
  const int most = (most_numbers / (entries * t.lines) - 4) / 32 * 32 + 4,
            segments = (length + most - 1) / most;
  t.segment = (length + segments - 1) / segments;
  t.chunk = ((t.segment + lanes - 1) / lanes) | 1;
  t.pitch = pitch_of(t.segment);
  t.teams = (count + t.lines - 1) / t.lines;
  t.bytes = LineTiles::bytes_of_starts + entries * t.lines * t.pitch * static_cast<int>(sizeof(T));
  return t;
}

template <class T, int Dof, int Count>
struct LineTileStep {
  // That a processor has at once: the registers of each are the fewer.
  static constexpr int teams_together = Dof == 1 && sizeof(T) == 4 ? 4 : 2;
  LineRight<T, Dof, Count> right;
  const T* pivots;
  T* x;
  LineTiles tiles;

  template <class Team>
  constexpr void operator()(const Team& team, int number, char* shared) const {
    Lines::Node* const starts = reinterpret_cast<Lines::Node*>(shared);
    T* const numbers = reinterpret_cast<T*>(shared + LineTiles::bytes_of_starts);
    team.each([&](int thread) {
      if (thread < tiles.lines) starts[thread] = find(number * tiles.lines + thread);
    });
    team.wait_for_step_before();
    team.sync();
    typename Team::template Each<Share> rows{}, nodes{};
    team.each([&](int thread) {
      rows[thread] = share<Dof>(thread, starts);
      nodes[thread] = share<1>(thread, starts);
    });
    typename Team::template Each<LineEnd<T, Dof>> last{};
    const auto solve_lines = [&](const Segment& now, int direction) {
      team.each_warp([&](const auto& warp, int line) {
        if (line < tiles.lines && starts[line].number >= 0)
          solve(warp, recurrence(now, line, direction), last[line]);
      });
    };
    const int segments = (right.lines.length() + tiles.segment - 1) / tiles.segment;
    for (int s = 0; s < segments; ++s) {
      const Segment now = segment(s, numbers);
      if constexpr (Dof > 1) {
        team.each([&](int thread) { make_right(now, rows[thread]); });
        team.sync();
      }
      team.each([&](int thread) { make_maps(now, nodes[thread]); });
      team.sync();
      solve_lines(now, 1);
      if (s + 1 == segments) break;
      team.sync();
      team.each([&](int thread) { put(now, rows[thread], right.y); });
    }
    // The last segment is still there, and its last node has c = 0, whatever `last` is.
    for (int s = segments - 1; s >= 0; --s) {
      const Segment now = segment(s, numbers);
      if (s + 1 < segments) {
        team.each([&](int thread) {
          take(now, rows[thread]);
          make_maps_back(now, nodes[thread]);
        });
        team.sync();
      }
      solve_lines(now, -1);
      team.sync();
      team.each([&](int thread) { put(now, rows[thread], x); });
    }
  }

 private:
  // The first node of a line; its number is -1 where there is no such line.
  constexpr Lines::Node find(int line) const {
    Lines::Node start{};
    const bool there = line < right.lines.colour.size() && right.lines.find(line, start);
    return there ? start : Lines::Node{-1, 0, 0};
  }

  // What a thread has of each segment: `each` rows or nodes a node of one line, those from `first` on that
  // are `step` apart.
  struct Share {
    bool there;
    int line, first, step;
    Lines::Node start;
  };
  template <int each>
  constexpr Share share(int thread, const Lines::Node* starts) const {
    Share s{};
    if (right.lines.places.axis == 0) {
      s.step = LineTiles::threads >> tiles.log2_lines;
      s.line = (thread << tiles.log2_lines) / LineTiles::threads;
      s.first = thread - s.line * s.step;
    } else {
      const int node = (thread >> tiles.log2_lines) / each, row = thread - node * tiles.lines * each;
      s.step = (LineTiles::threads >> tiles.log2_lines) / each * each;
      s.line = row / each;
      s.first = node * each + row % each;
    }
    s.start = starts[s.line];
    s.there = s.start.number >= 0 && s.first < s.step;
    return s;
  }

  struct Segment {
    int from, count;  // nodes
    T *f, *a, *c;     // in shared memory, [number of a node or entry of a block][line][node]
  };
  constexpr int entry() const { return tiles.lines * tiles.pitch; }
  constexpr Segment segment(int s, T* numbers) const {
    const int from = s * tiles.segment, left = right.lines.length() - from;
    T* const a = numbers + Dof * entry();
    return {right.lines.places.first + from, left < tiles.segment ? left : tiles.segment, numbers, a,
            a + Dof * Dof * entry()};
  }
  constexpr T& at(T* p, int i, int line, int node) const {
    return p[i * entry() + line * tiles.pitch + node];
  }

  constexpr void make_right(const Segment& now, const Share& own) const {
    right.lines.s.any_wraps ? make_right_of<true>(now, own) : make_right_of<false>(now, own);
  }
  template <bool Wraps>
  constexpr void make_right_of(const Segment& now, const Share& own) const {
    for (int k = own.first; own.there && k < now.count * Dof; k += own.step) {
      const int i = k / Dof, r = k - i * Dof;
      at(now.f, r, own.line, i) =
          right.template value<Wraps>(right.lines.along(own.start, now.from + i), now.from + i, r);
    }
  }

  constexpr void make_maps(const Segment& now, const Share& own) const {
    right.lines.s.any_wraps ? make_maps_of<true>(now, own) : make_maps_of<false>(now, own);
  }
  template <bool Wraps>
  constexpr void make_maps_of(const Segment& now, const Share& own) const {
    // Nodes of which all that is needed is loaded before anything is computed.
    constexpr int together = Dof == 1 && Count > 0 && Count <= 8 && !Wraps ? 2 : 1;
    for (int first = own.first; own.there && first < now.count; first += together * own.step) {
      Lines::Node node[together] = {};
      T of[together][Dof] = {};
      Blocks blocks[together];
      QUADRILLE_UNROLL
      for (int k = 0; k < together; ++k) {
        const int i = first + k * own.step;
        node[k] = right.lines.along(own.start, now.from + (i < now.count ? i : first));
      }
      QUADRILLE_UNROLL
      for (int k = 0; k < together; ++k) {
        const int i = first + k * own.step, place = now.from + (i < now.count ? i : first);
        blocks[k] = load_blocks(node[k], place);
        for (int r = 0; r < Dof; ++r)
          of[k][r] = Dof == 1 ? right.template value<Wraps>(node[k], place, r) : at(now.f, r, own.line, i);
      }
      QUADRILLE_UNROLL
      for (int k = 0; k < together; ++k) {
        const int i = first + k * own.step;
        if (i >= now.count) continue;
        T f[Dof] = {};
        for (int c = 0; c < Dof; ++c)
          for (int r = 0; r < Dof; ++r) f[r] += blocks[k].p[c * Dof + r] * of[k][c];
        for (int r = 0; r < Dof; ++r) at(now.f, r, own.line, i) = f[r];
        put_product(blocks[k].p, blocks[k].l, now.a, own.line, i);
        put_product(blocks[k].p, blocks[k].u, now.c, own.line, i);
      }
    }
  }
  constexpr void make_maps_back(const Segment& now, const Share& own) const {
    for (int i = own.first; own.there && i < now.count; i += own.step) {
      const Blocks blocks = load_blocks(right.lines.along(own.start, now.from + i), now.from + i);
      put_product(blocks.p, blocks.u, now.c, own.line, i);
    }
  }
  // -P times a coupling
  constexpr void put_product(const T (&p)[Dof * Dof], const T (&coupling)[Dof * Dof], T* to, int line,
                             int i) const {
    for (int c = 0; c < Dof; ++c)
      for (int r = 0; r < Dof; ++r) {
        T sum = 0;
        for (int k = 0; k < Dof; ++k) sum -= p[k * Dof + r] * coupling[c * Dof + k];
        at(to, c * Dof + r, line, i) = sum;
      }
  }
  // P, L and U of a node, [column][row]
  struct Blocks {
    T p[Dof * Dof], l[Dof * Dof], u[Dof * Dof];
  };
  constexpr Blocks load_blocks(const Lines::Node& node, int i) const {
    // Where there is none the first one is loaded, without a branch, as in sum_beside().
    const auto load_coupling = [&](int coupling, T(&to)[Dof * Dof]) {
      const std::int64_t rows = right.lines.s.stored_rows, first = std::max(coupling, 0) * Dof * rows;
      load_block(right.a + first + std::int64_t{node.stored} * Dof, rows, to);
      for (T& value : to) value = coupling < 0 ? 0 : value;
    };
    Blocks b{};
    load_block(pivots + std::int64_t{node.factors} * Dof, std::int64_t{right.lines.places.nodes()} * Dof,
               b.p);
    load_coupling(right.lines.before_of(i), b.l);
    load_coupling(right.lines.behind_of(i), b.u);
    return b;
  }
  constexpr void load_block(const T* from, std::int64_t rows, T (&to)[Dof * Dof]) const {
    for (int c = 0; c < Dof; ++c)
      for (int r = 0; r < Dof; ++r) to[c * Dof + r] = from[c * rows + r];
  }

  constexpr LineRecurrence<T, Dof> recurrence(const Segment& now, int line, int direction) const {
    return {now.f + line * tiles.pitch,
            (direction > 0 ? now.a : now.c) + line * tiles.pitch,
            entry(),
            direction > 0 ? 0 : now.count - 1,
            direction,
            now.count,
            tiles.chunk};
  }

  // From shared memory, and back.
  constexpr void put(const Segment& now, const Share& own, T* to) const {
    for (int k = own.first; own.there && k < now.count * Dof; k += own.step) {
      const int i = k / Dof, r = k - i * Dof;
      to[row(now, own, i, r)] = without_tiny<T>(at(now.f, r, own.line, i));
    }
  }
  constexpr void take(const Segment& now, const Share& own) const {
    for (int k = own.first; own.there && k < now.count * Dof; k += own.step) {
      const int i = k / Dof, r = k - i * Dof;
      at(now.f, r, own.line, i) = right.y[row(now, own, i, r)];
    }
  }
  constexpr std::int64_t row(const Segment& now, const Share& own, int i, int r) const {
    return std::int64_t{right.lines.along(own.start, now.from + i).number} * Dof + r;
  }
};

template <class T, int Dof, int Count>
LineTileStep<T, Dof, Count> line_tile_step(LineRight<T, Dof, Count> right, const LineSolve<T, Dof>& solve,
                                           int most_bytes, int processors) {
  if (right.lines.s.count == 0) right.a = solve.pivots;  // loaded, and not used
  return {right, solve.pivots, solve.x, line_tiles<T>(right.lines, most_bytes, processors)};
}

}  // namespace quadrille::multigrid
