// The two loops that CSR and CSC share: one is the other's transpose. Internal to kernels/cpu.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/array.hpp"
#include "kernels/output.hpp"

namespace quadrille::cpu {

// Row i of y: the sum over the entries k of segment i of value[k] * x[index[k]]; segments are shared between
// threads.
template <class T>
void gather(std::int64_t segments, const Array<std::int32_t>& ptr, const Array<std::int32_t>& index,
            const Array<T>& value, const T* x, const Output<T>& y) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < segments; ++i) {
    T sum = 0;
    for (std::int32_t k = ptr[i]; k < ptr[i + 1]; ++k) sum += value[k] * x[index[k]];
    y.put(i, sum);
  }
}

// Row index[k] of y: the sum of value[k] * x[i] over all segments i. Each thread owns a range of y and finds
// its part of every segment by bisection (indices ascend within a segment), so that no element is shared and
// the order of the sums is always the same.
template <class T>
void scatter(std::int64_t segments, std::int64_t size_y, const Array<std::int32_t>& ptr,
             const Array<std::int32_t>& index, const Array<T>& value, const T* x, const Output<T>& y) {
#pragma omp parallel
  {
    const std::int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    const std::int64_t begin = size_y * me / threads, end = size_y * (me + 1) / threads;
    for (std::int64_t i = begin; i < end; ++i) y.put(i, 0);
    T* const to = y.to;
    const T alpha = y.alpha;
    for (std::int64_t i = 0; i < segments; ++i) {
      const std::int32_t* const segment_end = index.data() + ptr[i + 1];
      const std::int32_t* at = index.data() + ptr[i];
      if (begin > 0) at = std::lower_bound(at, segment_end, begin);
      const T factor = alpha * x[i];
      for (; at != segment_end && *at < end; ++at) to[*at] += value[at - index.data()] * factor;
    }
  }
}

}  // namespace quadrille::cpu
