// One product of cuSPARSE's generic interface, y = op(A) x, with all that it owns. Internal to
// kernels/cusparse.
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <memory>
#include <type_traits>

#include "formats/array.hpp"

namespace quadrille::cusparse {

struct Destroy {
  void operator()(cusparseHandle_t handle) const { cusparseDestroy(handle); }
  void operator()(cusparseConstSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
  void operator()(cusparseConstDnVecDescr_t vector) const { cusparseDestroyDnVec(vector); }
};

using Handle = std::unique_ptr<std::remove_pointer_t<cusparseHandle_t>, Destroy>;
using Matrix = std::unique_ptr<std::remove_pointer_t<cusparseConstSpMatDescr_t>, Destroy>;

Handle make_handle();

template <class T>
constexpr cudaDataType value_type = std::is_same_v<T, double> ? CUDA_R_64F : CUDA_R_32F;

// A product with workspace and analysis made once. The arrays behind `matrix` must outlive it.
template <class T>
class Product {
 public:
  // `x_size` and `y_size` are those of op(A). Throws FormatError where cuSPARSE refuses the product.
  Product(const Handle& handle, Matrix matrix, std::int64_t x_size, std::int64_t y_size,
          cusparseOperation_t operation, cusparseSpMVAlg_t algorithm);

  // Asks for the workspace and analyses the matrix once more, as the constructor does.
  void set_up();

  // On the default stream; x and y on the device.
  void operator()(const T* x, T* y) const;

 private:
  cusparseHandle_t handle_;
  Matrix matrix_;
  std::int64_t x_size_, y_size_;
  cusparseOperation_t operation_;
  cusparseSpMVAlg_t algorithm_;
  Array<char, Device> workspace_;
  Array<T, Device> placeholder_;
};

}  // namespace quadrille::cusparse
