// A residual and its Jacobian evaluated in GPU memory, from the functor that the host takes (residual.hpp),
// for source files of nvcc with --expt-relaxed-constexpr; with -fmad=false numbers have the host's bits where
// no function like exp() is asked for.
//
// A thread makes one row. Rows of inner nodes, which are nearly all, have a kernel of their own that looks at
// no face; it differentiates by the neighbours one after the other, each known to the compiler. All is queued in
// the default stream.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <string>

#include "assembly/residual.hpp"

namespace quadrille {

namespace device_residual_detail {

constexpr int threads_per_block = 256;

// The nodes of a box that are not inner: the slabs around it.
struct Shell {
  std::array<NodeBox, 6> box{};
};

inline Shell shell_of(const NodeBox& box, const NodeBox& inner) {
  Shell shell;
  for (NodeBox& none : shell.box) none.size = {0, 0, 0};
  if (inner.nodes() == 0) {
    shell.box[0] = box;
    return shell;
  }
  NodeBox rest = box;  // what the slabs so far leave
  for (int axis = 2; axis >= 0; --axis) {
    NodeBox &low = shell.box[2 * axis], &high = shell.box[2 * axis + 1];
    low = high = rest;
    low.size[axis] = inner.first[axis] - rest.first[axis];
    high.first[axis] = inner.first[axis] + inner.size[axis];
    high.size[axis] = rest.first[axis] + rest.size[axis] - high.first[axis];
    rest.first[axis] = inner.first[axis];
    rest.size[axis] = inner.size[axis];
  }
  return shell;
}

// row(position, r) for the rows of a box, lines of rows along threadIdx.x.
template <class Row>
__device__ void for_rows_of(const NodeBox& box, int dof, const Row& row) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x,
                 of_line = static_cast<unsigned>(box.size[0] * dof);
  if (i >= of_line) return;
  const unsigned x = i / static_cast<unsigned>(dof);
  const int r = static_cast<int>(i - x * static_cast<unsigned>(dof));
  for (std::int64_t z = blockIdx.z; z < box.size[2]; z += gridDim.z)
    for (std::int64_t y = blockIdx.y * blockDim.y + threadIdx.y; y < box.size[1]; y += gridDim.y * blockDim.y)
      row(Position{box.first[0] + x, box.first[1] + y, box.first[2] + z}, r);
}

// The same for the slabs, one for each blockIdx.y.
template <class Row>
__device__ void for_rows_of(const Shell& shell, int dof, const Row& row) {
  const NodeBox& box = shell.box[blockIdx.y];
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x, rows = box.nodes() * dof;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows;
       i += step) {
    const std::int64_t node = i / dof, line = node / box.size[0];
    row(Position{box.first[0] + node % box.size[0], box.first[1] + line % box.size[1],
                 box.first[2] + line / box.size[1]},
        static_cast<int>(i % dof));
  }
}

template <class Residual>
__global__ void __launch_bounds__(threads_per_block)
    inner_residual(const __grid_constant__ ResidualState state, const __grid_constant__ NodeBox inner,
                   const __grid_constant__ Residual residual, double* __restrict__ f) {
  for_rows_of(inner, state.grid.dof, [&](const Position& at, int r) {
    f[state.own(at) * state.grid.dof + r] = residual(InnerNode<double, NoSeed>(state, at), r);
  });
}

template <class Residual>
__global__ void __launch_bounds__(threads_per_block)
    shell_residual(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                   const __grid_constant__ Residual residual, double* __restrict__ f) {
  for_rows_of(shell, state.grid.dof, [&](const Position& at, int r) {
    f[state.own(at) * state.grid.dof + r] = residual(ResidualNode<double, Residual>(state, residual, at), r);
  });
}

template <bool all, class Residual>
__global__ void __launch_bounds__(threads_per_block)
    inner_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ NodeBox inner,
                   const __grid_constant__ Residual residual, double shift,
                   const __grid_constant__ JacobianShape shape, unsigned* misfit,
                   double* __restrict__ values) {
  const std::int64_t rows = state.box.nodes() * state.grid.dof;
  for_rows_of(inner, state.grid.dof, [&](const Position& at, int r) {
    double* const row = values + state.own(at) * state.grid.dof + r;
    const unsigned found = residual_detail::inner_row(state, residual, at, r, shift, shape, all, row, rows);
    if (all && found != 0) atomicOr(misfit, found);
  });
}

