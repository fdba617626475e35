// The passes of conjugate_gradients.hpp, `Count` neighbouring numbers a call: the same functors on the CPU
// and the GPU. A pass says how many sums it makes, and take() is told them. One that goes backwards on a GPU
// begins with what the kernel before it, which goes forwards, has left in the caches. Internal to kernels.
#pragma once

#include "kernels/conjugate_gradients.hpp"
#include "kernels/packs.hpp"

namespace quadrille::conjugate_gradient {

using Sums = ConjugateGradientSums;

struct MakeRz {
  static constexpr int sums = 2;
  static constexpr bool backwards = true;
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
  static constexpr bool backwards = true;
  const double* z;
  double *p, *x;  // x: null where it lacks nothing

  struct Factors {
    double beta, lacks;
  };
  constexpr Factors factor(const Sums& s) const { return {s.beta(), s.lacks}; }
  template <int Count>
  constexpr void run(std::int64_t i, Factors by, double (&)[1][Count]) const {
    double of_z[Count], of_p[Count] = {}, of_x[Count];
    load(z + i, of_z);
    // What stands in p before the first iteration is not read.
    if (by.beta != 0 || by.lacks != 0) load(p + i, of_p);
    for (int k = 0; k < Count && by.beta != 0; ++k) of_z[k] += by.beta * of_p[k];
    store(p + i, of_z);
    if (x == nullptr || by.lacks == 0) return;
    load(x + i, of_x);
    for (int k = 0; k < Count; ++k) of_x[k] += by.lacks * of_p[k];
    store(x + i, of_x);
  }
};

struct MakePq {
  static constexpr int sums = 1;
  static constexpr bool backwards = true;
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
  static constexpr bool backwards = false;
  const double* q;
  double* r;

  constexpr double factor(const Sums& s) const { return s.alpha(); }
  template <int Count>
  constexpr void run(std::int64_t i, double alpha, double (&sum)[sums][Count]) const {
    double of_q[Count], of_r[Count];
    load(q + i, of_q);
    load(r + i, of_r);
    for (int k = 0; k < Count; ++k) {
      of_r[k] -= alpha * of_q[k];
      sum[0][k] += of_r[k] * of_r[k];
    }
    store(r + i, of_r);
  }
  constexpr void take(Sums& s, const double (&sum)[sums]) const {
    s.rr = sum[0];
    s.lacks = s.alpha();
  }
};

struct Finish {
  static constexpr int sums = 0;
  static constexpr bool backwards = false;
  const double* p;
  double* x;

  constexpr double factor(const Sums& s) const { return s.lacks; }
  template <int Count>
  constexpr void run(std::int64_t i, double lacks, double (&)[1][Count]) const {
    double of_p[Count], of_x[Count];
    load(p + i, of_p);
    load(x + i, of_x);
    for (int k = 0; k < Count; ++k) of_x[k] += lacks * of_p[k];
    store(x + i, of_x);
  }
};

// Numbers that no sum of a few of them is 0 of but by chance: the fractions of multiples of the golden ratio,
// in an order that leaves no pattern.
struct Draw {
  static constexpr int sums = 0;
  static constexpr bool backwards = false;
  double* p;

  constexpr double factor(const Sums&) const { return 0; }
  template <int Count>
  constexpr void run(std::int64_t i, double, double (&)[1][Count]) const {
    double drawn[Count];
    for (int k = 0; k < Count; ++k) {
      std::uint64_t z = static_cast<std::uint64_t>(i + k + 1) * 0x9e3779b97f4a7c15u;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      drawn[k] = 1 + static_cast<double>(z >> 12) * 0x1p-52;
    }
    store(p + i, drawn);
  }
};

// w, which begins as A's diagonal, becomes its inverse in rows that have nothing else, and 0 in others, which
// p and q = A p tell apart.
struct FindAlone {
  static constexpr int sums = 0;
  static constexpr bool backwards = false;
  const double *p, *q;
  double* w;

  constexpr double factor(const Sums&) const { return 0; }
  template <int Count>
  constexpr void run(std::int64_t i, double, double (&)[1][Count]) const {
    double of_p[Count], of_q[Count], of_w[Count];
    load(p + i, of_p);
    load(q + i, of_q);
    load(w + i, of_w);
    for (int k = 0; k < Count; ++k) of_w[k] = of_w[k] != 0 && of_q[k] == of_w[k] * of_p[k] ? 1 / of_w[k] : 0;
    store(w + i, of_w);
  }
};

struct Multiply {
  static constexpr int sums = 0;
  static constexpr bool backwards = false;
  const double *w, *r;
  double* p;

  constexpr double factor(const Sums&) const { return 0; }
  template <int Count>
  constexpr void run(std::int64_t i, double, double (&)[1][Count]) const {
    double of_w[Count], of_r[Count];
    load(w + i, of_w);
    load(r + i, of_r);
    for (int k = 0; k < Count; ++k) of_r[k] *= of_w[k];
    store(p + i, of_r);
  }
};

}  // namespace quadrille::conjugate_gradient
