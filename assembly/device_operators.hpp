// The operators that `--operator` names, assembled in GPU memory with the bits of the host's. No CUDA header
// is needed to include this; in a build without CUDA every call throws CudaError.
#pragma once

#include <cstdint>
#include <string>

#include "assembly/pde/diffusion.hpp"
#include "assembly/pde/elasticity.hpp"
#include "assembly/pde/laplacian.hpp"
#include "assembly/pde/laplacian_order4.hpp"
#include "assembly/pde/tensor_diffusion.hpp"
#include "assembly/stencil_operator.hpp"
#include "formats/dia.hpp"

namespace quadrille {

// The hub and DIA of assemble_operator() (operators.hpp), on the current device. Throw what it throws,
// MemoryError with needed and free bytes before they allocate, and CudaError.
template <class T>
BlockDiagonals<T, Device> assemble_operator_on_device(const std::string& name, const Grid& grid,
                                                      const Stencil& stencil, const Boundary& boundary,
                                                      std::uint64_t seed);
template <class T>
Dia<T, Device> assemble_dia_operator_on_device(const std::string& name, const Grid& grid,
                                               const Stencil& stencil, const Boundary& boundary,
                                               std::uint64_t seed);

// The functors that are compiled for the GPU.
#define QUADRILLE_DEVICE_FUNCTORS(X) \
  X(Laplacian)                       \
  X(LaplacianOfOrder4)               \
  X(Diffusion) X(TensorDiffusion) X(Elasticity) X(ElasticForcesThroughFields) X(ElasticForcesWithFreeFaces)

// The values of block_structure() with these coefficients for a box of the grid, [diagonal][column][row of
// the box]: bit by bit those of assemble_box(). Fields that a functor points to are in host memory.
#define QUADRILLE_DECLARE(Functor)                                                                           \
  Array<double, Device> values_on_device(const Grid& grid, const Stencil& stencil, const Boundary& boundary, \
                                         const Functor& coefficient, const NodeBox& box);
QUADRILLE_DEVICE_FUNCTORS(QUADRILLE_DECLARE)
#undef QUADRILLE_DECLARE

// How many of its values are not exactly zero, without storing any: what CSR would hold.
template <class T>
std::int64_t count_non_zeros_on_device(const std::string& name, const Grid& grid, const Stencil& stencil,
                                       const Boundary& boundary, std::uint64_t seed);

}  // namespace quadrille
