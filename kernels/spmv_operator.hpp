// The one boundary of type erasure: an operator that can be applied, whatever its format and wherever it
// lives.
#pragma once

#include <cstdint>
#include <string>

#include "formats/csr.hpp"
#include "formats/diagonal_blocks.hpp"
#include "formats/format.hpp"

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

  // The numbers that apply() multiplies and adds, without padding: half the floating-point operations of a product. -1 where the
  // format cannot tell them from its padding.
  virtual std::int64_t entries() const { return -1; }

  // y = A x. x has columns() and y rows() elements, both in the memory of space(); every element of y is
  // written. In SpaceKind::cuda the work is queued on the default stream and may still run on return.
  virtual void apply(const T* x, T* y) const = 0;

  // Y = A X for `count` vectors at once. X and Y are column-major without gaps, as in PETSc's dense matrices: vector v of X
  // begins at x + v * columns(), vector v of Y at y + v * rows(). The same sums as apply() of one vector after the other, which
  // is what formats without a kernel of their own do; the order of a sum, and so its last bits, may differ.
  virtual void apply_multiple(const T* x, T* y, int count) const;

  // y = A^T x, x of rows() and y of columns() elements. Throws FormatError for a format without a transposed
  // product.
  virtual bool has_transpose() const { return false; }
  virtual void apply_transpose(const T* x, T* y) const;

  // The operator as CSR, from the format's own arrays.
  virtual Csr<T> to_csr() const = 0;

  // The blocks of `size` rows on the diagonal, [block][column][row], in host memory; size 1 gives the diagonal. Through
  // to_csr() unless the format has a shorter way. Throws FormatError unless the operator is square and `size` divides it.
  virtual Array<T> diagonal_blocks(int size) const { return quadrille::diagonal_blocks(to_csr(), size); }
};

template <class T>
void SpmvOperator<T>::apply_multiple(const T* x, T* y, int count) const {
  for (int v = 0; v < count; ++v) apply(x + v * columns(), y + v * rows());
}

template <class T>
void SpmvOperator<T>::apply_transpose(const T*, T*) const {
  throw FormatError("this format has no transposed product; csr, csc, dia and cds have one");
}

}  // namespace quadrille
