// One product of cuSPARSE's generic interface, op(A) x to an Output, with all that it owns. Internal to
// kernels/cusparse.
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <type_traits>

#include "formats/array.hpp"
#include "kernels/output.hpp"
#include "kernels/queue.hpp"

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

// A product with workspace and analysis made once; once more for every further queue, for cuSPARSE's
// workspace serves one product at a time. The arrays that `describe` gives out must outlive it.
template <class T>
class Product {
 public:
  // `x_size` and `y_size` are those of op(A). Throws FormatError where cuSPARSE refuses the product.
  Product(const Handle& handle, std::function<Matrix()> describe, std::int64_t x_size, std::int64_t y_size,
          cusparseOperation_t operation, cusparseSpMVAlg_t algorithm);

  // Asks for the workspace and analyses the matrix once more, as the constructor does, for the default queue.
  void set_up();

  // Queued; x and y on the device.
  void operator()(Queue queue, const T* x, const Output<T>& y) const;

 private:
  struct Prepared {
    Matrix matrix;
    Array<char, Device> workspace;
  };
  void prepare(Prepared& prepared) const;
  Prepared& prepared_for(Queue queue) const;

  cusparseHandle_t handle_;
  std::function<Matrix()> describe_;
  std::int64_t x_size_, y_size_;
  cusparseOperation_t operation_;
  cusparseSpMVAlg_t algorithm_;
  mutable Array<T, Device> placeholder_;
  mutable std::map<unsigned long long, Prepared> prepared_;  // by CUDA's number of the stream
};

}  // namespace quadrille::cusparse
