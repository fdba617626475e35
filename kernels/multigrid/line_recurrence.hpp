// Recurrences along a line, y_k = m_k y_k-1 + f_k with blocks m_k, solved by the lanes of a warp. Internal to
// kernels/multigrid.
//
// Each lane has a chunk of consecutive steps, which is a map y -> m y + v from the last y before it to its
// own last one. Such maps are put together over the lanes, in five steps; then each lane knows what enters
// its chunk, and goes through it. Where the m_k of a plain recurrence do not make numbers grow, nor do their
// products, and rounding is as its own.
//
// A Warp has each(f), which calls f(lane), Each<V>, a V for each lane, before(v, step), which is v of the
// lane `step` before, or anything, where there is none, last(v), of the last lane, and sync(). That of a GPU
// is in line_tiles.cuh; tests have one in loops.
#pragma once

#include <algorithm>

namespace quadrille::multigrid {

inline constexpr int lanes = 32;

// y -> m y + v, [column][row]
template <class T, int Dof>
struct LineMap {
  T m[Dof * Dof], v[Dof];

  // This one after another one.
  constexpr LineMap after(const LineMap& first) const {
    LineMap both{};
    for (int c = 0; c < Dof; ++c) multiply(first.m + c * Dof, both.m + c * Dof);
    for (int r = 0; r < Dof; ++r) both.v[r] = v[r];
    multiply(first.v, both.v);
    return both;
  }
  // to += m of
  constexpr void multiply(const T* of, T* to) const {
    for (int c = 0; c < Dof; ++c)
      for (int r = 0; r < Dof; ++r) to[r] += m[c * Dof + r] * of[c];
  }
};

template <class T, int Dof>
struct LineEnd {
  T y[Dof];  // of the last node that is done
};

// y_k = m_k y_k-1 + f_k for k = 0, 1, ..., in the place of f. [column][row][place], `entry` from one to the
// next; step k stands at first + k direction.
template <class T, int Dof>
struct LineRecurrence {
  T* f;
  const T* m;
  int entry, first, direction, count, chunk;  // steps, and how many of them a lane has

  constexpr LineMap<T, Dof> at(int k) const {
    const int place = first + k * direction;
    LineMap<T, Dof> map{};
    for (int i = 0; i < Dof * Dof; ++i) map.m[i] = m[i * entry + place];
    for (int r = 0; r < Dof; ++r) map.v[r] = f[r * entry + place];
    return map;
  }
  constexpr int end(int lane) const { return std::min((lane + 1) * chunk, count); }
  constexpr LineMap<T, Dof> of_chunk(int lane) const {
    LineMap<T, Dof> map{};
    for (int r = 0; r < Dof; ++r) map.m[r * Dof + r] = 1;
    for (int k = lane * chunk; k < end(lane); ++k) map = at(k).after(map);
    return map;
  }
  constexpr void go_through(int lane, LineEnd<T, Dof> last) const {
    for (int k = lane * chunk; k < end(lane); ++k) {
      LineMap<T, Dof> map = at(k);
      map.multiply(last.y, map.v);
      for (int r = 0; r < Dof; ++r) f[r * entry + first + k * direction] = last.y[r] = map.v[r];
    }
  }
};

// All steps; `last` goes from the node before them to their last one.
template <class T, int Dof, class Warp>
constexpr void solve(const Warp& warp, const LineRecurrence<T, Dof>& line, LineEnd<T, Dof>& last) {
  typename Warp::template Each<LineMap<T, Dof>> map{};
  warp.each([&](int lane) {
    map[lane] = line.of_chunk(lane);
    if (lane == 0) map[lane].multiply(last.y, map[lane].v);
  });
  for (int step = 1; step < lanes; step *= 2) {
    const auto other = warp.before(map, step);
    warp.each([&](int lane) {
      if (lane >= step) map[lane] = map[lane].after(other[lane]);
    });
  }
  const auto other = warp.before(map, 1);
  warp.each([&](int lane) {
    LineEnd<T, Dof> entering{};
    for (int r = 0; r < Dof; ++r) entering.y[r] = lane == 0 ? last.y[r] : other[lane].v[r];
    line.go_through(lane, entering);
  });
  const LineMap<T, Dof> whole = warp.last(map);
  for (int r = 0; r < Dof; ++r) last.y[r] = whole.v[r];
  warp.sync();
}

}  // namespace quadrille::multigrid
