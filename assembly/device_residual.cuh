// A residual and its Jacobian evaluated in GPU memory, from the functor that the host takes (residual.hpp),
// for source files of nvcc with --expt-relaxed-constexpr; with -fmad=false numbers have the host's bits where
// no function like exp() is asked for.
//
// A thread makes one row. Rows of inner nodes, which are nearly all, have a kernel of their own that looks at
// no face; it differentiates by the neighbours one after the other, those of a star each known to the
// compiler. All is queued in the default stream.
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

// The inner nodes as threads go through them: the rows of a line along threadIdx.x, and `march` lines one
// after the other.
struct Inner {
  Position first;
  int of_line, lines, planes, march;
  std::int64_t own, own_line, own_plane;        // of the first node, and steps
  std::int64_t place, place_line, place_plane;  // the same in the window
};

inline Inner inner_of(const ResidualState& state, const NodeBox& box) {
  const Position first{box.first[0], box.first[1], box.first[2]};
  const auto &own = state.box.size, &window = state.window.box.size;
  Inner inner{.first = first,
              .of_line = to_index32(box.size[0] * state.grid.dof, "rows of a line"),
              .lines = to_index32(box.size[1], "lines"),
              .planes = to_index32(box.size[2], "planes"),
              .march = 1,
              .own = state.own(first),
              .own_line = own[0],
              .own_plane = own[0] * own[1],
              .place = state.window.place(first),
              .place_line = window[0],
              .place_plane = window[0] * window[1]};
  constexpr std::int64_t enough = 1 << 19;  // threads keep a large GPU busy
  while (inner.march < 16 && box.nodes() * state.grid.dof >= 2 * inner.march * enough) inner.march *= 2;
  return inner;
}

// row(node, r) for the rows of inner nodes.
template <class Row>
__device__ void for_inner_rows(const Inner& inner, int dof, const Row& row) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= static_cast<unsigned>(inner.of_line)) return;
  const unsigned x = dof == 1 ? i : i / static_cast<unsigned>(dof);
  const int r = static_cast<int>(i - x * static_cast<unsigned>(dof));
  const int first = (blockIdx.y * blockDim.y + threadIdx.y) * inner.march,
            step = gridDim.y * blockDim.y * inner.march;
  for (int z = blockIdx.z; z < inner.planes; z += gridDim.z)
    for (int y = first; y < inner.lines; y += step) {
      residual_detail::InnerPlace node{{inner.first.x + x, inner.first.y + y, inner.first.z + z},
                                       inner.own + x + y * inner.own_line + z * inner.own_plane,
                                       inner.place + x + y * inner.place_line + z * inner.place_plane};
      for (int left = min(inner.march, inner.lines - y); left > 0; --left) {
        row(node, r);
        ++node.at.y;
        node.own += inner.own_line;
        node.place += inner.place_line;
      }
    }
}

// row(position, r) for the rows of the slabs, one for each blockIdx.y.
template <class Row>
__device__ void for_shell_rows(const Shell& shell, int dof, const Row& row) {
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
    inner_residual(const __grid_constant__ ResidualState state, const __grid_constant__ Inner inner,
                   const __grid_constant__ Residual residual, double* __restrict__ f) {
  for_inner_rows(inner, state.grid.dof, [&](const residual_detail::InnerPlace& node, int r) {
    const InnerNode<double, NoSeed> u(state, node.at, node.own, node.place, {}, 0, 0);
    f[node.own * state.grid.dof + r] = residual(u, r);
  });
}

template <class Residual>
__global__ void __launch_bounds__(threads_per_block)
    shell_residual(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                   const __grid_constant__ Residual residual, double* __restrict__ f) {
  for_shell_rows(shell, state.grid.dof, [&](const Position& at, int r) {
    f[state.own(at) * state.grid.dof + r] = residual(ResidualNode<double, Residual>(state, residual, at), r);
  });
}

template <residual_detail::Make make, bool star, class Residual>
__global__ void __launch_bounds__(threads_per_block)
    inner_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ Inner inner,
                   const __grid_constant__ Residual residual, double shift,
                   const __grid_constant__ JacobianShape shape, unsigned* misfit,
                   double* __restrict__ values) {
  const std::int64_t rows = state.box.nodes() * state.grid.dof;
  for_inner_rows(inner, state.grid.dof, [&](const residual_detail::InnerPlace& node, int r) {
    double* const row = values + node.own * state.grid.dof + r;
    const unsigned found =
        residual_detail::inner_row<make, star>(state, residual, node, r, shift, shape, row, rows);
    if (make == residual_detail::Make::all && found != 0) atomicOr(misfit, found);
  });
}

