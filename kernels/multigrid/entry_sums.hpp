// The sums of rows by entries (entry_rows.hpp) on the CPU, for a part of a line of nodes at a time: x of the
// lines beside it, each unknown by itself, so that entries are multiplied in vectors, and the sums of each
// unknown by themselves. Internal to kernels/multigrid.
#pragma once

#include <algorithm>

#include "kernels/multigrid/entry_rows.hpp"
#include "kernels/multigrid/line_sums.hpp"

namespace quadrille::multigrid {

// As LineSums has them.
template <class T>
class EntrySums {
 public:
  using Around = typename LineSums<T>::Around;
  EntrySums(const Couplings& s, const EntryTable<T>& table, const T* x)
      : s_(s), table_(table), x_(x), lines_(s), of_lines_(s, lines_, nullptr, x) {
    for (int i = 0; i < lines_.count; ++i)
      for (int k = 0; k < 3; ++k)
        if (const int d = lines_.line[i].coupling[k]; d >= 0) line_of_[d] = i;
  }

  Around around(int y, int z, int first) const { return of_lines_.around(y, z, first); }

  void operator()(const Around& around, const LinePart& part, T* sum) const {
    constexpr int most_copied = 9 * (most_part_rows / 2 + 2 * EntryTable<T>::most_unknowns);
    const int n = part.nodes(), dof = s_.dof, skipped = part.first - around.first;
    T copies[most_copied], apart[most_part_rows];
    for (int i = 0; i < lines_.count; ++i) {
      if (around.x[i] == nullptr) continue;
      const int(&coupling)[3] = lines_.line[i].coupling;
      const int left = coupling[0] >= 0 ? 1 : 0, right = coupling[2] >= 0 ? 1 : 0;
      const T* const from = around.x[i] + skipped * dof;
      T* const to = copies + i * dof * (n + 2) + 1;
#pragma omp simd
      for (int k = -left; k < n + right; ++k)
        for (int c = 0; c < dof; ++c) to[c * (n + 2) + k] = from[k * dof + c];
    }
    std::fill(apart, apart + n * dof, T(0));
    for (int r = 0; r < dof; ++r) {
      LineTerm<T> terms[EntryTable<T>::most];
      int count = 0;
      for (int e = table_.first[r]; e < table_.first[r + 1]; ++e) {
        const int d = table_.coupling[e], i = line_of_[d], step = s_.step[d], along = s_.offset[d][0];
        if (around.x[i] == nullptr) continue;
        const int c = table_.to[e] - step * dof,
                  there = static_cast<int>((around.x[i] - x_) / dof) + skipped + along;
        terms[count++] = {copies + (i * dof + c) * (n + 2) + 1 + along,
                          table_.column[e] + (table_.mirror[e] ? there - step : part.place)};
      }
      constexpr int together = 8;  // so that few columns are read at once
      for (int t = 0; t < count; t += together)
        add_terms<false>(terms + t, std::min(together, count - t), 0, 0, n, apart + r * n);
    }
#pragma omp simd
    for (int i = 0; i < n; ++i)
      for (int r = 0; r < dof; ++r) sum[(skipped + i) * dof + r] = apart[r * n + i];
  }

 private:
  const Couplings& s_;
  const EntryTable<T>& table_;
  const T* x_;
  CoupledLines lines_;
  LineSums<T> of_lines_;
  int line_of_[most_couplings] = {};
};

}  // namespace quadrille::multigrid
