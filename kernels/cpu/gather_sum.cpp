// Gathered sums on the CPU. A thread takes some rows in all columns: what it reads of the source then stays
// in its first two caches from one column to the next.
#include "kernels/gather_sum.hpp"

#include <algorithm>

namespace quadrille::cpu {
namespace {

constexpr std::int64_t rows_at_once = 128;

// Two: the source has a second array; else no branch depends on an entry.
template <bool Two, class T>
T at(const TwoArrays<T>& source, std::int32_t entry) {
  if constexpr (Two)
    return entry < 0 ? T(0) : entry < source.size ? source.first[entry] : source.second[entry - source.size];
  const T value = source.first[std::max(entry, 0)];
  return entry < 0 ? T(0) : value;
}

template <bool Several, bool Two, class T>
void add_up(const GatherSum<Host>& g, const TwoArrays<T>& source, T* __restrict target, bool add) {
  const std::int32_t *const first = g.begin.data(), *const entry = g.entry.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t rows = 0; rows < g.rows; rows += rows_at_once)
    for (std::int64_t column = 0; column < g.columns; ++column) {
      const std::int64_t begin = column * g.rows + rows,
                         end = column * g.rows + std::min(g.rows, rows + rows_at_once);
      for (std::int64_t p = begin; p < end; ++p) {
        T sum = 0;
        if constexpr (Several)
          for (std::int32_t k = first[p]; k < first[p + 1]; ++k) sum += at<Two>(source, entry[k]);
        else
          sum = at<Two>(source, entry[p]);
        target[p] = add ? target[p] + sum : sum;
      }
    }
}

}  // namespace

template <class T>
void gather_sum(const GatherSum<Host>& g, const TwoArrays<T>& source, T* target, bool add) {
  const bool several = g.begin.size() > 0, two = source.second != nullptr || source.size == 0;
  const auto run = several ? (two ? add_up<true, true, T> : add_up<true, false, T>)
                           : (two ? add_up<false, true, T> : add_up<false, false, T>);
  run(g, source, target, add);
}

template void gather_sum(const GatherSum<Host>&, const TwoArrays<float>&, float*, bool);
template void gather_sum(const GatherSum<Host>&, const TwoArrays<double>&, double*, bool);

}  // namespace quadrille::cpu
