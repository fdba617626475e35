#include "kernels/cusparse/product.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cusparse/check.hpp"

namespace quadrille::cusparse {
namespace {

using ConstVector = std::unique_ptr<std::remove_pointer_t<cusparseConstDnVecDescr_t>, Destroy>;
using Vector = std::unique_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>, Destroy>;

template <class T>
ConstVector make_vector(std::int64_t size, const T* values) {
  cusparseConstDnVecDescr_t vector = nullptr;
  check(cusparseCreateConstDnVec(&vector, size, values, value_type<T>), "cusparseCreateConstDnVec");
  return ConstVector(vector);
}

template <class T>
Vector make_vector(std::int64_t size, T* values) {
  cusparseDnVecDescr_t vector = nullptr;
  check(cusparseCreateDnVec(&vector, size, values, value_type<T>), "cusparseCreateDnVec");
  return Vector(vector);
}

// y = 1 op(A) x + 0 y.
template <class T>
constexpr T one = 1;
template <class T>
constexpr T zero = 0;

}  // namespace

Handle make_handle() {
  cusparseHandle_t handle = nullptr;
  check(cusparseCreate(&handle), "cusparseCreate");
  return Handle(handle);
}

template <class T>
Product<T>::Product(const Handle& handle, Matrix matrix, std::int64_t x_size, std::int64_t y_size,
                    cusparseOperation_t operation, cusparseSpMVAlg_t algorithm)
    : handle_(handle.get()),
      matrix_(std::move(matrix)),
      x_size_(x_size),
      y_size_(y_size),
      operation_(operation),
      algorithm_(algorithm) {
  set_up();
}

template <class T>
void Product<T>::set_up() {
  // Never read or written, for this is analysis only; but cuSPARSE wants an address.
  if (placeholder_.size() == 0) placeholder_ = Array<T, Device>(std::max(x_size_, y_size_));
  const ConstVector x = make_vector(x_size_, static_cast<const T*>(placeholder_.data()));
  const Vector y = make_vector(y_size_, placeholder_.data());
  std::size_t bytes = 0;
  check(cusparseSpMV_bufferSize(handle_, operation_, &one<T>, matrix_.get(), x.get(), &zero<T>, y.get(),
                                value_type<T>, algorithm_, &bytes),
        "cusparseSpMV_bufferSize");
  if (workspace_.size() < static_cast<std::int64_t>(bytes))
    workspace_ = Array<char, Device>(static_cast<std::int64_t>(bytes));
  check(cusparseSpMV_preprocess(handle_, operation_, &one<T>, matrix_.get(), x.get(), &zero<T>, y.get(),
                                value_type<T>, algorithm_, workspace_.data()),
        "cusparseSpMV_preprocess");
}

template <class T>
void Product<T>::operator()(const T* x_values, T* y_values) const {
  const ConstVector x = make_vector(x_size_, x_values);
  const Vector y = make_vector(y_size_, y_values);
  check(cusparseSpMV(handle_, operation_, &one<T>, matrix_.get(), x.get(), &zero<T>, y.get(), value_type<T>,
                     algorithm_, const_cast<char*>(workspace_.data())),
        "cusparseSpMV");
}

template class Product<float>;
template class Product<double>;

}  // namespace quadrille::cusparse
