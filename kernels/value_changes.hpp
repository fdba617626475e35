// Changes of an operator's stored values where they are. In GPU memory the work is queued on the default
// stream; throws CudaError when a launch fails.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"
#include "kernels/queue.hpp"

namespace quadrille {

// The numbers of two diagonal matrices in the memory of what they scale; null is the identity.
struct TwoDiagonals {
  const double *left = nullptr, *right = nullptr;
};

// The column of values of offset 0 and unknown 0, which holds the first row's number on the diagonal: that of
// row i stands at (i % dof) * rows + i from there. Throws FormatError where the operator has no block
// diagonal of offset 0.
inline std::int64_t first_on_diagonal(const BlockStructure& s) {
  const auto centre = std::find(s.offsets.begin(), s.offsets.end(), NodeOffset{});
  if (centre == s.offsets.end()) throw FormatError("these block diagonals do not hold the diagonal");
  return (centre - s.offsets.begin()) * s.dof * s.rows();
}

// scale:         every value times `factor`.
// add:           to += factor * from.
// shift:         value added on the diagonal.
// set_diagonal:  d put on the diagonal, or added to it.
// get_diagonal:  d = the diagonal.
// scale_rows_and_columns:  a(i, j) = (left[i] a(i, j)) right[j]; of a Csr that holds some rows of an
//                          operator, left[row_of[i]].
// take_unknowns:  to = the entries of `from` in these rows and columns of its blocks, most_taken at most.
// move:          to[target[i]] = from[source[i]], which becomes 0; no place is named twice.
inline constexpr int most_taken = 512;

// The first `count` numbers of every node, of vectors with `from` and `to` of them a node, or added to those
// that are there.
struct FirstOfNodes {
  std::int64_t nodes = 0;
  int count = 0, from = 0, to = 0;
  bool add = false;
};

namespace cpu {
void copy_first(const FirstOfNodes& of, const double* from, double* to);
void scale(double factor, Array<double>& values);
void add(double factor, const Array<double>& from, Array<double>& to);
void shift(double value, BlockDiagonals<double>& a);
void set_diagonal(const double* d, bool add, BlockDiagonals<double>& a);
void get_diagonal(const BlockDiagonals<double>& a, double* d);
void scale_rows_and_columns(const TwoDiagonals& by, BlockDiagonals<double>& a);
void scale_rows_and_columns(const TwoDiagonals& by, const Array<std::int32_t>& row_of, Csr<double>& a);
void take_unknowns(const BlockDiagonals<double>& from, const UnknownsOfBlocks& unknowns,
                   BlockDiagonals<double>& to);
}  // namespace cpu
namespace cuda {
void copy_first(Queue queue, const FirstOfNodes& of, const double* from, double* to);
void scale(double factor, Array<double, Device>& values);
void add(double factor, const Array<double, Device>& from, Array<double, Device>& to);
void shift(double value, BlockDiagonals<double, Device>& a);
void set_diagonal(const double* d, bool add, BlockDiagonals<double, Device>& a);
void get_diagonal(const BlockDiagonals<double, Device>& a, double* d);
void scale_rows_and_columns(const TwoDiagonals& by, BlockDiagonals<double, Device>& a);
void scale_rows_and_columns(const TwoDiagonals& by, const Array<std::int32_t, Device>& row_of,
                            Csr<double, Device>& a);
void take_unknowns(const BlockDiagonals<double, Device>& from, const UnknownsOfBlocks& unknowns,
                   BlockDiagonals<double, Device>& to);
void move(const Array<std::int64_t, Device>& source, const Array<std::int64_t, Device>& target,
          Array<double, Device>& from, Array<double, Device>& to);
}  // namespace cuda

}  // namespace quadrille
