// Sums of numbers from an array into places of another one: what assembly by coordinates is when it is
// repeated with new values. Which entries belong to which place is worked out once.
//
//   target[p] (+)= source[entry[begin[p]]] + ... + source[entry[begin[p + 1] - 1]]       in this order, the
//                                                                                        same bits every time
//
// Where no place has more than one entry there is no `begin`: entry[p] is the one, or -1 for none.
//
//   4 entries for the places 2 0 2 -1 of 3 (the last one is left out):  begin = 0 1 1 3   entry = 1 0 2
//   3 entries for the places 2 0 -1:                                    no begin          entry = 1 -1 0
//
// The places are a matrix [column][row]. A few rows are filled in all columns at once, for entries of one row
// are often neighbours in the source.
#pragma once

#include <cstdint>
#include <span>

#include "formats/array.hpp"
#include "kernels/queue.hpp"

namespace quadrille {

template <class Space = Host>
struct GatherSum {
  std::int64_t columns = 1, rows = 0;
  Array<std::int32_t, Space> begin;  // [columns * rows + 1], or empty
  Array<std::int32_t, Space> entry;  // [entries that have a place], or without `begin` [columns * rows]
};

// `place[i]` is where entry i goes, counted from `first`; outside 0..columns * rows - 1 it is left out.
// Throws FormatError for more entries than 32 bits count.
GatherSum<> plan_gather_sum(std::int64_t columns, std::int64_t rows, std::span<const std::int64_t> place,
                            std::int64_t first = 0);

template <class To, class From>
GatherSum<To> copy_to(const GatherSum<From>& g) {
  return {g.columns, g.rows, copy_to<To>(g.begin), copy_to<To>(g.entry)};
}

// Entries 0..size - 1 are first[entry], those from `size` on second[entry - size].
template <class T>
struct TwoArrays {
  const T* first = nullptr;
  std::int64_t size = 0;
  const T* second = nullptr;
};

// target = sums, or target += sums where `add`: every place is written, or with `add` those that have
// entries. In GPU memory the work is queued; throws CudaError when a launch fails.
namespace cpu {
template <class T>
void gather_sum(const GatherSum<Host>& g, const TwoArrays<T>& source, T* target, bool add);
}
namespace cuda {
template <class T>
void gather_sum(Queue queue, const GatherSum<Device>& g, const TwoArrays<T>& source, T* target, bool add);
}

}  // namespace quadrille
