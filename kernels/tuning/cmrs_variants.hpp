// One matrix in CMRS with a given height and order, whose kernel can be changed without another conversion: for searches.
#pragma once

#include <functional>
#include <memory>

#include "formats/cmrs.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

template <class T>
struct CmrsVariants {
  std::unique_ptr<SpmvOperator<T>> op;
  std::function<void(const CmrsLaunch&)> set_launch;  // of the products to come; of no effect on the CPU
};

// Throws what cmrs_from_csr() and the copy to the GPU throw.
template <class T>
CmrsVariants<T> cmrs_variants(SpaceKind space, const Csr<T>& csr, int height, bool reorder);

namespace cuda {

// The GPU's half. Throws CudaError in a build without CUDA.
template <class T>
CmrsVariants<T> cmrs_variants(const Csr<T>& csr, int height, bool reorder);

}  // namespace cuda
}  // namespace quadrille
