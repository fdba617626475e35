// Kernels made for one operator: from its source (kernels/cuda/stencil_source.hpp) by NVRTC. No CUDA header
// is needed to include this.
#pragma once

#include <vector>

#include "formats/compact.hpp"
#include "formats/stencil_table.hpp"
#include "kernels/cuda/scratch.hpp"
#include "kernels/output.hpp"
#include "kernels/prepared.hpp"

namespace quadrille::cuda {

// No kernel where NVRTC is not there, or the operator is too large to be written out.
template <class T>
Specialised specialise(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                       ValuePrecision precision, bool transposed);
template <class T>
Specialised specialise_with_dot(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                                ValuePrecision precision);
template <class T>
Specialised specialise(const StencilTable<T>& table);

// The product by it; false, and nothing is done, where there is none or an array is not aligned to 16 bytes.
template <class T>
bool launch_specialised(const Execution& on, const Specialised& kernel, const void* values,
                        const void* number, const T* x, const Output<T>& y);
// The same for y = A x and `dots` of SpmvOperator::multiply_with_dot().
template <class T>
bool launch_with_dot(const Execution& on, const Specialised& kernel, const void* values, const T* x, T* y,
                     double* dots);

}  // namespace quadrille::cuda
