// Whether a residual is linear, symmetric and uniform where its functor says so.
#pragma once

#include "assembly/residual.hpp"

namespace quadrille {

// Of what it says, what its Jacobian breaks: seen in parts of the box, with random numbers for u and u_t, on
// the host. `faces` are in host memory.
struct BrokenPromises {
  bool linear = false, symmetric = false, uniform = false;
};
BrokenPromises broken_promises(const AnyResidual& residual, const Grid& grid, const ResidualFaces& faces,
                               const NodeBox& box, const JacobianShape& shape, double t_s, double shift);

}  // namespace quadrille
