// One matrix in ELLR-T with a given T, whose block size can be changed without another conversion: for searches.
#pragma once

#include <functional>
#include <memory>

#include "formats/csr.hpp"
#include "formats/gpu_kernel.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

template <class T>
struct EllrTVariants {
  std::unique_ptr<SpmvOperator<T>> op;
  std::function<void(int)> set_block;  // of the products to come; of no effect on the CPU
  // The same by the paper's kernel, which reads x so; the format and its block are shared. Empty on the CPU.
  std::function<std::unique_ptr<SpmvOperator<T>>(CachePath)> paper;
};

// Throws what ellr_t_from_csr() and the copy to the GPU throw.
template <class T>
EllrTVariants<T> ellr_t_variants(SpaceKind space, const Csr<T>& csr, int threads);

namespace cuda {

// The GPU's half. Throws CudaError in a build without CUDA.
template <class T>
EllrTVariants<T> ellr_t_variants(const Csr<T>& csr, int threads);

}  // namespace cuda
}  // namespace quadrille
