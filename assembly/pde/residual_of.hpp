// The residual of a PDE from its functor, evaluated where its vectors are: a file of a PDE that includes this
// is compiled by nvcc in builds with CUDA.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#if defined(__CUDACC__)
#include "assembly/device_residual.cuh"
#else
#include "assembly/residual.hpp"
#endif

namespace quadrille {
namespace {

// A functor that points to fields has one that points to GPU memory as well, which `on_device` gives; what
// that captures lives as long as the result.
template <class Residual>
AnyResidual residual_of(const Residual& residual, int dof, std::function<Residual()> on_device = {}) {
#if defined(__CUDACC__)
  return device_residual(residual, dof, std::move(on_device));
#else
  AnyResidual any = any_residual(residual, dof);
  any.owned = std::make_shared<std::function<Residual()>>(std::move(on_device));
  return any;
#endif
}

}  // namespace

// Values in host memory and, from the first time that they are asked for, in the GPU's.
template <class T>
class OnBoth {
 public:
  explicit OnBoth(std::vector<T> values) : host_(std::move(values)) {}
  std::size_t size() const { return host_.size(); }
  const T* on_host() const { return host_.data(); }
  const T* on_device() {
    if (device_.size() == 0) {
      device_ = Array<T, Device>(static_cast<std::int64_t>(host_.size()));
      memory::copy_to_device(device_.data(), host_.data(), device_.bytes());
    }
    return device_.data();
  }

 private:
  std::vector<T> host_;
  Array<T, Device> device_;
};
using NumbersOnBoth = OnBoth<double>;

}  // namespace quadrille
