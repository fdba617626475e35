#include "assembly/formula.hpp"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <memory>

namespace quadrille {
namespace {

// Nodes of a line for which a step is done at a time: dozens of steps of so many numbers fit a cache.
constexpr std::int64_t piece = 256;

enum Dependence : unsigned { on_x = 1, on_y = 2, on_z = 4, on_t = 8 };

// [step] what it depends on.
std::vector<unsigned> dependences(const Formula& formula) {
  std::vector<unsigned> of;
  for (const FormulaStep& step : formula.steps) {
    unsigned all = step.operation == FormulaOperation::x   ? on_x
                   : step.operation == FormulaOperation::y ? on_y
                   : step.operation == FormulaOperation::z ? on_z
                   : step.operation == FormulaOperation::t ? on_t
                                                           : 0u;
    for (const std::int32_t earlier : step.of)
      if (earlier >= 0) all |= of[static_cast<std::size_t>(earlier)];
    of.push_back(all);
  }
  return of;
}

// Both sides of a choice are evaluated, and one may divide by zero: PETSc's -fp_trap would end a run.
class WithoutTraps {
 public:
  WithoutTraps() { std::feholdexcept(&before_); }
  ~WithoutTraps() { std::fesetenv(&before_); }
  WithoutTraps(const WithoutTraps&) = delete;
  WithoutTraps& operator=(const WithoutTraps&) = delete;

 private:
  std::fenv_t before_;
};

// A step at one place, of what the earlier ones gave there.
double step_at(const FormulaStep& step, const std::array<double, 3>& place_m, double t_s,
               const double* earlier) {
  switch (step.operation) {
    case FormulaOperation::number:
      return step.number;
    case FormulaOperation::x:
      return place_m[0];
    case FormulaOperation::y:
      return place_m[1];
    case FormulaOperation::z:
      return place_m[2];
    case FormulaOperation::t:
      return t_s;
    default:
      break;
  }
  const auto operand = [&](int i) { return step.of[i] < 0 ? 0.0 : earlier[step.of[i]]; };
  return applied(step.operation, operand(0), operand(1), operand(2));
}

// The steps at up to `piece` nodes of a line, of one thread.
class StepsOnLine {
 public:
  StepsOnLine(const Formula& formula, const std::vector<unsigned>& dependence, double hx, double t_s)
      : formula_(formula),
        dependence_(dependence),
        hx_(hx),
        t_s_(t_s),
        values_(std::make_unique_for_overwrite<double[]>(formula.steps.size() * piece)) {
    for (std::size_t i = 0; i < dependence_.size(); ++i)
      if ((dependence_[i] & ~on_t) == 0) same_everywhere(i, {0, 0, 0});
  }

  void go_to(std::int64_t first, std::int64_t count) {
    first_ = first;
    count_ = count;
    for (std::size_t i = 0; i < dependence_.size(); ++i)
      if ((dependence_[i] & on_x) != 0 && (dependence_[i] & (on_y | on_z)) == 0) along_x(i);
  }

  void at(double y_m, double z_m) {
    for (std::size_t i = 0; i < dependence_.size(); ++i) {
      if ((dependence_[i] & (on_y | on_z)) == 0) continue;
      if ((dependence_[i] & on_x) == 0)
        same_everywhere(i, {0, y_m, z_m});
      else
        along_x(i);
    }
  }

  const double* number(std::size_t i) const { return of_step(static_cast<std::size_t>(formula_.numbers[i])); }

 private:
  const double* of_step(std::size_t i) const { return values_.get() + i * piece; }
  double* of_step(std::size_t i) { return values_.get() + i * piece; }

  void same_everywhere(std::size_t i, const std::array<double, 3>& place_m) {
    const FormulaStep& step = formula_.steps[i];
    const auto operand = [&](int k) { return step.of[k] < 0 ? 0.0 : *of_step(step.of[k]); };
    const double value = step.operation <= FormulaOperation::t
                             ? step_at(step, place_m, t_s_, nullptr)
                             : applied(step.operation, operand(0), operand(1), operand(2));
    std::fill_n(of_step(i), piece, value);
  }

  void along_x(std::size_t i) {
    const FormulaStep& step = formula_.steps[i];
    double* const to = of_step(i);
    if (step.operation == FormulaOperation::x) {
      for (std::int64_t k = 0; k < count_; ++k) to[k] = static_cast<double>(first_ + k) * hx_;
      return;
    }
    const auto operand = [&](int k) { return of_step(static_cast<std::size_t>(std::max(step.of[k], 0))); };
    const double *const as = operand(0), *const bs = operand(1), *const cs = operand(2);
#define QUADRILLE_CASE(name, value)                                  \
  case FormulaOperation::name:                                       \
    for (std::int64_t k = 0; k < count_; ++k) {                      \
      [[maybe_unused]] const double a = as[k], b = bs[k], c = cs[k]; \
      to[k] = value;                                                 \
    }                                                                \
    break;
    switch (step.operation) {
      QUADRILLE_FORMULA_OPERATIONS(QUADRILLE_CASE)
      default:
        break;
    }
#undef QUADRILLE_CASE
  }

