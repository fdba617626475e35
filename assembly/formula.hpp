// Numbers at the nodes of a grid by a formula in x, y, z (m) and t (s), on the host and on the GPU.
//
//   exp(sin(0.5*x)*y) + t:   0  x                        a step is an operation on what earlier steps gave;
//                            1  number 0.5               steps that are alike are one
//                            2  multiply  0 1
//                            3  sine      2
//                            4  y
//                            5  multiply  3 4
//                            6  exponential  5
//                            7  t
//                            8  add  6 7            <--  numbers = {8}
//
// On the host a step that does not depend on x is done once a line of nodes, and one of x alone once for all
// lines; the others run over a line at a time. The bits are those of doing each step at each node.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "assembly/dual.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// X(name, its value by a, b and c).
#define QUADRILLE_FORMULA_OPERATIONS(X)              \
  X(add, a + b)                                      \
  X(subtract, a - b)                                 \
  X(multiply, a* b)                                  \
  X(divide, a / b)                                   \
  X(power, std::pow(a, b))                           \
  X(negate, -a)                                      \
  X(less, a < b ? 1.0 : 0.0)                         \
  X(less_or_equal, a <= b ? 1.0 : 0.0)               \
  X(greater, a > b ? 1.0 : 0.0)                      \
  X(greater_or_equal, a >= b ? 1.0 : 0.0)            \
  X(equal, a == b ? 1.0 : 0.0)                       \
  X(unequal, a != b ? 1.0 : 0.0)                     \
  X(both, a != 0 && b != 0 ? 1.0 : 0.0)              \
  X(either, a != 0 || b != 0 ? 1.0 : 0.0)            \
  X(choose, a != 0 ? b : c)                          \
  X(smaller, b < a ? b : a)                          \
  X(larger, a < b ? b : a)                           \
  X(absolute, a >= 0 ? a : -a)                       \
  X(sign, a<0 ? -1.0 : a> 0 ? 1.0 : 0.0)             \
  X(nearest, std::floor(a + 0.5))                    \
  X(square_root, std::sqrt(a))                       \
  X(exponential, std::exp(a))                        \
  X(logarithm, std::log(a))                          \
  X(logarithm_2, std::log(a) / std::log(2.0))        \
  X(logarithm_10, std::log10(a))                     \
  X(sine, std::sin(a))                               \
  X(cosine, std::cos(a))                             \
  X(tangent, std::tan(a))                            \
  X(arc_sine, std::asin(a))                          \
  X(arc_cosine, std::acos(a))                        \
  X(arc_tangent, std::atan(a))                       \
  X(arc_tangent_of_two, std::atan2(a, b))            \
  X(hyperbolic_sine, std::sinh(a))                   \
  X(hyperbolic_cosine, std::cosh(a))                 \
  X(hyperbolic_tangent, std::tanh(a))                \
  X(area_sine, std::log(a + std::sqrt(a * a + 1)))   \
  X(area_cosine, std::log(a + std::sqrt(a * a - 1))) \
  X(area_tangent, 0.5 * std::log((1 + a) / (1 - a)))

#define QUADRILLE_NAME(name, value) name,
enum class FormulaOperation : std::uint8_t {
  number,
  x,
  y,
  z,
  t,
  QUADRILLE_FORMULA_OPERATIONS(QUADRILLE_NAME)
};
#undef QUADRILLE_NAME

struct FormulaStep {
  FormulaOperation operation = FormulaOperation::number;
  std::array<std::int32_t, 3> of{-1, -1, -1};  // earlier steps: a, b and c; -1 where there is none
  double number = 0;
};

struct Formula {
  std::vector<FormulaStep> steps;
  std::vector<std::int32_t> numbers;  // [number] which step gives it

  // The step, which is an earlier one where one is alike.
  std::int32_t add(FormulaOperation operation, std::int32_t a = -1, std::int32_t b = -1, std::int32_t c = -1);
  std::int32_t add(double number);
};

bool depends_on_time(const Formula& formula);

// The same at t: what depends on t alone is a number, and steps that nothing needs are gone.
Formula at_time(const Formula& formula, double t_s);

// The first of its numbers at a place. May be called by several threads at once.
double value_at(const Formula& formula, const std::array<double, 3>& place_m, double t_s);

// The same with x and the axis of that number in each other's place: along it as quick as along x.
Formula with_x_for(const Formula& formula, int axis);

// The first of its numbers for `count` nodes along x, each `stride` behind the one before: as evaluate(), on
// one thread, for positions that may be beyond the grid.
void evaluate_line(const Formula& formula, const std::array<double, 3>& spacing_m, const NodePosition& first,
                   std::int64_t count, double t_s, std::int64_t stride, double* values);

// [node of the box][unknown] at x, y, z in m from the node at position 0, and at t; a single number is that
// of all unknowns, else there is one for each of them. Parallel.
void evaluate(const Formula& formula, const Grid& grid, const NodeBox& box, int unknowns, double t_s,
              std::span<double> values);

// The operation on numbers; of x, y, z, t and a number itself 0.
QUADRILLE_EVERYWHERE inline double applied(FormulaOperation operation, double a, double b, double c) {
#define QUADRILLE_CASE(name, value) \
  case FormulaOperation::name:      \
    return value;
  switch (operation) {
    QUADRILLE_FORMULA_OPERATIONS(QUADRILLE_CASE)
    default:
      return 0;
  }
#undef QUADRILLE_CASE
}

}  // namespace quadrille
