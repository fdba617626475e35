// Which kernels are written and tested: of operators with planted structure, in every form that has one.
#pragma once

#include <string>

#include "kernels/cuda/stencil_source.hpp"
#include "tests/planted.hpp"

namespace quadrille {

enum class Form {
  compact,
  compact_transposed,
  compact_with_dot,
  compact_fp32,
  compact_bf16,
  stencil_table,
  stencil_table_transposed,
  compact_several,  // vectors at once
  compact_fp32_several,
  compact_bf16_several,
  stencil_table_several
};
inline constexpr Form forms[] = {Form::compact,
                                 Form::compact_transposed,
                                 Form::compact_with_dot,
                                 Form::compact_fp32,
                                 Form::compact_bf16,
                                 Form::stencil_table,
                                 Form::stencil_table_transposed,
                                 Form::compact_several,
                                 Form::compact_fp32_several,
                                 Form::compact_bf16_several,
                                 Form::stencil_table_several};

#ifndef QUADRILLE_KERNEL_SEEDS
#define QUADRILLE_KERNEL_SEEDS 24
#endif
inline constexpr std::uint64_t seeds = QUADRILLE_KERNEL_SEEDS;

inline int vectors_of(Form form, std::uint64_t seed) {
  constexpr int several[] = {2, 3, 4, 8};
  return form < Form::compact_several ? 1 : several[seed / 2 % 4];
}
inline bool is_table(Form form) {
  return form == Form::stencil_table || form == Form::stencil_table_transposed ||
         form == Form::stencil_table_several;
}
inline bool is_transposed(Form form) {
  return form == Form::compact_transposed || form == Form::stencil_table_transposed;
}

// Half of them are large enough for tiles of several blocks and for nodes far from all faces. Integers: sums
// are exact, and values in every precision.
template <class T>
BlockDiagonals<T> operator_of(std::uint64_t seed) {
  return planted::draw<T>(seed, true, seed % 2 == 0 ? 1 : 4).hub;
}

inline ValuePrecision precision_of(Form form) {
  return form == Form::compact_fp32 || form == Form::compact_fp32_several   ? ValuePrecision::fp32
         : form == Form::compact_bf16 || form == Form::compact_bf16_several ? ValuePrecision::bf16
                                                                            : ValuePrecision::own;
}

// Of values in fp32 beside vectors in fp32 there is nothing to test. Several vectors with values of fewer
// bits are as many texts as take long to compile: of a third of the operators.
template <class T>
bool has(Form form, std::uint64_t seed) {
  if (sizeof(T) == 4 && precision_of(form) == ValuePrecision::fp32) return false;
  return vectors_of(form, seed) == 1 || precision_of(form) == ValuePrecision::own || seed % 3 == 1;
}

template <class T>
cuda::KernelSource source_of(Form form, std::uint64_t seed, const BlockDiagonals<T>& hub) {
  const cuda::TileSize size = seed % 3 == 0 ? cuda::TileSize::of_grid : cuda::TileSize::large;
  if (!is_table(form))
    return cuda::compact_source(hub, compact_entries(hub), precision_of(form),
                                {.transposed = is_transposed(form),
                                 .with_dot = form == Form::compact_with_dot,
                                 .vectors = vectors_of(form, seed),
                                 .any_grid = seed % 4 < 2},
                                size);
  const StencilTable<T> table = stencil_table_from_hub(hub);
  return cuda::stencil_table_source<T>(
      table, std::vector<std::uint8_t>(static_cast<std::size_t>(table.stencil_size()), 1),
      table.words.size() > 0,
      {.transposed = is_transposed(form), .vectors = vectors_of(form, seed), .any_grid = seed % 4 < 2}, size);
}

// Its parameters are those of the kernels, `alpha` and `beta` converted, sizes and constants as bytes.
// x . A x is added to `dot`, where the form has it.
using WrittenKernel = void (*)(const void* values, const void* numbers, const void* x, void* to,
                               const void* from, double alpha, double beta, const void* sizes,
                               const void* constants, double* dot);
WrittenKernel written_kernel(const std::string& name);  // null where it is not there

template <class T>
std::string name_of(Form form, std::uint64_t seed) {
  return "kernel_" + std::to_string(static_cast<int>(form)) + "_" + std::to_string(seed) + "_fp" +
         std::to_string(8 * sizeof(T));
}

}  // namespace quadrille
