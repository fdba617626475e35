// The rows of a level as A itself in bf16, half the bytes of D^-1 A in fp32: of large levels that couple the
// box of neighbours, one unknown a node, in whole words. Rounding takes from the sums of rows, which are what
// smooth functions see: D makes up for it, so that they stay. What is off then is 2^-9 of each coupling times
// the difference of what it couples, as in (x, A x) where couplings are negative, as most of them are here;
// and an operator that is symmetric stays so. Internal to kernels/multigrid.
#pragma once

#include "formats/value_precision.hpp"
#include "kernels/multigrid/setup_steps.hpp"

namespace quadrille::multigrid {

template <class T, class Machine>
inline constexpr bool may_be_rounded = Machine::on_gpu&& std::is_same_v<T, float>;

// Smaller levels take as long as their launches.
inline constexpr std::int64_t fewest_rounded_rows = std::int64_t{1} << 18;
inline bool suits_rounding(const Couplings& s) {
  return s.rows >= fewest_rounded_rows && s.dof == 1 && s.count == 26 && s.whole_box && s.stored.all &&
         !s.shared && s.in_words_of(rows_together<float>);
}

// A row a call: what bounds the eigenvalues of D^-1 A, or `unfit`, where positive couplings are more than
// half of the negative ones and not what a positive sum of the row outweighs, or more than the diagonal, bf16
// has not what is there, or the diagonal is not positive; a row of zeros is fit.
struct RoundRows {
  static constexpr double unfit = 1e30;
  Couplings s;
  const double* values;  // of all rows
  Bf16* rounded;         // [coupling][row]
  float *diagonal, *inverse;

  constexpr std::int64_t size() const { return s.rows; }
  constexpr double operator()(std::int64_t row) const {
    double lost = 0, negative = 0, positive = 0;
    bool fits = true;
    with_loaded(
        s.count, [&](int d) { return values[s.diagonal[d] * s.rows + row]; },
        [&](int d, double value) {
          const Bf16 stored = rounded_to(value);
          rounded[d * s.rows + row] = stored;
          lost += static_cast<double>(stored) - value;
          (value < 0 ? negative : positive) += value < 0 ? -value : value;
          fits = fits && rounds_well<Bf16>(value);
        });
    const double own = values[s.centre * s.rows + row], d = own - lost, sum = own + positive - negative;
    diagonal[row] = static_cast<float>(d);
    inverse[row] = d == 0 ? 0 : static_cast<float>(1 / d);
    if (d == 0 && negative + positive == 0) return 1;
    fits = fits && d > 0 && positive <= own && 2 * positive <= negative + (sum > 0 ? 2 * sum : 0);
    return fits ? 1 + (negative + positive) / d : unfit;
  }

 private:
  static constexpr Bf16 rounded_to(double value) { return quadrille::rounded<Bf16>(value); }
};

}  // namespace quadrille::multigrid
