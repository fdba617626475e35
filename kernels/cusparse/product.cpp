#include "kernels/cusparse/product.hpp"

#include <algorithm>
#include <utility>

#include "kernels/cuda/stream.hpp"
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

// For the analysis, which does not use them.
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
Product<T>::Product(const Handle& handle, std::function<Matrix()> describe, std::int64_t x_size,
                    std::int64_t y_size, cusparseOperation_t operation, cusparseSpMVAlg_t algorithm)
    : handle_(handle.get()),
      describe_(std::move(describe)),
      x_size_(x_size),
      y_size_(y_size),
      operation_(operation),
      algorithm_(algorithm) {
  prepared_for({});
}

template <class T>
void Product<T>::set_up() {
  prepare(prepared_for({}));
}

template <class T>
void Product<T>::prepare(Prepared& prepared) const {
  // Never read or written, for this is analysis only; but cuSPARSE wants an address.
  if (placeholder_.size() == 0) placeholder_ = Array<T, Device>(std::max(x_size_, y_size_));
  const ConstVector x = make_vector(x_size_, static_cast<const T*>(placeholder_.data()));
  const Vector y = make_vector(y_size_, placeholder_.data());
  std::size_t bytes = 0;
  check(cusparseSpMV_bufferSize(handle_, operation_, &one<T>, prepared.matrix.get(), x.get(), &zero<T>,
                                y.get(), value_type<T>, algorithm_, &bytes),
        "cusparseSpMV_bufferSize");
  if (prepared.workspace.size() < static_cast<std::int64_t>(bytes))
    prepared.workspace = Array<char, Device>(static_cast<std::int64_t>(bytes));
  check(cusparseSpMV_preprocess(handle_, operation_, &one<T>, prepared.matrix.get(), x.get(), &zero<T>,
                                y.get(), value_type<T>, algorithm_, prepared.workspace.data()),
        "cusparseSpMV_preprocess");
}

template <class T>
typename Product<T>::Prepared& Product<T>::prepared_for(Queue queue) const {
  const unsigned long long number = cuda::stream_id(queue);
  check(cusparseSetStream(handle_, cuda::stream_of(queue)), "cusparseSetStream");
  if (const auto found = prepared_.find(number); found != prepared_.end()) return found->second;
  Prepared prepared{describe_(), {}};
  prepare(prepared);
  return prepared_.emplace(number, std::move(prepared)).first->second;
}

template <class T>
void Product<T>::operator()(Queue queue, const T* x_values, const Output<T>& out) const {
  Prepared& prepared = prepared_for(queue);
  if (out.beta != 0 && out.from != out.to)  // cuSPARSE adds to y alone
    QUADRILLE_CUDA(cudaMemcpyAsync(out.to, out.from, static_cast<std::size_t>(y_size_) * sizeof(T),
                                   cudaMemcpyDeviceToDevice, cuda::stream_of(queue)));
  const ConstVector x = make_vector(x_size_, x_values);
  const Vector y = make_vector(y_size_, out.to);
  check(cusparseSpMV(handle_, operation_, &out.alpha, prepared.matrix.get(), x.get(), &out.beta, y.get(),
                     value_type<T>, algorithm_, prepared.workspace.data()),
        "cusparseSpMV");
}

template class Product<float>;
template class Product<double>;

}  // namespace quadrille::cusparse
