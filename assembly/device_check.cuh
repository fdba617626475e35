// A call of the CUDA runtime that must succeed.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "formats/format.hpp"

namespace quadrille {

inline void device_check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw CudaError(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace quadrille
