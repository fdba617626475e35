#include "kernels/cuda/specialise.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>

#include "kernels/cuda/built_kernels.hpp"
#include "kernels/cuda/jit.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/stencil_source.hpp"
#include "kernels/cuda/tiling.hpp"

namespace quadrille::cuda {
namespace {

// CUDA loads a kernel when it is first asked for, which takes longer than many products.
void load(const void* kernel) {
  cudaFuncAttributes loaded{};
  QUADRILLE_CUDA(cudaFuncGetAttributes(&loaded, kernel));
}

Specialised made_of(const KernelSource& source, const void* kernel, bool built, bool any_constants) {
  if (kernel == nullptr) return {};
  load(kernel);
  return {kernel, source.launch, built, any_constants};
}
Specialised compiled(const KernelSource& source, bool any_constants = false) {
  if (source.text.empty()) return {};
  return made_of(source, compiled_kernel(source.text, source_kernel), false, any_constants);
}

// Compiled for this grid, or built with the library for any.
template <class T>
Specialised written_anew(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                         ValuePrecision precision, WrittenProduct product, Compile compile) {
  const auto written = [&](bool any_grid) {
    product.any_grid = any_grid;
    KernelSource source = compact_source(structure, entries, precision, product);
    if (product.with_dot && !source.text.empty()) source.text = dot_source() + source.text;
    return source;
  };
  product.any_constants = compile == Compile::for_any_constants;
  if (compile != Compile::never)
    if (Specialised own = compiled(written(false), product.any_constants); own.kernel != nullptr) return own;
  const KernelSource source = written(true);
  return made_of(source, built_kernel(source.text), true, true);
}

// An operator, and its kernel or none.
template <class T>
struct Written {
  BlockStructure structure;
  std::vector<CompactEntry<T>> entries;
  ValuePrecision precision;
  WrittenProduct product;
  Compile compile;
  Specialised kernel;

