// The library as a program uses it: #include <quadrille/quadrille.hpp>. docs/library.md begins with a
// program.
#pragma once

#include <petscksp.h>

#include "grid/face_conditions.hpp"
#include "grid/grid.hpp"
#include "grid/stencil.hpp"
#include "quadrille/field_reader.hpp"
#include "quadrille/field_writer.hpp"
#include "quadrille/grid_operator.hpp"
#include "quadrille/grid_residual.hpp"
#include "quadrille/session.hpp"
#include "quadrille/solver.hpp"
#include "quadrille/time_solver.hpp"
#include "quadrille/vector.hpp"
