// A right side in GPU memory, [row] of a whole grid. No CUDA header is needed to include this; in a build
// without CUDA every call throws CudaError.
#pragma once

#include <vector>

#include "formats/array.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"

namespace quadrille {

// Throws MemoryError and CudaError, as what follows.
Array<double, Device> zeros_on_device(std::int64_t size);

// Adds to the rows of a box of the grid's nodes, `values` being [row of the box].
void add_to_box(const Grid& grid, const NodeBox& box, const std::vector<double>& values,
                Array<double, Device>& rhs);

// Adds add_usual_source() of assembly/pde/problem.hpp: `field`, [node], in every unknown or, where it is null,
// 1, and with `two_signs` -1 in the upper half of the grid along x.
void add_usual_source(const Grid& grid, const Array<double>* field, bool two_signs,
                      Array<double, Device>& rhs);

}  // namespace quadrille
