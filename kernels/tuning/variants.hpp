// One matrix in one format, multiplied in any way without another conversion: for searches.
#pragma once

#include <functional>
#include <memory>

#include "formats/csr.hpp"
#include "kernels/prepared.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

// The product so launched; all of them share the matrix. On the CPU they are one and the same.
template <class T>
using Variants = std::function<std::shared_ptr<const SpmvOperator<T>>(const Launch&)>;

// Throw what the conversion and the copy to the GPU throw.
template <class T>
Variants<T> ellr_t_variants(SpaceKind space, const Csr<T>& csr, int threads);
template <class T>
Variants<T> cmrs_variants(SpaceKind space, const Csr<T>& csr, int height, bool reorder);

// The GPU's half. Throw CudaError in a build without CUDA.
namespace cuda {
template <class T>
Variants<T> ellr_t_variants(const Csr<T>& csr, int threads);
template <class T>
Variants<T> cmrs_variants(const Csr<T>& csr, int height, bool reorder);
}  // namespace cuda

}  // namespace quadrille
