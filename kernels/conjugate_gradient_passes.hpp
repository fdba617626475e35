// The passes of conjugate_gradients.hpp, `Count` neighbouring numbers a call: the same functors on the CPU
// and the GPU. A pass says how many sums it makes, and take() is told them. Internal to kernels.
#pragma once

#include "kernels/conjugate_gradients.hpp"
#include "kernels/packs.hpp"

namespace quadrille::conjugate_gradient {

using Sums = ConjugateGradientSums;

struct MakeRz {
  static constexpr int sums = 2;
  const double *r, *z;

  constexpr double factor(const Sums&) const { return 0; }
  template <int Count>
  constexpr void run(std::int64_t i, double, double (&sum)[sums][Count]) const {
    double of_r[Count], of_z[Count];
    load(r + i, of_r);
    load(z + i, of_z);
    for (int k = 0; k < Count; ++k) {
      sum[0][k] += of_r[k] * of_z[k];
      sum[1][k] += of_z[k] * of_z[k];
    }
  }
  constexpr void take(Sums& s, const double (&sum)[sums]) const {
    ++s.iterations;
    s.rz_before = s.rz;
    s.rz = sum[0];
    s.zz = sum[1];
  }
};

struct Turn {
  static constexpr int sums = 0;
  const double* z;
  double* p;

  constexpr double factor(const Sums& s) const { return s.beta(); }
  template <int Count>
  constexpr void run(std::int64_t i, double beta, double (&)[1][Count]) const {
    double of_z[Count], of_p[Count] = {};
    load(z + i, of_z);
    if (beta != 0) load(p + i, of_p);  // what stands there before the first iteration is not read
    for (int k = 0; k < Count && beta != 0; ++k) of_z[k] += beta * of_p[k];
    store(p + i, of_z);
  }
};

struct MakePq {
  static constexpr int sums = 1;
  const double *p, *q;

  constexpr double factor(const Sums&) const { return 0; }
  template <int Count>
  constexpr void run(std::int64_t i, double, double (&sum)[sums][Count]) const {
    double of_p[Count], of_q[Count];
    load(p + i, of_p);
    load(q + i, of_q);
    for (int k = 0; k < Count; ++k) sum[0][k] += of_p[k] * of_q[k];
  }
  constexpr void take(Sums& s, const double (&sum)[sums]) const {
    s.pq_before = s.pq;
    s.pq = sum[0];
  }
};

struct Step {
  static constexpr int sums = 1;
  const double *p, *q;
  double *x, *r;

  constexpr double factor(const Sums& s) const { return s.alpha(); }
  template <int Count>
  constexpr void run(std::int64_t i, double alpha, double (&sum)[sums][Count]) const {
    double of_p[Count], of_q[Count], of_x[Count], of_r[Count];
    load(p + i, of_p);
    load(q + i, of_q);
    load(x + i, of_x);
    load(r + i, of_r);
    for (int k = 0; k < Count; ++k) {
      of_x[k] += alpha * of_p[k];
      of_r[k] -= alpha * of_q[k];
      sum[0][k] += of_r[k] * of_r[k];
    }
    store(x + i, of_x);
    store(r + i, of_r);
  }
  constexpr void take(Sums& s, const double (&sum)[sums]) const { s.rr = sum[0]; }
};

}  // namespace quadrille::conjugate_gradient
