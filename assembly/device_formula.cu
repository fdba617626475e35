#include "assembly/device_formula.hpp"

#include <algorithm>
#include <optional>

#include "assembly/device_check.cuh"
#include "formats/array.hpp"

namespace quadrille {
namespace {

constexpr int most_steps = 128, most_slots = 32;

// A step that reads slots of a thread and writes one.
struct SlotStep {
  double number = 0;
  FormulaOperation operation = FormulaOperation::number;
  std::uint8_t to = 0, of[3] = {0, 0, 0};
};

struct SlotSteps {
  SlotStep step[most_steps];
  int count = 0;
  std::uint8_t result = 0;
};

// Slots are used again once the last step that reads them is done. Nothing where there are too few.
std::optional<SlotSteps> in_slots(const Formula& formula) {
  const std::size_t count = formula.steps.size();
  if (count > most_steps) return std::nullopt;
  std::vector<std::size_t> last(count, 0);  // [step] the last one that reads it
  for (std::size_t i = 0; i < count; ++i)
    for (const std::int32_t earlier : formula.steps[i].of)
      if (earlier >= 0) last[static_cast<std::size_t>(earlier)] = i;
  last[static_cast<std::size_t>(formula.numbers.front())] = count;
  SlotSteps result;
  std::vector<std::uint8_t> slot(count, 0), free;
  for (int i = most_slots; i-- > 0;) free.push_back(static_cast<std::uint8_t>(i));
  for (std::size_t i = 0; i < count; ++i) {
    const FormulaStep& step = formula.steps[i];
    SlotStep& there = result.step[result.count++];
    there.operation = step.operation;
    there.number = step.number;
    for (int k = 0; k < 3; ++k) there.of[k] = step.of[k] < 0 ? 0 : slot[static_cast<std::size_t>(step.of[k])];
    for (int k = 0; k < 3; ++k) {
      const bool twice = std::find(step.of.begin(), step.of.begin() + k, step.of[k]) != step.of.begin() + k;
      if (step.of[k] >= 0 && !twice && last[static_cast<std::size_t>(step.of[k])] == i)
        free.push_back(slot[static_cast<std::size_t>(step.of[k])]);
    }
    if (free.empty()) return std::nullopt;
    there.to = slot[i] = free.back();
    free.pop_back();
  }
  result.result = slot[static_cast<std::size_t>(formula.numbers.front())];
  return result;
}

struct Places {
  NodeBox box;
  double h[3];
};

// One number, for `copies` unknowns from the first one on.
__global__ void run_steps(const __grid_constant__ SlotSteps steps, const __grid_constant__ Places places,
                          int unknowns, int copies, double* __restrict__ values, double* not_finite) {
  const std::int64_t node = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (node >= places.box.nodes()) return;
  const NodePosition first = places.box.first_of_line(node / places.box.size[0]);
  const double at[3] = {static_cast<double>(first[0] + node % places.box.size[0]) * places.h[0],
                        static_cast<double>(first[1]) * places.h[1],
                        static_cast<double>(first[2]) * places.h[2]};
  double slot[most_slots];
  for (int i = 0; i < steps.count; ++i) {
    const SlotStep& step = steps.step[i];
    double value;
    switch (step.operation) {
      case FormulaOperation::number:
        value = step.number;
        break;
      case FormulaOperation::x:
        value = at[0];
        break;
      case FormulaOperation::y:
        value = at[1];
        break;
      case FormulaOperation::z:
        value = at[2];
        break;
      default:
        value = applied(step.operation, slot[step.of[0]], slot[step.of[1]], slot[step.of[2]]);
    }
    slot[step.to] = value;
  }
  const double value = slot[steps.result];
  if (!isfinite(value)) *not_finite = value;
  for (int r = 0; r < copies; ++r) values[node * unknowns + r] = value;
}

// The formula of one of its numbers, with the steps that this one needs.
Formula of_one(const Formula& formula, std::size_t number, double t_s) {
  Formula one{formula.steps, {formula.numbers[number]}};
  return at_time(one, t_s);
}

}  // namespace

bool fits_device(const Formula& formula, double t_s) {
  for (std::size_t i = 0; i < formula.numbers.size(); ++i)
    if (!in_slots(of_one(formula, i, t_s))) return false;
  return true;
}

double evaluate_on_device(const Formula& formula, const Grid& grid, const NodeBox& box, int unknowns,
                          double t_s, double* values) {
  constexpr unsigned threads = 256;
  const Places places{box, {grid.spacing_m[0], grid.spacing_m[1], grid.spacing_m[2]}};
  const auto blocks = static_cast<unsigned>((box.nodes() + threads - 1) / threads);
  Array<double, Device> not_finite(1);
  device_check(cudaMemsetAsync(not_finite.data(), 0, not_finite.bytes()), "clearing a number");
  const std::size_t numbers = formula.numbers.size();
  for (std::size_t i = 0; i < numbers && blocks > 0; ++i) {
    const std::optional<SlotSteps> steps = in_slots(of_one(formula, i, t_s));
    if (!steps) throw CudaError("the formula has too many steps for the GPU");
    run_steps<<<blocks, threads>>>(*steps, places, unknowns, numbers == 1 ? unknowns : 1, values + i,
                                   not_finite.data());
    device_check(cudaGetLastError(), "the kernel of a formula");
  }
  double found = 0;
  memory::copy_to_host(&found, not_finite.data(), sizeof found);
  return found;
}

}  // namespace quadrille
