// The rows of a star as the kernels of joined_steps.hpp take them, plane by plane: of plane k, the newest,
// and of those that are one and two planes older. Internal to kernels/multigrid.
#pragma once

#include <cuda_pipeline.h>

#include "kernels/multigrid/joined_tile.cuh"

namespace quadrille::multigrid::device {

// To a digit less than a division, which takes ten times as long.
__device__ inline float reciprocal(float v) {
  return __fdividef(1.0f, v);
}
__device__ inline double reciprocal(double v) {
  return 1 / v;
}

// D^-1 of a thread's words, and D.
template <class T, int Lines>
struct Diagonals {
  Words<T, Lines> d, inverse;
  __device__ void make_d() {
#pragma unroll
    for (int l = 0; l < Lines; ++l)
#pragma unroll
      for (int i = 0; i < rows_together<T>; ++i) {
        const T v = inverse.of[l][i];
        d.of[l][i] = v == 0 ? T(0) : reciprocal(v);  // a row of zeros has no D
      }
  }
};

// Couplings are parameters, and diagonals are loaded where they differ from those that were used last.
template <class T, int Lines>
class ConstantStar {
 public:
  static constexpr int lines_together = Lines;
  static constexpr int bytes_of_thread = 0;                    // of shared memory
  static constexpr int most_threads = Lines == 1 ? 512 : 384;  // each with the registers that it needs
  Diagonals<T, Lines> diagonals;

  __device__ ConstantStar(const StarRows<T>& rows, const Column<T, Lines>& c, char*) : rows_(rows), c_(c) {}
  // Before the first plane, and with plane k, when what began before has arrived.
  __device__ void begin(int) {}
  __device__ void go_on(int k) {
    plane_[2] = plane_[1];
    plane_[1] = plane_[0];
    plane_[0] = c_.plane_at(rows_.s, k);
  }
  template <int older>
  __device__ void take() {
    if (plane_[older] == of_) return;
    of_ = plane_[older];
#pragma unroll
    for (int l = 0; l < lines_together; ++l)
      load_word(rows_.inverse + of_ + c_.stored[l], diagonals.inverse.of[l]);
    diagonals.make_d();
  }
  // Of line l of a thread: the sum of A x beside the diagonal, with x of three planes, and the one between
  // them in shared memory, too.
  template <int older>
  __device__ void sum(const T* plane, int l, const Words<T, Lines>& under, const Words<T, Lines>& own,
                      const Words<T, Lines>& over, T (&sum)[rows_together<T>]) const {
    const Beside<T, Lines> beside(c_, plane, l, own);
#pragma unroll
    for (int i = 0; i < rows_together<T>; ++i) {
      sum[i] = rows_.a[0] * under.of[l][i] + rows_.a[1] * beside.below[i];
      sum[i] += rows_.a[2] * beside.x[i] + rows_.a[3] * beside.x[i + 2];
      sum[i] += rows_.a[4] * beside.above[i] + rows_.a[5] * over.of[l][i];
    }
  }
  // At the end of plane k.
  __device__ void leave() {}

 private:
  const StarRows<T>& rows_;
  const Column<T, Lines>& c_;
  int plane_[3] = {}, of_ = -1;  // where the values of planes begin, and of the one whose diagonals are here
};

// Words of varying_star.hpp go to shared memory, where those of three planes stand in turn, and of `ahead`
// more that are needed before plane k ends. What began with a plane has arrived for all threads when it ends.
template <int Lines, int ahead>
class VaryingStar {
 public:
  static constexpr int lines_together = Lines;
  static constexpr int word = rows_together<float>, planes = ahead + 3, bytes_of_word = 16 + 16 + 8;
  static constexpr int bytes_of_thread = planes * lines_together * bytes_of_word;
  static constexpr int most_threads = Lines == 1 ? 512 : 352;
  Diagonals<float, Lines> diagonals;

