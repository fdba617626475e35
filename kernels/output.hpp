// What a product does with its sums.
#pragma once

#include <cstdint>

namespace quadrille {

// to[i] = alpha * sum of row i + beta * from[i]. `from` may be `to`, else they do not overlap; where beta is
// 0 it is not read and may be null, and what stood in `to` does not matter. With alpha 1 and beta 0 the sums
// themselves, to the last bit.
template <class T>
struct Output {
  T* to = nullptr;
  const T* from = nullptr;
  T alpha = 1, beta = 0;

  // What to[i] becomes. (constexpr: for both sides of a CUDA file.)
  constexpr T value(std::int64_t i, T sum) const {
    const T scaled = alpha * sum;
    return beta != 0 ? scaled + beta * from[i] : scaled;
  }
  constexpr void put(std::int64_t i, T sum) const { to[i] = value(i, sum); }

  // Of elements first, first + 1, ...
  constexpr Output beyond(std::int64_t first) const {
    return {to + first, beta != 0 ? from + first : nullptr, alpha, beta};
  }
  // Of the next part of the same product: adds to what the parts before have put there.
  constexpr Output more() const { return {to, to, alpha, 1}; }
};

}  // namespace quadrille
