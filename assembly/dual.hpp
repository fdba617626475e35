// A number and its derivative in one direction: forward automatic differentiation. A function that is written
// for any scalar gives, of Duals, its derivative to rounding. Source: Griewank and Walther, Evaluating
// Derivatives, 2008, chapter 3.
//
//   template <class S> S f(S x) { using std::exp; return x * exp(x); }
//   f(Dual{2, 1}).slope   // f'(2)
//
// Comparisons are those of the values.
#pragma once

#include <cmath>
#include <compare>

// Of functions that are no constexpr and run on the GPU too.
#if defined(__CUDACC__)
#define QUADRILLE_EVERYWHERE __host__ __device__
#else
#define QUADRILLE_EVERYWHERE
#endif

namespace quadrille {

struct Dual {
  double value = 0, slope = 0;

  constexpr Dual() = default;
  constexpr Dual(double number) : value(number) {}  // NOLINT: constants take part in sums and products
  constexpr Dual(double number, double derivative) : value(number), slope(derivative) {}

  constexpr Dual& operator+=(const Dual& b) { return *this = {value + b.value, slope + b.slope}; }
  constexpr Dual& operator-=(const Dual& b) { return *this = {value - b.value, slope - b.slope}; }
  constexpr Dual& operator*=(const Dual& b) {
    return *this = {value * b.value, slope * b.value + value * b.slope};
  }
  constexpr Dual& operator/=(const Dual& b) {
    const double quotient = value / b.value;
    return *this = {quotient, (slope - quotient * b.slope) / b.value};
  }
  friend constexpr Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend constexpr Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend constexpr Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend constexpr Dual operator/(Dual a, const Dual& b) { return a /= b; }
  // With a constant: nothing is multiplied by its slope, which is none.
  friend constexpr Dual operator+(const Dual& a, double b) { return {a.value + b, a.slope}; }
  friend constexpr Dual operator+(double a, const Dual& b) { return {a + b.value, b.slope}; }
  friend constexpr Dual operator-(const Dual& a, double b) { return {a.value - b, a.slope}; }
  friend constexpr Dual operator-(double a, const Dual& b) { return {a - b.value, -b.slope}; }
  friend constexpr Dual operator*(const Dual& a, double b) { return {a.value * b, a.slope * b}; }
  friend constexpr Dual operator*(double a, const Dual& b) { return {a * b.value, a * b.slope}; }
  friend constexpr Dual operator/(const Dual& a, double b) { return {a.value / b, a.slope / b}; }
  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }
};

QUADRILLE_EVERYWHERE inline Dual exp(const Dual& a) {
  const double e = std::exp(a.value);
  return {e, e * a.slope};
}
QUADRILLE_EVERYWHERE inline Dual log(const Dual& a) {
  return {std::log(a.value), a.slope / a.value};
}
QUADRILLE_EVERYWHERE inline Dual sqrt(const Dual& a) {
  const double root = std::sqrt(a.value);
  return {root, a.slope / (2 * root)};
}
QUADRILLE_EVERYWHERE inline Dual sin(const Dual& a) {
  return {std::sin(a.value), std::cos(a.value) * a.slope};
}
QUADRILLE_EVERYWHERE inline Dual cos(const Dual& a) {
  return {std::cos(a.value), -std::sin(a.value) * a.slope};
}
QUADRILLE_EVERYWHERE inline Dual tanh(const Dual& a) {
  const double t = std::tanh(a.value);
  return {t, (1 - t * t) * a.slope};
}
QUADRILLE_EVERYWHERE inline Dual abs(const Dual& a) {
  return a.value < 0 ? -a : a;
}
// Of a constant exponent.
QUADRILLE_EVERYWHERE inline Dual pow(const Dual& a, double exponent) {
  return {std::pow(a.value, exponent), exponent * std::pow(a.value, exponent - 1) * a.slope};
}

}  // namespace quadrille