// A diagonal for each blockIdx.z.
template <residual_detail::Make make, class Residual>
__global__ void __launch_bounds__(threads_per_block)
    shell_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                   const __grid_constant__ Residual residual, double shift,
                   const __grid_constant__ JacobianShape shape, unsigned* misfit,
                   double* __restrict__ values) {
  const std::int64_t rows = state.box.nodes() * state.grid.dof;
  const int d = static_cast<int>(blockIdx.z);
  for_shell_rows(shell, state.grid.dof, [&](const Position& at, int r) {
    double* const row = values + state.own(at) * state.grid.dof + r;
    const unsigned found =
        residual_detail::any_row<make>(state, residual, at, r, shift, shape, d, d + 1, row, rows);
    if (make == residual_detail::Make::all && found != 0) atomicOr(misfit, found);
  });
}

struct Launch {
  dim3 blocks, threads;
};

inline Launch launch_of(const Inner& inner) {
  unsigned x = 32;
  while (x < threads_per_block && static_cast<int>(x) < inner.of_line) x *= 2;
  const int chunks = (inner.lines + inner.march - 1) / inner.march,
            y = threads_per_block / static_cast<int>(x);
  return {
      dim3((inner.of_line + x - 1) / x, std::min((chunks + y - 1) / y, 65535), std::min(inner.planes, 65535)),
      dim3(x, y)};
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
    const Inner nodes = inner_of(state, inner);
    const Launch launch = launch_of(nodes);
    inner_residual<<<launch.blocks, launch.threads>>>(state, nodes, residual, f);
  }
  shell_residual<<<on_shell.blocks, on_shell.threads>>>(state, shell, residual, f);
  check_launch("the residual");
}

template <residual_detail::Make make, bool star, class Residual>
void differentiate(const ResidualState& state, const Residual& residual, double shift,
                   const JacobianShape& shape, unsigned* misfit, double* values) {
  const NodeBox inner = state.inner();
  const Shell shell = shell_of(state.box, inner);
  if (inner.nodes() > 0) {
    const Inner nodes = inner_of(state, inner);
    const Launch launch = launch_of(nodes);
    inner_jacobian<make, star>
        <<<launch.blocks, launch.threads>>>(state, nodes, residual, shift, shape, misfit, values);
  }
  Launch on_shell = launch_of(shell, state.grid.dof);
  on_shell.blocks.z = static_cast<unsigned>(shape.diagonals);
  shell_jacobian<make>
      <<<on_shell.blocks, on_shell.threads>>>(state, shell, residual, shift, shape, misfit, values);
  check_launch("the Jacobian");
}

template <class Residual>
void differentiate(const ResidualState& state, const Residual& residual, double shift,
                   const JacobianShape& shape, unsigned* misfit, double* values) {
  using residual_detail::Make;
  constexpr int few = 2;  // unknowns: where more are side by side, single numbers are written slower than all
  if (misfit != nullptr)
    differentiate<Make::all, false>(state, residual, shift, shape, misfit, values);
  else if (shape.dof > few && shape.star)
    differentiate<Make::values, true>(state, residual, shift, shape, misfit, values);
  else if (shape.dof > few)
    differentiate<Make::values, false>(state, residual, shift, shape, misfit, values);
  else if (shape.star)
    differentiate<Make::coupled, true>(state, residual, shift, shape, misfit, values);
  else
    differentiate<Make::coupled, false>(state, residual, shift, shape, misfit, values);
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
