// Which kernels are written and tested: of operators with planted structure, in every form that has one.
#pragma once

#include <string>

#include "kernels/cuda/stencil_source.hpp"
#include "tests/planted.hpp"

namespace quadrille {

enum class Form { compact, compact_transposed, compact_with_dot, compact_fp32, compact_bf16, stencil_table };
inline constexpr Form forms[] = {Form::compact,      Form::compact_transposed, Form::compact_with_dot,
                                 Form::compact_fp32, Form::compact_bf16,       Form::stencil_table};

inline constexpr std::uint64_t seeds = 24;

// Half of them are large enough for tiles of several blocks and for nodes far from all faces. Integers: sums
// are exact, and values in every precision.
template <class T>
BlockDiagonals<T> operator_of(std::uint64_t seed) {
  return planted::draw<T>(seed, true, seed % 2 == 0 ? 1 : 4).hub;
}

inline ValuePrecision precision_of(Form form) {
  return form == Form::compact_fp32   ? ValuePrecision::fp32
         : form == Form::compact_bf16 ? ValuePrecision::bf16
                                      : ValuePrecision::own;
}

// Of values in fp32 beside vectors in fp32 there is nothing to test.
template <class T>
bool has(Form form) {
  return sizeof(T) == 8 || form != Form::compact_fp32;
}

template <class T>
cuda::KernelSource source_of(Form form, std::uint64_t seed, const BlockDiagonals<T>& hub) {
  const cuda::TileSize size = seed % 3 == 0 ? cuda::TileSize::of_grid : cuda::TileSize::large;
  if (form != Form::stencil_table)
    return cuda::compact_source(hub, compact_entries(hub), precision_of(form),
                                form == Form::compact_transposed, size,
                                form == Form::compact_with_dot ? cuda::WithDot::yes : cuda::WithDot::no);
  const StencilTable<T> table = stencil_table_from_hub(hub);
  return cuda::stencil_table_source<T>(
      table, std::vector<std::uint8_t>(static_cast<std::size_t>(table.stencil_size()), 1),
      table.words.size() > 0, size);
}

// Its parameters are those of the kernels, `alpha` and `beta` converted. x . A x is added to `dot`, where the
// form has it.
using WrittenKernel = void (*)(const void* values, const void* numbers, const void* x, void* to,
                               const void* from, double alpha, double beta, double* dot);
WrittenKernel written_kernel(const std::string& name);  // null where it is not there

template <class T>
std::string name_of(Form form, std::uint64_t seed) {
  return "kernel_" + std::to_string(static_cast<int>(form)) + "_" + std::to_string(seed) + "_fp" +
         std::to_string(8 * sizeof(T));
}

}  // namespace quadrille
