// What the written kernels take from CUDA, for one thread after the other.
#pragma once

#include <algorithm>
#include <cstring>

using std::min;
#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(threads, blocks)
#define __align__(bytes) alignas(bytes)
#define __all_sync(mask, condition) (condition)

struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct Index {
  int x = 0, y = 0, z = 0;
};
extern Index blockIdx, threadIdx;

template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T __ldcs(const T* p) {
  return *p;
}
inline float __uint_as_float(unsigned v) {
  float to;
  static_assert(sizeof to == sizeof v);
  std::memcpy(&to, &v, sizeof to);
  return to;
}
// Threads follow one another.
inline void finish_dot(double dot, double* of_all) {
  *of_all += dot;
}
