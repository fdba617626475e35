// The steps of a cycle on the CPU, a part of a line of nodes a thread: sums over neighbours (line_sums.hpp),
// and what the step makes of them. Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "formats/threads.hpp"
#include "kernels/multigrid/box_steps.hpp"
#include "kernels/multigrid/entry_sums.hpp"
#include "kernels/multigrid/line_sums.hpp"
#include "kernels/multigrid/line_transfer.hpp"

namespace quadrille::multigrid {

// body(y, z, first node, end) of parts of lines. A row takes the time of so many multiplications.
template <class Body>
void for_line_parts(const Couplings& s, std::int64_t multiplications, const Body& body) {
  const int most = nodes_in_part(s.dof), parts = (s.line + most - 1) / most, lines = s.n[1] * s.n[2];
#pragma omp parallel for schedule(static) if (s.rows * multiplications > 64 * worth_threads)
  for (std::int64_t i = 0; i < std::int64_t{lines} * parts; ++i) {
    const int line = static_cast<int>(i / parts), first = static_cast<int>(i % parts) * most;
    body(line % s.n[1], line / s.n[1], first, std::min(first + most, s.line));
  }
}

// Whether a node's block multiplies differences, and not sums.
template <class F>
constexpr bool multiplies_differences() {
  return requires {
    F::of_difference;
  };
}

// A step by kind (by_kind_steps.hpp) at one node: numbers of all its rows, then its block times them.
template <class F>
void do_node(const F& f, int number) {
  using T = typename F::Number;
  const int dof = f.s.dof;
  const auto node = f.node_at(f.s.position(number));
  if constexpr (multiplies_differences<F>()) {
    T differences[most_multigrid_unknowns], one[1], sum[1];
    for (int r = 0; r < dof; ++r) {
      f.difference(node.first_row + r, one);
      differences[r] = one[0];
    }
    for (int r = 0; r < dof; ++r) {
      f.own_sums(f.source(), node, r, sum);
      f.times(f.diagonal, differences, node, r, one);
      f.finish(node.first_row + r, one, sum);
    }
    return;
  } else {
    T sums[most_multigrid_unknowns], sum[1];
    for (int r = 0; r < dof; ++r) {
      f.own_sums(f.source(), node, r, sum);
      sums[r] = sum[0];
    }
    for (int r = 0; r < dof; ++r) {
      f.times(f.inverse, sums, node, r, sum);
      f.finish(node.first_row + r, sum, nullptr);
    }
  }
}

// What the step F, a row a call, does to the nodes of line (y, z) from `first` to `end`.
template <class F>
class LineStep {
 public:
  using T = typename F::Number;
  explicit LineStep(const F& f)
      : f_(f), sums_(sums_of(f_)), blocks_(f_.s, CoupledLines::own(), blocks_of(f_), nullptr) {
    if constexpr (has_diagonal)
      one_diagonal_ = !F::all && f_.diagonal != nullptr && are_alike(f_.s, f_.diagonal, 1);
  }
  LineStep(const LineStep&) = delete;
  LineStep& operator=(const LineStep&) = delete;

  // Around a line that wraps x beside its ends is elsewhere, and there is none before the first node of the
  // grid and behind its last one: nodes that would look there are done by themselves.
  void operator()(int y, int z, int first, int end) const {
    const Couplings& s = f_.s;
    if constexpr (requires { f_.of_user; })
      if (f_.of_user) {  // without nodes behind lines: as if they were there
        F of_line = f_;
        of_line.y += s.natural({0, y, z}) - s.first_of_line(y, z);
        of_line.of_user = false;
        return LineStep(of_line)(y, z, first, std::min(end, s.n[0]));
      }
    const std::int64_t row = std::int64_t{s.first_of_line(y, z)} * s.dof;
    T sums[most_part_rows];
    const auto around = sums_.around(y, z, first);
    if (first == 0 && (s.wraps[0] || around.of_first)) alone(row, first++);
    if (end == s.line && (s.wraps[0] || around.of_last)) alone(row, --end);
    if (first >= end) return;
    for_parts(s, y, z, first, end, [&](const LinePart& part) {
      sums_(around, part, sums);
      T* const of_part = sums + (part.first - around.first) * s.dof;
      if constexpr (multiplies_differences<F>())
        finish_differences(row + std::int64_t{part.first} * s.dof, part, of_part);
      else if constexpr (F::by_nodes)
        times_blocks(part, of_part);
    });
    if constexpr (!multiplies_differences<F>())
      finish(row + std::int64_t{first} * s.dof, (end - first) * s.dof, sums + (first - around.first) * s.dof);
    if constexpr (has_diagonal)
      if (f_.diagonal != nullptr && !F::all)
        for_parts(s, y, z, first, end, [&](const LinePart& part) { times_diagonal(row, part); });
  }

 private:
  // Of one unknown a node.
  static constexpr bool has_diagonal = requires(const F& f) { f.diagonal; }
  &&!F::by_nodes;

