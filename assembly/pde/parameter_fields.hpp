// Parameters of a PDE that differ from node to node. A PDE that takes such has a functor for them beside the
// one for numbers, and reads all of these parameters from fields then, those that are numbers, too:
//
//   const auto fields = parameter_fields(grid, box, input, std::array{velocity, diffusivity});
//   functor.v_m_s = fields->on_host()[0];       // [place in the window around the box]
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assembly/node_window.hpp"
#include "assembly/pde/problem.hpp"
#include "assembly/pde/residual_of.hpp"

namespace quadrille {
namespace {

template <std::size_t count>
class ParameterFields {
 public:
  ParameterFields(std::vector<double> values, std::int64_t nodes)
      : values_(std::move(values)), nodes_(nodes) {}

  std::array<const double*, count> on_host() const { return from(values_.on_host()); }
  std::array<const double*, count> on_device() { return from(values_.on_device()); }
  // [place in the window]
  std::span<const double> field(std::size_t parameter) const {
    return {on_host()[parameter], static_cast<std::size_t>(nodes_)};
  }
  double least(std::size_t parameter) const {
    const std::span<const double> values = field(parameter);
    return *std::min_element(values.begin(), values.end());
  }

 private:
  std::array<const double*, count> from(const double* first) const {
    std::array<const double*, count> fields{};
    for (std::size_t i = 0; i < count; ++i) fields[i] = first + static_cast<std::int64_t>(i) * nodes_;
    return fields;
  }

  NumbersOnBoth values_;  // [parameter][place in the window]
  std::int64_t nodes_;
};

// Null where all of them are numbers, unless fields are wanted `anyway`.
template <std::size_t count>
std::shared_ptr<ParameterFields<count>> parameter_fields(const Grid& grid, const NodeBox& box,
                                                         const PdeInput& input,
                                                         const std::array<PdeParameter, count>& parameters,
                                                         bool anyway = false) {
  if (!anyway && std::none_of(parameters.begin(), parameters.end(), [&](const PdeParameter& parameter) {
        return input.field_of(parameter) != nullptr;
      }))
    return nullptr;
  const NodeWindow window = window_around(grid, box);
  std::vector<double> values(count * static_cast<std::size_t>(window.nodes()));
  for (std::size_t i = 0; i < count; ++i) {
    double* const to = values.data() + static_cast<std::int64_t>(i) * window.nodes();
    if (const Array<double>* const field = input.field_of(parameters[i]); field != nullptr)
      copy_window(*field, grid, window, to);
    else
      std::fill_n(to, window.nodes(), input.value_of(parameters[i]));
  }
  return std::make_shared<ParameterFields<count>>(std::move(values), window.nodes());
}

// A functor of such fields, where `set` puts them: set(functor, std::array of pointers).
template <class Residual, std::size_t count, class Set>
AnyResidual residual_of_fields(const Residual& residual, int dof,
                               const std::shared_ptr<ParameterFields<count>>& fields, const Set& set) {
  Residual on_host = residual;
  set(on_host, fields->on_host(), false);
  return residual_of(on_host, dof, std::function([fields, residual, set] {
                       Residual there = residual;
                       set(there, fields->on_device(), true);
                       return there;
                     }));
}

}  // namespace
}  // namespace quadrille
