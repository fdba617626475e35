// What the written kernels take from CUDA, for one thread after the other.
#pragma once

#include <algorithm>
#include <cstring>

using std::min;
#define __device__
#define __global__
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
  int x = 0;
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
template <class To, class From>
To with_bits(From from) {
  To to;
  static_assert(sizeof to == sizeof from);
  std::memcpy(&to, &from, sizeof to);
  return to;
}
inline double __longlong_as_double(long long v) {
  return with_bits<double>(v);
}
inline float __int_as_float(int v) {
  return with_bits<float>(v);
}
inline float __uint_as_float(unsigned v) {
  return with_bits<float>(v);
}
// Threads follow one another.
inline void finish_dot(double dot, double* of_all) {
  *of_all += dot;
}