  void alone(std::int64_t line_row, int node) const {
    const Couplings& s = f_.s;
    const std::int64_t row = line_row + std::int64_t{node} * s.dof;
    if constexpr (F::by_nodes)
      do_node(f_, static_cast<int>(row / s.dof));
    else
      for (int r = 0; r < s.dof; ++r) f_(row + r);
  }
  static const T* blocks_of(const F& f) {
    if constexpr (multiplies_differences<F>())
      return f.diagonal;
    else if constexpr (F::by_nodes)
      return f.inverse;
    else
      return nullptr;
  }
  // Of the numbers of a part, in their place.
  void times_blocks(const LinePart& part, T* numbers) const {
    const int rows = part.nodes() * f_.s.dof;
    T of_nodes[most_part_rows];
    std::copy(numbers, numbers + rows, of_nodes);
    blocks_(blocks_.own(of_nodes), {0, part.nodes(), part.place, part.phase, part.alike}, numbers);
  }
  void finish_differences(std::int64_t first, const LinePart& part, const T* sums) const {
    const int rows = part.nodes() * f_.s.dof;
    T times[most_part_rows];
#pragma omp simd
    for (int i = 0; i < rows; ++i) {
      T one[1];
      f_.difference(first + i, one);
      times[i] = one[0];
    }
    times_blocks(part, times);
#pragma omp simd
    for (int i = 0; i < rows; ++i) {
      T one[1] = {times[i]};
      const T sum[1] = {sums[i]};
      f_.finish(first + i, one, sum);
    }
  }
  void finish(std::int64_t first, int rows, const T* sums) const {
    if constexpr (has_diagonal && !F::all) {
      F without = f_;
      without.diagonal = nullptr;
      finish_all(without, first, rows, sums);
    } else {
      finish_all(f_, first, rows, sums);
    }
  }
  static void finish_all(const F& f, std::int64_t first, int rows, const T* sums) {
#pragma omp simd
    for (int i = 0; i < rows; ++i) {
      T sum[1] = {sums[i]};
      f.finish(first + i, sum, nullptr);
    }
  }
  // Of one unknown a node.
  void times_diagonal(std::int64_t line_row, const LinePart& part) const {
    T* const r = f_.r + line_row + part.first;
    const T* const d = f_.diagonal + part.place;
    const int period = f_.s.stored.period[0];
    if (part.alike && one_diagonal_) {
      const T one = *d;
#pragma omp simd
      for (int i = 0; i < part.nodes(); ++i) r[i] = without_tiny<T>(r[i] * one);
    } else {
      for (int i = 0; i < part.nodes(); ++i)
        r[i] = without_tiny<T>(r[i] * d[part.alike ? (part.phase + i) & (period - 1) : i]);
    }
  }

  static auto sums_of(const F& f) {
    if constexpr (has_entries<F>)
      return EntrySums<T>(f.s, f.table, f.source());
    else
      return LineSums<T>(f.s, CoupledLines(f.s), f.a, f.source(), F::by_nodes);
  }

  const F& f_;
  decltype(sums_of(std::declval<const F&>())) sums_;  // of neighbours
  LineSums<T> blocks_;                                // of a node's block, where that is multiplied
  bool one_diagonal_ = false;
};

template <class F>
void for_lines(const F& f) {
  const Couplings& s = f.s;
  const LineStep<F> step(f);
  for_line_parts(s, std::int64_t{s.count} * (F::by_nodes ? 1 : s.dof), step);
}

// y = B x with blocks [column][stored row]; x on lines of `x_line` nodes, those behind count as zero.
template <class T, class In>
void multiply_blocks_on_lines(const Couplings& s, const T* blocks, const In* x, int x_line, T* y) {
  const LineSums<T> sums{s, CoupledLines::own(), blocks, nullptr};
  for_line_parts(s, s.dof, [&](int y_line, int z_line, int first, int end) {
    const std::int64_t line = std::int64_t{z_line} * s.n[1] + y_line;
    const In* const from = x + line * x_line * s.dof;
    T own[most_part_rows];
    const int there = (std::min(end, x_line) - first) * s.dof, rows = (end - first) * s.dof;
    for (int i = 0; i < there; ++i) own[i] = static_cast<T>(from[std::int64_t{first} * s.dof + i]);
    std::fill(own + there, own + rows, T(0));
    T* const to = y + (line * s.line + first) * s.dof;
    for_parts(s, y_line, z_line, first, end, [&](const LinePart& part) {
      const int at = (part.first - first) * s.dof;
      sums(sums.own(own + at), {0, part.nodes(), part.place, part.phase, part.alike}, to + at);
    });
  });
}

// body(own row, row of the box, rows) of the lines of a rank's own nodes.
template <class Body>
void for_own_lines(const BoxRows& box, const Body& body) {
  const int rows = box.own_size[0] * box.dof;
#pragma omp parallel for schedule(static) if (box.own_rows() > 4 * worth_threads)
  for (int line = 0; line < box.own_size[1] * box.own_size[2]; ++line) {
    const std::int64_t own = std::int64_t{line} * rows;
    body(own, box.of_own(own), rows);
  }
}

template <class T>
void interpolate_add_on_lines(const Transfer<T>& p, const T* coarse, T* to) {
#pragma omp parallel for schedule(static) if (p.fine_rows > 4 * worth_threads)
  for (int line = 0; line < p.fine_n[1] * p.fine_n[2]; ++line)
    add_interpolated(p, coarse, line % p.fine_n[1], line / p.fine_n[1], to);
}
template <class T>
void restrict_on_lines(const Transfer<T>& p, const T* fine, T* coarse, const InverseOfCoarse<T>& inverse) {
#pragma omp parallel for schedule(static) if (p.fine_rows > 4 * worth_threads)
  for (int line = 0; line < p.coarse_n[1] * p.coarse_n[2]; ++line)
    restrict_line(p, fine, line % p.coarse_n[1], line / p.coarse_n[1], coarse, inverse);
}

}  // namespace quadrille::multigrid
