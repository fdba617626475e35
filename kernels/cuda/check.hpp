// Turns CUDA's status codes into CudaError. Internal to kernels/cuda.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "formats/format.hpp"

namespace quadrille::cuda {

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw CudaError(std::string(call) + ": " + cudaGetErrorString(status));
}

}  // namespace quadrille::cuda

#define QUADRILLE_CUDA(call) ::quadrille::cuda::check(call, #call)
// After a kernel launch: a refused configuration shows here.
#define QUADRILLE_CUDA_LAUNCHED(kernel) ::quadrille::cuda::check(cudaGetLastError(), "launching " kernel)
