// Turns cuSPARSE's status codes into exceptions. Internal to kernels/cusparse.
#pragma once

#include <cusparse.h>

#include <string>

#include "formats/format.hpp"

namespace quadrille::cusparse {

// Throws FormatError for a product that cuSPARSE does not offer, CudaError for everything else.
inline void check(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const std::string text = std::string(call) + ": " + cusparseGetErrorString(status);
  if (status == CUSPARSE_STATUS_NOT_SUPPORTED)
    throw FormatError("cuSPARSE does not offer this product: " + text);
  throw CudaError(text);
}

}  // namespace quadrille::cusparse