  bool is_of(const BlockStructure& of_structure, const std::vector<CompactEntry<T>>& of_entries,
             ValuePrecision of_precision, const WrittenProduct& of_product, Compile of_compile) const {
    const bool constants_matter = compile == Compile::where_needed;  // they stand in the text
    const auto same = [&](const CompactEntry<T>& a, const CompactEntry<T>& b) {
      return a.stored == b.stored && a.column == b.column &&
             (!constants_matter || std::memcmp(&a.constant, &b.constant, sizeof(T)) == 0);
    };
    return structure == of_structure && precision == of_precision && compile == of_compile &&
           product.transposed == of_product.transposed && product.with_dot == of_product.with_dot &&
           std::equal(entries.begin(), entries.end(), of_entries.begin(), of_entries.end(), same);
  }
};

// Those of the last operators are kept: steps in time ask for the same one again and again, with other
// numbers, and to write its text takes longer than to fill it.
template <class T>
Specialised of_compact(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                       ValuePrecision precision, const WrittenProduct& product, Compile compile) {
  constexpr std::size_t most_kept = 8;
  static std::mutex mutex;
  static std::deque<Written<T>> kept;  // the newest first
  const std::lock_guard lock(mutex);
  const auto known = std::find_if(kept.begin(), kept.end(), [&](const Written<T>& w) {
    return w.is_of(structure, entries, precision, product, compile);
  });
  if (known != kept.end()) {
    Specialised kernel = known->kernel;
    if (kernel.kernel != nullptr)
      kernel.launch.constants = compact_constants(structure, entries, product.transposed);
    return kernel;
  }
  Specialised kernel = written_anew(structure, entries, precision, product, compile);
  kept.push_front({structure, entries, precision, product, compile, kernel});
  if (kept.size() > most_kept) kept.pop_back();
  return kernel;
}

// The sum of all, in the same order every time, to dots[0], whose number moves to dots[1]. A kernel of its
// own, for blocks that waited to learn which of them is the last one took half as long again.
constexpr int add_up_threads = 1024;
__global__ void __launch_bounds__(add_up_threads)
    add_up_kernel(const double* __restrict__ of_block, std::int64_t blocks, double* dots) {
  double sum = 0;
#pragma unroll 8
  for (std::int64_t b = threadIdx.x; b < blocks; b += add_up_threads) sum += of_block[b];
  sum = sum_block<add_up_threads>(sum);
  if (threadIdx.x != 0) return;
  dots[1] = dots[0];
  dots[0] = sum;
}

bool aligned(const void* p, int bytes) {
  return reinterpret_cast<std::uintptr_t>(p) % static_cast<unsigned>(bytes) == 0;
}
bool is_for(const Specialised& kernel, const void* values, const void* x, const void* to, const void* from) {
  const int alignment = kernel.launch.alignment;
  return kernel.kernel != nullptr && aligned(values, 16) && aligned(x, alignment) && aligned(to, alignment) &&
         aligned(from, alignment);
}
// `of_block`: where it gives a dot.
template <class T>
void launch(const Execution& on, const Specialised& kernel, const void* values, const void* number,
            const T* x, T* to, const T* from, T alpha, T beta, double* of_block) {
  const auto& [x_blocks, y_blocks, z_blocks] = kernel.launch.blocks;
  void* arguments[] = {&values,
                       &number,
                       &x,
                       &to,
                       &from,
                       &alpha,
                       &beta,
                       const_cast<KernelSizes*>(&kernel.launch.sizes),
                       const_cast<std::byte*>(kernel.launch.constants->data()),
                       &of_block};
  QUADRILLE_CUDA(cudaLaunchKernel(kernel.kernel, dim3(x_blocks, y_blocks, z_blocks), tile_threads, arguments,
                                  0, stream_of(on)));
}

// Entries of a stencil that are not +0 in all of them.
template <class T>
std::vector<std::uint8_t> used_entries(const Array<T>& table, std::int64_t stencil_size) {
  std::vector<std::uint8_t> used(static_cast<std::size_t>(stencil_size), 0);
  const T zero = 0;
  for (std::int64_t i = 0; i < table.size(); ++i)
    if (std::memcmp(table.data() + i, &zero, sizeof(T)) != 0) used[i % stencil_size] = 1;
  return used;
}
template <class T>
std::vector<std::uint8_t> used_entries(const StencilTable<T>& a) {
  return used_entries(a.table, a.stencil_size());
}
template <class T>
std::vector<std::uint8_t> used_entries(const StencilTable<T, Device>& a) {
  return used_entries(copy_to<Host>(a.table), a.stencil_size());
}

}  // namespace

template <class T>
Specialised specialise(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                       ValuePrecision precision, bool transposed, Compile compile) {
  return of_compact(structure, entries, precision, {.transposed = transposed}, compile);
}

template <class T>
Specialised specialise_with_dot(const BlockStructure& structure, const std::vector<CompactEntry<T>>& entries,
                                ValuePrecision precision, Compile compile) {
  return of_compact(structure, entries, precision, {.with_dot = true}, compile);
}

template <class T, class Space>
Specialised specialise(const StencilTable<T, Space>& a, bool transposed) {
  return compiled(
      stencil_table_source<T>(a, used_entries(a), a.words.size() > 0, {.transposed = transposed}));
}

template <class T>
SpecialisedForVectors specialise_for_vectors(const BlockStructure& structure,
                                             const std::vector<CompactEntry<T>>& entries,
                                             ValuePrecision precision) {
  const auto terms = std::count_if(entries.begin(), entries.end(),
                                   [](const auto& e) { return e.stored != Stored::nothing; });
  return {vectors_at_once(structure.dof, structure.extents[0], terms, sizeof(T)),
          [structure, entries, precision](int vectors) {
            return compiled(compact_source(structure, entries, precision, {.vectors = vectors}));
          }};
}

template <class T, class Space>
SpecialisedForVectors specialise_for_vectors(const StencilTable<T, Space>& a) {
  const std::vector<std::uint8_t> used = used_entries(a);
  return {vectors_at_once(a.dof, a.extents[0], std::count(used.begin(), used.end(), 1), sizeof(T)),
          [structure = static_cast<const BlockStructure&>(a), used, words = a.words.size() > 0](int vectors) {
            return compiled(stencil_table_source<T>(structure, used, words, {.vectors = vectors}));
          }};
}

void load_add_up() {
  load(reinterpret_cast<const void*>(add_up_kernel));
}

void add_up(const Execution& on, const double* of_block, std::int64_t blocks, double* dots) {
  add_up_kernel<<<1, add_up_threads, 0, stream_of(on)>>>(of_block, blocks, dots);
  QUADRILLE_CUDA_LAUNCHED("the sum of blocks");
}

template <class T>
bool launch_specialised(const Execution& on, const Specialised& kernel, const void* values,
                        const void* number, const T* x, const Output<T>& y) {
  const T* from = y.beta != 0 ? y.from : y.to;
  if (!is_for(kernel, values, x, y.to, from)) return false;
  launch<T>(on, kernel, values, number, x, y.to, from, y.alpha, y.beta, nullptr);
  return true;
}

template <class T>
bool launch_with_dot(const Execution& on, const Specialised& kernel, const void* values, const T* x, T* y,
                     double* dots) {
  if (!is_for(kernel, values, x, y, y)) return false;
  const std::int64_t blocks = kernel.launch.all_blocks();
  Scratch::Part& part = on.scratch.of(on.queue, 0, blocks * std::int64_t{sizeof(double)});
  double* const of_block = reinterpret_cast<double*>(part.sums.data());
  launch<T>(on, kernel, values, nullptr, x, y, y, 1, 0, of_block);
  add_up(on, of_block, blocks, dots);
  return true;
}

#define QUADRILLE_INSTANTIATE(T)                                                                             \
  template Specialised specialise(const BlockStructure&, const std::vector<CompactEntry<T>>&,                \
                                  ValuePrecision, bool, Compile);                                            \
  template Specialised specialise_with_dot(const BlockStructure&, const std::vector<CompactEntry<T>>&,       \
                                           ValuePrecision, Compile);                                         \
  template bool launch_with_dot(const Execution&, const Specialised&, const void*, const T*, T*, double*);   \
  template Specialised specialise(const StencilTable<T>&, bool);                                             \
  template Specialised specialise(const StencilTable<T, Device>&, bool);                                     \
  template SpecialisedForVectors specialise_for_vectors(                                                     \
      const BlockStructure&, const std::vector<CompactEntry<T>>&, ValuePrecision);                           \
  template SpecialisedForVectors specialise_for_vectors(const StencilTable<T>&);                             \
  template SpecialisedForVectors specialise_for_vectors(const StencilTable<T, Device>&);                     \
  template bool launch_specialised(const Execution&, const Specialised&, const void*, const void*, const T*, \
                                   const Output<T>&);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
