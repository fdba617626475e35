// A functor whose values are made where products are. No CUDA header is needed to include this.
#pragma once

#include <functional>

#include "assembly/stencil_operator.hpp"

namespace quadrille {

// Made by on_device(model), of assembly/device_fill.cuh, in a source file of nvcc.
template <class Model>
struct OnDevice {
  using Fill = std::function<void(const Grid&, const Stencil&, const Boundary&, const BlockStructure&,
                                  const NodeBox&, double* values)>;
  Model host;
  Fill fill;  // writes the values of a box of the grid, [diagonal][column][row of the box] in GPU memory
};

}  // namespace quadrille
