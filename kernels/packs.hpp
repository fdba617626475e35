// Consecutive numbers as one word, for functors that run on the CPU and, compiled by nvcc with
// --expt-relaxed-constexpr, on the GPU.
#pragma once

#include <cstdint>
#include <type_traits>

// A loop that nvcc unrolls, so that what it indexes stays in registers.
#if defined(__CUDA_ARCH__)
#define QUADRILLE_UNROLL _Pragma("unroll")
#else
#define QUADRILLE_UNROLL
#endif

namespace quadrille {

// Bytes that are loaded and stored together; more of them a CPU's compiler puts together by itself.
#if defined(__CUDA_ARCH__)
inline constexpr int most_packed_bytes = 32;
#else
inline constexpr int most_packed_bytes = 16;
#endif

// On a GPU one word, or some of 16 bytes.
template <class T, int Count>
struct alignas(sizeof(T) * Count) Pack {
  T v[Count];
};

// Loads of numbers that are used once, past the caches on a GPU, and of vectors, which are used again.
template <class T>
constexpr T streamed(const T* p) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 16)
    return __builtin_bit_cast(T, __ldcs(reinterpret_cast<const int4*>(p)));
  else if constexpr (sizeof(T) == 8 && alignof(T) == 8 && !std::is_arithmetic_v<T>)
    return __builtin_bit_cast(T, __ldcs(reinterpret_cast<const int2*>(p)));
  else if constexpr (std::is_arithmetic_v<T>)
    return __ldcs(p);
#endif
  return *p;
}

// Three numbers are no word: they are loaded and stored one by one, however they are aligned.
template <int Count>
inline constexpr bool is_word = (Count & (Count - 1)) == 0;

template <int Count, class T>
constexpr bool aligned(const T* p) {
  return sizeof(T) * Count <= most_packed_bytes &&
         reinterpret_cast<std::uintptr_t>(p) % (sizeof(T) * Count) == 0;
}

// `Count` numbers from p on. Streamed ones are aligned where Count > 1, those of load() need not be.
template <int Count, class T>
constexpr void load_streamed(const T* p, T (&to)[Count]) {
  if constexpr (is_word<Count>) {
    const auto pack = streamed(reinterpret_cast<const Pack<T, Count>*>(p));
    for (int i = 0; i < Count; ++i) to[i] = pack.v[i];
  } else {
    for (int i = 0; i < Count; ++i) to[i] = streamed(p + i);
  }
}
template <int Count, class T>
constexpr void load_aligned(const T* p, T (&to)[Count]) {
  if constexpr (is_word<Count>) {
    const auto pack = *reinterpret_cast<const Pack<T, Count>*>(p);
    for (int i = 0; i < Count; ++i) to[i] = pack.v[i];
  } else {
    for (int i = 0; i < Count; ++i) to[i] = p[i];
  }
}
template <int Count, class T>
constexpr void load(const T* p, T (&to)[Count]) {
  if constexpr (Count > 1 && is_word<Count>)
    if (aligned<Count>(p)) return load_aligned(p, to);
  for (int i = 0; i < Count; ++i) to[i] = p[i];
}

template <int Count, class T>
constexpr void store(T* p, const T (&from)[Count]) {
  if constexpr (Count > 1 && is_word<Count>)
    if (aligned<Count>(p)) {
      Pack<T, Count> pack{};
      for (int i = 0; i < Count; ++i) pack.v[i] = from[i];
      *reinterpret_cast<Pack<T, Count>*>(p) = pack;
      return;
    }
  for (int i = 0; i < Count; ++i) p[i] = from[i];
}

}  // namespace quadrille
