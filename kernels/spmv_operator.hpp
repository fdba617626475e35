// The one boundary of type erasure: an operator that can be applied, whatever its format and wherever it
// lives.
#pragma once

#include <cstdint>
#include <string>

#include "formats/csr.hpp"
#include "formats/diagonal_blocks.hpp"
#include "formats/format.hpp"
#include "kernels/output.hpp"
#include "kernels/queue.hpp"

namespace quadrille {

enum class SpaceKind { cpu, cuda };

inline const char* to_string(SpaceKind space) {
  return space == SpaceKind::cpu ? "cpu" : "cuda";
}

template <class T>
class SpmvOperator {
 public:
  virtual ~SpmvOperator() = default;

  virtual std::int64_t rows() const = 0;
  virtual std::int64_t columns() const = 0;
  virtual SpaceKind space() const = 0;
  virtual Traffic traffic() const = 0;

  // The numbers that a product multiplies and adds, without padding: half the floating-point operations of a
  // product. -1 where the format cannot tell them from its padding.
  virtual std::int64_t entries() const { return -1; }

  // By how much of itself a stored value is off at most: 0 but where fewer bits were asked for
  // (formats/value_precision.hpp).
  virtual double value_error() const { return 0; }

  // y = alpha A x + beta y. x has columns() and y rows() elements, both in the memory of space(), and they do
  // not overlap. Where beta is 0, y is not read: every element is written, whatever stood there. Queued; on
  // the CPU it is done on return.
  void apply(Queue queue, T alpha, const T* x, T beta, T* y) const {
    multiply(queue, x, {y, y, alpha, beta});
  }
  void apply(const T* x, T* y) const { multiply({}, x, {y}); }

  // y = alpha A^T x + beta y, x of rows() and y of columns() elements. Throws FormatError for a format
  // without a transposed product.
  virtual bool has_transpose() const { return false; }
  void apply_transpose(Queue queue, T alpha, const T* x, T beta, T* y) const {
    multiply_transposed(queue, x, {y, y, alpha, beta});
  }
  void apply_transpose(const T* x, T* y) const { multiply_transposed({}, x, {y}); }

  // The same as apply() for `count` vectors at once. X and Y are column-major without gaps, as in PETSc's
  // dense matrices: vector v of X begins at x + v * columns(), vector v of Y at y + v * rows(). The same sums
  // as one vector after the other, which is what formats without a kernel of their own do; the order of a
  // sum, and so its last bits, may differ.
  void apply_multiple(Queue queue, T alpha, const T* x, T beta, T* y, int count) const {
    multiply_several(queue, x, {y, y, alpha, beta}, count);
  }
  void apply_multiple(const T* x, T* y, int count) const { multiply_several({}, x, {y}, count); }

  // r = b - A x in one pass. r may be b.
  void residual(Queue queue, const T* b, const T* x, T* r) const { multiply(queue, x, {r, b, -1, 1}); }

  // y = A x, and x . A x in the same pass: `dots` are two numbers in the memory of space(), of which the
  // first moves to the second and the new one becomes the first. False, and nothing is done, where the
  // operator has no such product for these arrays. prepare_dot() makes what it takes, once, and says whether
  // there is one; before it there is none.
  virtual bool prepare_dot() const { return false; }
  virtual bool multiply_with_dot(Queue, const T* /*x*/, T* /*y*/, double* /*dots*/) const { return false; }

  // What all of these are made of, and what an operator defines.
  virtual void multiply(Queue queue, const T* x, const Output<T>& y) const = 0;
  virtual void multiply_transposed(Queue queue, const T* x, const Output<T>& y) const;
  virtual void multiply_several(Queue queue, const T* x, const Output<T>& y, int count) const;

  // The operator as CSR, from the format's own arrays.
  virtual Csr<T> to_csr() const = 0;

  // The blocks of `size` rows on the diagonal, [block][column][row], in host memory; size 1 gives the
  // diagonal. Through to_csr() unless the format has a shorter way. Throws FormatError unless the operator is
  // square and `size` divides it.
  virtual Array<T> diagonal_blocks(int size) const { return quadrille::diagonal_blocks(to_csr(), size); }
};

template <class T>
void SpmvOperator<T>::multiply_several(Queue queue, const T* x, const Output<T>& y, int count) const {
  for (int v = 0; v < count; ++v) multiply(queue, x + v * columns(), y.beyond(v * rows()));
}

template <class T>
void SpmvOperator<T>::multiply_transposed(Queue, const T*, const Output<T>&) const {
  throw FormatError("this format has no transposed product");
}

}  // namespace quadrille