  const WithoutTraps without_traps_;
  const Formula& formula_;
  const std::vector<unsigned>& dependence_;
  const double hx_, t_s_;
  std::int64_t first_ = 0, count_ = 0;
  std::unique_ptr<double[]> values_;  // [step][node]
};

// Where it stands, at the end unless one is alike.
std::int32_t place_of(std::vector<FormulaStep>& steps, const FormulaStep& added) {
  const auto alike = [&](const FormulaStep& step) {
    return step.operation == added.operation && step.of == added.of &&
           std::bit_cast<std::uint64_t>(step.number) == std::bit_cast<std::uint64_t>(added.number);
  };
  const auto found = std::find_if(steps.begin(), steps.end(), alike);
  const auto place = static_cast<std::int32_t>(found - steps.begin());
  if (found == steps.end()) steps.push_back(added);
  return place;
}

}  // namespace

std::int32_t Formula::add(FormulaOperation operation, std::int32_t a, std::int32_t b, std::int32_t c) {
  return place_of(steps, {operation, {a, b, c}, 0});
}

std::int32_t Formula::add(double number) {
  return place_of(steps, {FormulaOperation::number, {-1, -1, -1}, number});
}

bool depends_on_time(const Formula& formula) {
  const std::vector<unsigned> dependence = dependences(formula);
  return std::any_of(formula.numbers.begin(), formula.numbers.end(),
                     [&](std::int32_t i) { return (dependence[static_cast<std::size_t>(i)] & on_t) != 0; });
}

Formula at_time(const Formula& formula, double t_s) {
  const WithoutTraps without_traps;
  const std::vector<unsigned> dependence = dependences(formula);
  const std::size_t count = formula.steps.size();
  std::vector<double> then(count);  // of those that depend on nothing else
  for (std::size_t i = 0; i < count; ++i)
    if ((dependence[i] & ~on_t) == 0) then[i] = step_at(formula.steps[i], {0, 0, 0}, t_s, then.data());
  std::vector<char> needed(count, 0);
  for (const std::int32_t i : formula.numbers) needed[static_cast<std::size_t>(i)] = 1;
  for (std::size_t i = count; i-- > 0;)
    if (needed[i] && (dependence[i] & ~on_t) != 0)
      for (const std::int32_t earlier : formula.steps[i].of)
        if (earlier >= 0) needed[static_cast<std::size_t>(earlier)] = 1;
  Formula result;
  std::vector<std::int32_t> place(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    if (!needed[i]) continue;
    FormulaStep step = formula.steps[i];
    for (std::int32_t& earlier : step.of)
      if (earlier >= 0) earlier = place[static_cast<std::size_t>(earlier)];
    place[i] = (dependence[i] & ~on_t) == 0 ? result.add(then[i])
                                            : place_of(result.steps, {step.operation, step.of, 0});
  }
  for (const std::int32_t i : formula.numbers) result.numbers.push_back(place[static_cast<std::size_t>(i)]);
  return result;
}

double value_at(const Formula& formula, const std::array<double, 3>& place_m, double t_s) {
  const WithoutTraps without_traps;
  static thread_local std::vector<double> values;
  values.clear();
  for (const FormulaStep& step : formula.steps) values.push_back(step_at(step, place_m, t_s, values.data()));
  return values[static_cast<std::size_t>(formula.numbers.front())];
}

Formula with_x_for(const Formula& formula, int axis) {
  constexpr FormulaOperation names[] = {FormulaOperation::x, FormulaOperation::y, FormulaOperation::z};
  Formula result = formula;
  for (FormulaStep& step : result.steps)
    if (step.operation == names[0])
      step.operation = names[axis];
    else if (step.operation == names[axis])
      step.operation = names[0];
  return result;
}

void evaluate_line(const Formula& formula, const std::array<double, 3>& spacing_m, const NodePosition& first,
                   std::int64_t count, double t_s, std::int64_t stride, double* values) {
  const std::vector<unsigned> dependence = dependences(formula);
  StepsOnLine steps(formula, dependence, spacing_m[0], t_s);
  for (std::int64_t begin = 0; begin < count; begin += piece) {
    const std::int64_t there = std::min(piece, count - begin);
    steps.go_to(first[0] + begin, there);
    steps.at(static_cast<double>(first[1]) * spacing_m[1], static_cast<double>(first[2]) * spacing_m[2]);
    for (std::int64_t k = 0; k < there; ++k) values[(begin + k) * stride] = steps.number(0)[k];
  }
}

void evaluate(const Formula& formula, const Grid& grid, const NodeBox& box, int unknowns, double t_s,
              std::span<double> values) {
  const std::vector<unsigned> dependence = dependences(formula);
  const auto& h = grid.spacing_m;
  const std::int64_t length = box.size[0], lines = box.lines(), pieces = (length + piece - 1) / piece;
#pragma omp parallel
  {
    StepsOnLine steps(formula, dependence, h[0], t_s);
    std::int64_t last = -1;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < pieces * lines; ++i) {
      const std::int64_t line = i % lines, begin = i / lines * piece, count = std::min(piece, length - begin);
      const NodePosition first = box.first_of_line(line);
      if (i / lines != last) steps.go_to(first[0] + begin, count);
      last = i / lines;
      steps.at(static_cast<double>(first[1]) * h[1], static_cast<double>(first[2]) * h[2]);
      double* const to = values.data() + (line * length + begin) * unknowns;
      for (int r = 0; r < unknowns; ++r) {
        const double* const number =
            steps.number(formula.numbers.size() == 1 ? 0 : static_cast<std::size_t>(r));
        for (std::int64_t k = 0; k < count; ++k) to[k * unknowns + r] = number[k];
      }
    }
  }
}

}  // namespace quadrille
