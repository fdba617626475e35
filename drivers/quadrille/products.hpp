// Grids, assembly, formats and their products, without PETSc: #include <quadrille/products.hpp>.
#pragma once

#include "assembly/operators.hpp"
#include "assembly/stencil_operator.hpp"
#include "formats/all.hpp"
#include "grid/axis_interpolation.hpp"
#include "grid/boundary.hpp"
#include "grid/error.hpp"
#include "grid/face_conditions.hpp"
#include "grid/grid.hpp"
#include "grid/partition.hpp"
#include "grid/stencil.hpp"
#include "kernels/grid_transfer.hpp"
#include "kernels/make_operator.hpp"
#include "kernels/queue.hpp"
#include "kernels/registry.hpp"
#include "kernels/spmv_operator.hpp"
