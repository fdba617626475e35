// Every product there is: those of registry() and, as peers, PETSc's own.
#pragma once

#include <vector>

#include "kernels/registry.hpp"

namespace quadrille::petsc {

// In the order of the tables: CPU formats, CUDA formats, PETSc's products, the other peers.
const std::vector<FormatEntry>& all_products();

}  // namespace quadrille::petsc