template <class Residual>
__global__ void __launch_bounds__(threads_per_block)
    shell_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                   const __grid_constant__ Residual residual, double shift,
                   const __grid_constant__ JacobianShape shape, unsigned* misfit,
                   double* __restrict__ values) {
  const std::int64_t rows = state.box.nodes() * state.grid.dof;
  for_rows_of(shell, state.grid.dof, [&](const Position& at, int r) {
    double* const row = values + state.own(at) * state.grid.dof + r;
    const unsigned found = residual_detail::any_row(state, residual, at, r, shift, shape, row, rows);
    if (misfit != nullptr && found != 0) atomicOr(misfit, found);
  });
}

struct Launch {
  dim3 blocks, threads;
};

inline Launch launch_of(const NodeBox& box, int dof) {
  Launch launch;
  unsigned lines = 1;
  while (lines < 4 && lines < box.size[1]) lines *= 2;
  launch.threads = dim3(threads_per_block / lines, lines);
  const std::int64_t x = (box.size[0] * dof + launch.threads.x - 1) / launch.threads.x;
  launch.blocks =
      dim3(static_cast<unsigned>(to_index32(x, "blocks of threads")),
           static_cast<unsigned>(std::min<std::int64_t>((box.size[1] + lines - 1) / lines, 65535)),
           static_cast<unsigned>(std::min<std::int64_t>(box.size[2], 65535)));
  return launch;
}

inline Launch launch_of(const Shell& shell, int dof) {
  std::int64_t most = 1;
  for (const NodeBox& box : shell.box) most = std::max(most, box.nodes() * dof);
  const std::int64_t blocks = (most + threads_per_block - 1) / threads_per_block;
  return {dim3(static_cast<unsigned>(std::min<std::int64_t>(blocks, 1 << 20)), 6), dim3(threads_per_block)};
}

inline void check_launch(const char* what) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess)
    throw CudaError(std::string("the kernel of ") + what + ": " + cudaGetErrorString(status));
}

template <class Residual>
void evaluate(const ResidualState& state, const Residual& residual, double* f) {
  const NodeBox inner = state.inner();
  const Shell shell = shell_of(state.box, inner);
  const Launch on_shell = launch_of(shell, state.grid.dof);
  if (inner.nodes() > 0) {
    const Launch launch = launch_of(inner, state.grid.dof);
    inner_residual<<<launch.blocks, launch.threads>>>(state, inner, residual, f);
  }
  shell_residual<<<on_shell.blocks, on_shell.threads>>>(state, shell, residual, f);
  check_launch("the residual");
}

template <class Residual>
void differentiate(const ResidualState& state, const Residual& residual, double shift,
                   const JacobianShape& shape, unsigned* misfit, double* values) {
  const NodeBox inner = state.inner();
  const Shell shell = shell_of(state.box, inner);
  const Launch on_shell = launch_of(shell, state.grid.dof);
  if (inner.nodes() > 0) {
    const Launch launch = launch_of(inner, state.grid.dof);
    if (misfit != nullptr)
      inner_jacobian<true>
          <<<launch.blocks, launch.threads>>>(state, inner, residual, shift, shape, misfit, values);
    else
      inner_jacobian<false>
          <<<launch.blocks, launch.threads>>>(state, inner, residual, shift, shape, misfit, values);
  }
  shell_jacobian<<<on_shell.blocks, on_shell.threads>>>(state, shell, residual, shift, shape, misfit, values);
  check_launch("the Jacobian");
}

}  // namespace device_residual_detail

// As any_residual(), for both memories. A functor that points to fields has one in GPU memory as well, which
// `on_device` gives when it is first asked; what that points to stays the caller's.
template <class Residual>
AnyResidual device_residual(const Residual& residual, int dof, std::function<Residual()> on_device = {}) {
  AnyResidual any = any_residual(residual, dof);
  const auto there = [residual, on_device] { return on_device ? on_device() : residual; };
  any.evaluate_on_device = [there](const ResidualState& at, double* f) {
    device_residual_detail::evaluate(at, there(), f);
  };
  any.differentiate_on_device = [there](const ResidualState& at, double shift, const JacobianShape& shape,
                                        unsigned* misfit, double* values) {
    device_residual_detail::differentiate(at, there(), shift, shape, misfit, values);
  };
  return any;
}

}  // namespace quadrille
