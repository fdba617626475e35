// Kernels made for operators of one kind: from their source (kernels/cuda/stencil_source.hpp) by NVRTC, or
// built with the library (kernels/cuda/built_kernels.hpp). No CUDA header is needed to include this.
#pragma once

#include <vector>

#include "formats/compact.hpp"
#include "formats/stencil_table.hpp"
#include "kernels/cuda/scratch.hpp"
#include "kernels/output.hpp"
#include "kernels/prepared.hpp"

namespace quadrille::cuda {

// Never: what was built with the library for any grid. Else one for this grid, with its constants written out
// or, where these will change, for any, and, without NVRTC, what was built.
enum class Compile { never, where_needed, for_any_constants };

// Whether the product may be that of compact_by_kind.cuh, for which nothing is compiled, and its numbers.
inline constexpr int many_kind_numbers = 2048, most_kind_diagonals = 128;
inline std::int64_t kind_numbers(const BlockStructure& s) {
  return (s.diagonals() - 1 + s.dof) * s.dof;
}
template <class T>
bool takes_kinds(const BlockStructure& s, const std::vector<CompactEntry<T>>& entries) {
  constexpr int word = 16 / sizeof(T), fewest = 4;
  return s.dof >= fewest && s.dof % word == 0 && kind_numbers(s) <= many_kind_numbers &&
         s.diagonals() <= most_kind_diagonals && has_constants_by_kind(s, entries);
}

// None where there is neither, or the operator is too large to be written out.
template <class T>
Specialised specialise(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                       ValuePrecision precision, bool transposed, Compile compile);
template <class T>
Specialised specialise_with_dot(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                                ValuePrecision precision, Compile compile);
template <class T, class Space>
Specialised specialise(const StencilTable<T, Space>& table, bool transposed);
// Of Y = A X. Nothing is compiled here.
template <class T>
SpecialisedForVectors specialise_for_vectors(const BlockStructure& structure,
                                             const std::vector<CompactEntry<T>>& entries,
                                             ValuePrecision precision);
template <class T, class Space>
SpecialisedForVectors specialise_for_vectors(const StencilTable<T, Space>& table);

// The product by it; false, and nothing is done, where there is none or a vector is not aligned as it needs.
template <class T>
bool launch_specialised(const Execution& on, const Specialised& kernel, const void* values,
                        const void* number, const T* x, const Output<T>& y);
// Y = A X for `count` vectors of `rows`, some at once, in groups of nearly the same size, so that there are
// at most two kernels to compile; by `one(x, y)` for each vector that is left.
template <class T, class One>
void multiply_in_groups(const Execution& on, const void* values, const void* number, std::int64_t rows,
                        const T* x, Output<T> y, int count, const One& one) {
  const SpecialisedForVectors& several = on.prepared.several;
  for (int groups = (count + several.most() - 1) / several.most(); groups > 0; --groups) {
    const int vectors = (count + groups - 1) / groups;
    const bool at_once = vectors > 1 && launch_specialised(on, several.of(vectors), values, number, x, y);
    for (int v = 0; v < vectors && !at_once; ++v) one(x + v * rows, y.beyond(v * rows));
    x += vectors * rows;
    y = y.beyond(vectors * rows);
    count -= vectors;
  }
}
// The sum of all to dots[0], whose number moves to dots[1]; in the same order every time.
void add_up(const Execution& on, const double* of_block, std::int64_t blocks, double* dots);
// Before the first sum, which else waits for its kernel to be loaded.
void load_add_up();
// The same for y = A x and `dots` of SpmvOperator::multiply_with_dot().
template <class T>
bool launch_with_dot(const Execution& on, const Specialised& kernel, const void* values, const T* x, T* y,
                     double* dots);

}  // namespace quadrille::cuda
