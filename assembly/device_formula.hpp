// A formula at the nodes of a box, in GPU memory. No CUDA header is needed to include this.
#pragma once

#include "assembly/formula.hpp"

namespace quadrille {

// Whether evaluate_on_device() takes it at that time: up to 128 steps, of which 32 are waited for at once.
// They are fewer when what depends on t alone is as large as another number.
bool fits_device(const Formula& formula, double t_s);

// What evaluate() writes, into memory of the current device; functions like exp() have CUDA's bits. Waits for
// it, and returns a number that is not finite, if there is one, else 0. Throws CudaError, also in a build
// without CUDA.
double evaluate_on_device(const Formula& formula, const Grid& grid, const NodeBox& box, int unknowns,
                          double t_s, double* values);

}  // namespace quadrille
