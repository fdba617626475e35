// Which product of an operator a run is about: y = A x, y = A^T x, or Y = A X with several vectors at once.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/spmv_operator.hpp"

namespace quadrille {

struct Product {
  bool transposed = false;  // y = A^T x
  int vectors = 1;          // Y = A X with so many at once; 1 where it is transposed
};

// Elements of one vector of x and of y.
struct ProductSize {
  std::int64_t x = 0, y = 0;
};

inline ProductSize vector_size(const Product& product, std::int64_t rows, std::int64_t columns) {
  return product.transposed ? ProductSize{rows, columns} : ProductSize{columns, rows};
}

// Throws FormatError where the format has no transposed product.
template <class T>
void apply(const SpmvOperator<T>& op, const Product& product, const T* x, T* y) {
  if (product.transposed)
    op.apply_transpose(x, y);
  else if (product.vectors > 1)
    op.apply_multiple(x, y, product.vectors);
  else
    op.apply(x, y);
}

// What it must move: the operator once, every vector of x and y once.
template <class T>
Traffic traffic_of(const SpmvOperator<T>& op, const Product& product) {
  Traffic traffic = op.traffic();
  const std::int64_t value = sizeof(T), rows = op.rows() * value, columns = op.columns() * value;
  const ProductSize size = vector_size(product, rows, columns);
  traffic.read_bytes += product.vectors * size.x - columns;
  traffic.written_bytes = product.vectors * size.y;
  return traffic;
}

// "A x", "A^T x", "A X with 8 vectors"
inline std::string to_string(const Product& product) {
  if (product.transposed) return "A^T x";
  return product.vectors == 1 ? "A x" : "A X with " + std::to_string(product.vectors) + " vectors";
}

}  // namespace quadrille
