// The vectors' part of the method of conjugate gradients (Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49
// (1952) 409-436) in four passes an iteration. Sums stay in the memory of the vectors, and the numbers alpha
// and beta are made of them where they are used, so that on a GPU nothing waits for the host:
//
//   make_rz   rz = (r, z), zz = (z, z)
//   turn      x += alpha p, p = z + beta p   beta = rz / rz of the iteration before; p = z in the first one
//   make_pq   pq = (p, q)
//   step      r -= alpha q, rr = (r, r)      alpha = rz / pq
//
// A product that makes (p, q) itself takes the place of the third (SpmvOperator::multiply_with_dot()), and an
// M that makes parts of (r, z) that of the first.
//
// x is a step behind until the next turn, which reads p anyway, or until finish(): x += alpha p. With q = A p
// and z = M r, an iteration moves 96 bytes an unknown beside what A and M do. Sums are made in a fixed order:
// the same bits every time, for any number of threads.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/spmv_operator.hpp"

namespace quadrille {

struct ConjugateGradientSums {
  double rz = 0, rz_before = 0, zz = 0, rr = 0;
  double pq = 0, pq_before = 0;  // as a product writes them
  double lacks = 0;              // alpha of the last step: how much of p x is behind
  int iterations = 0;            // begun; in the first one nothing is before

  // Where A or M is found not to be definite, of either sign, alpha is 0: x and r stay.
  constexpr bool first() const { return iterations <= 1; }
  constexpr bool of_definite_preconditioner() const { return first() || (rz < 0) == (rz_before < 0); }
  constexpr bool of_definite_operator() const { return pq != 0 && (first() || (pq < 0) == (pq_before < 0)); }
  constexpr double beta() const { return first() ? 0 : rz / rz_before; }
  constexpr double alpha() const {
    return of_definite_operator() && of_definite_preconditioner() ? rz / pq : 0;
  }
};

class ConjugateGradients {
 public:
  virtual ~ConjugateGradients() = default;
  // The next iteration is the first one.
  virtual void begin(Queue queue) = 0;
  // Arrays of `rows` numbers in the memory of the object; those that are written overlap no others. Queued.
  virtual void make_rz(Queue queue, const double* r, const double* z) = 0;
  // rz is the sum of numbers in that memory, and zz is not known.
  virtual void take_rz(Queue queue, const double* part, std::int64_t count) = 0;
  // x: null where it lacks nothing.
  virtual void turn(Queue queue, const double* z, double* p, double* x) = 0;
  virtual void make_pq(Queue queue, const double* p, const double* q) = 0;
  // Where pq and pq_before are, for a product that makes pq.
  virtual double* pq() = 0;
  virtual void step(Queue queue, const double* q, double* r) = 0;
  virtual void finish(Queue queue, const double* p, double* x) = 0;
  // For rows of A that have nothing but their diagonal, which one step solves: p, drawn; w, the diagonal that
  // becomes its inverse in these rows and 0 in others, by q = A p; and p = w r.
  virtual void draw(Queue queue, double* p) = 0;
  virtual void find_alone(Queue queue, const double* p, const double* q, double* w) = 0;
  virtual void multiply(Queue queue, const double* w, const double* r, double* p) = 0;
  // Of what is queued before begin_sums(), while more may be queued; waits for that alone.
  virtual void begin_sums(Queue queue) = 0;
  virtual ConjugateGradientSums end_sums() = 0;
  ConjugateGradientSums sums(Queue queue) {
    begin_sums(queue);
    return end_sums();
  }
  // Those of all ranks, in place of this one's.
  virtual void set_sums(Queue queue, const ConjugateGradientSums& sums) = 0;
};

// Throws CudaError for SpaceKind::cuda in a build without CUDA, and MemoryError.
std::unique_ptr<ConjugateGradients> make_conjugate_gradients(SpaceKind space, std::int64_t rows);

namespace cpu {
std::unique_ptr<ConjugateGradients> make_conjugate_gradients(std::int64_t rows);
}
namespace cuda {
std::unique_ptr<ConjugateGradients> make_conjugate_gradients(std::int64_t rows);
}

}  // namespace quadrille
