// Times a few formats of one operator, each checked. Internal to kernels/tuning.
#pragma once

#include "kernels/tuning/choose_format.hpp"

namespace quadrille {

// Fastest first, with its part of the set-up where the products are counted; then those without a time. Small
// operators take turns, so that what changes over time changes all of them.
template <class T>
std::vector<MeasuredFormat> measure_formats(const FormatInput<T>& source,
                                            const std::vector<const FormatEntry*>& entries,
                                            const ChoiceWishes& wishes, const std::vector<T>& x,
                                            const ProductCheckFunction<T>& check);

// The check of a source's own product of x; empty where it cannot be had.
template <class T>
ProductCheckFunction<T> own_check(const FormatInput<T>& source, const Product& product,
                                  const std::vector<T>& x);

// `count` vectors of `size` random numbers in (-1, 1), one after the other.
template <class T>
std::vector<T> random_vectors(std::int64_t size, int count);

}  // namespace quadrille