  __device__ VaryingStar(const StarRows<float>& rows, const Column<float, Lines>& c, char* memory)
      : rows_(rows), c_(c) {
    const int words = static_cast<int>(blockDim.x) * lines_together;
    inverse_ = reinterpret_cast<int4*>(memory);
    xy_ = inverse_ + planes * words;
    z_ = reinterpret_cast<int2*>(xy_ + planes * words);
#pragma unroll
    for (int i = 0; i < planes; ++i) first_[i] = i * words;
  }
  __device__ void begin(int k) {
    if constexpr (ahead > 0) load(k);
  }
  __device__ void go_on(int k) {
    const int oldest = first_[planes - 1];
#pragma unroll
    for (int i = planes - 1; i > 0; --i) first_[i] = first_[i - 1];
    first_[0] = oldest;
    load(k + ahead);
  }
  template <int older>
  __device__ void take() {
#pragma unroll
    for (int l = 0; l < lines_together; ++l)
      load_word(reinterpret_cast<const float*>(inverse_ + place<older>(l)), diagonals.inverse.of[l]);
    diagonals.make_d();
  }
  template <int older>
  __device__ void sum(const float* plane, int l, const Words<float, Lines>& under,
                      const Words<float, Lines>& own, const Words<float, Lines>& over,
                      float (&sum)[word]) const {
    static_assert(older == 1 || older == 2);
    const Beside<float, Lines> beside(c_, plane, l, own);
    const int first = first_[ahead + older], here = place<older>(l);
    const int4 xy = xy_[here];
    const int x_before = reinterpret_cast<const int*>(xy_ + first + (c_.left + l * c_.line) / word)[1];
    const int2 y_below =
        reinterpret_cast<const int2*>(xy_ + (l == 0 ? first + c_.below / word : here - c_.line / word))[1];
    const int2 z = z_[here], z_before = older == 2 ? z_before_[l] : z_[place<2>(l)];
    const float along_x[word + 1] = {upper(x_before), lower(xy.x), upper(xy.x), lower(xy.y), upper(xy.y)};
    float along_y[word], from_y[word], along_z[word], from_z[word];
    unpack(xy.z, xy.w, along_y);
    unpack(y_below.x, y_below.y, from_y);
    unpack(z.x, z.y, along_z);
    unpack(z_before.x, z_before.y, from_z);
#pragma unroll
    for (int i = 0; i < word; ++i) {
      sum[i] = from_z[i] * under.of[l][i] + from_y[i] * beside.below[i];
      sum[i] += along_x[i] * beside.x[i] + along_x[i + 1] * beside.x[i + 2];
      sum[i] += along_y[i] * beside.above[i] + along_z[i] * over.of[l][i];
    }
  }
  // The oldest plane makes room.
  __device__ void leave() {
#pragma unroll
    for (int l = 0; l < lines_together; ++l) z_before_[l] = z_[place<2>(l)];
  }

 private:
  __device__ void load(int k) {
    const bool inside = k >= 0 && k < rows_.s.n[2];
    std::int64_t row = c_.row(rows_.s, k);
#pragma unroll
    for (int l = 0; l < lines_together; ++l, row += rows_.s.line) {
      const int missing = inside && c_.there[l] ? 0 : 1, at = first_[0] + (c_.at + l * c_.line) / word;
      __pipeline_memcpy_async(inverse_ + at, rows_.inverse + row, 16, 16 * missing);
      __pipeline_memcpy_async(xy_ + at, rows_.xy + 2 * row, 16, 16 * missing);
      __pipeline_memcpy_async(z_ + at, rows_.z + row, 8, 8 * missing);
    }
    __pipeline_commit();
  }
  template <int older>
  __device__ int place(int l) const {
    return first_[ahead + older] + (c_.at + l * c_.line) / word;
  }
  static __device__ float lower(int two) {
    return __int_as_float(two << 16);
  }
  static __device__ float upper(int two) {
    return __int_as_float(two & 0xffff0000);
  }
  static __device__ void unpack(int first, int second, float (&to)[word]) {
    to[0] = lower(first);
    to[1] = upper(first);
    to[2] = lower(second);
    to[3] = upper(second);
  }

  const StarRows<float>& rows_;
  const Column<float, Lines>& c_;
  int first_[planes];  // where planes begin in shared memory, from the newest
  int4 *inverse_, *xy_;
  int2 *z_, z_before_[lines_together] = {};
};

}  // namespace quadrille::multigrid::device
