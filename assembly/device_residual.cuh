// A residual and its Jacobian evaluated in GPU memory, from the functor that the host takes (residual.hpp),
// for source files of nvcc with --expt-relaxed-constexpr; with -fmad=false numbers have the host's bits where
// no function like exp() is asked for.
//
// A thread makes a row of some lines one after another, whose neighbours it loads once for all of them. Rows
// of inner nodes, which are nearly all, have a kernel of their own that looks at no face. That of a Jacobian
// writes the rows at the ends of its lines once more, with what is there, for sectors of memory that are
// written in parts take twice as long. All is queued in the default stream; a residual's rows near faces run
// beside the inner ones, in a queue that the default stream waits for.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>

#include "assembly/device_check.cuh"
#include "assembly/residual.hpp"
#include "assembly/side_queue.cuh"

namespace quadrille {

namespace device_residual_detail {

constexpr int threads_per_block = 256;

// The nodes of a box that are not inner: the slabs around it, two for each axis, and how many nodes are in
// those before each and in all.
struct Shell {
  std::array<NodeBox, 6> box{};
  std::array<int, 7> first{};

  void count() {
    for (std::size_t i = 0; i < box.size(); ++i)
      first[i + 1] = to_index32(first[i] + box[i].nodes(), "nodes near faces");
  }
};

inline Shell shell_of(const NodeBox& box, const NodeBox& inner) {
  Shell shell;
  for (NodeBox& none : shell.box) none.size = {0, 0, 0};
  if (inner.nodes() == 0) {
    shell.box[0] = box;
    shell.count();
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
  shell.count();
  return shell;
}

// Lines of a thread: more of them read fewer neighbours twice. Those of a Jacobian write what they read many
// times over.
constexpr int lines_of_residual = 8, lines_of_jacobian = 4;
constexpr int rows_of_sectors = 16, numbers_of_sector = 4;

// The inner nodes as threads go through them: the rows of a line along threadIdx.x, planes along threadIdx.y,
// and some lines one after the other.
struct Inner {
  Position first;
  int nodes, lines, planes;  // inner ones of a line
  int line, lead;            // rows of the box's line, and its nodes before the first inner one
  int before;                // threads that have no row, so that others write whole sectors of memory
  std::int64_t own, own_line, own_plane;        // of the first node, and steps
  std::int64_t place, place_line, place_plane;  // the same in the window
};

// Of fewer lines than a thread has, the slabs are all.
inline NodeBox inner_box(const ResidualState& state, int lines) {
  NodeBox inner = state.inner();
  if (inner.size[1] < lines) inner.size = {0, 0, 0};
  return inner;
}

inline Inner inner_of(const ResidualState& state, const NodeBox& box) {
  const Position first{box.first[0], box.first[1], box.first[2]};
  const auto &own = state.box.size, &window = state.window.box.size;
  return {.first = first,
          .nodes = to_index32(box.size[0], "nodes of a line"),
          .lines = to_index32(box.size[1], "lines"),
          .planes = to_index32(box.size[2], "planes"),
          .line = to_index32(own[0] * state.grid.dof, "rows of a line"),
          .lead = to_index32(first.x - state.box.first[0], "nodes of a line"),
          .before = static_cast<int>((state.own(first) - (first.x - state.box.first[0])) * state.grid.dof %
                                     rows_of_sectors),
          .own = state.own(first),
          .own_line = own[0],
          .own_plane = own[0] * own[1],
          .place = state.window.place(first),
          .place_line = window[0],
          .place_plane = window[0] * window[1]};
}

// rows(node, r, beyond) for row r of inner nodes, each the first of `lines` lines; where `beyond` is not
// 0, for the row of a node that is not inner, so many nodes along x from the next one that is. The last lines
// of a plane are made twice where some are left.
template <int lines, class Rows>
__device__ void for_inner_rows(const Inner& inner, int dof, const Rows& rows) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) - inner.before;
  if (thread < 0 || thread >= inner.line) return;
  const unsigned i = static_cast<unsigned>(thread), in_line = dof == 1 ? i : i / static_cast<unsigned>(dof);
  const int r = static_cast<int>(i - in_line * static_cast<unsigned>(dof)),
            from_first = static_cast<int>(in_line) - inner.lead, x = max(0, min(from_first, inner.nodes - 1));
  for (int z = blockIdx.z * blockDim.y + threadIdx.y; z < inner.planes; z += gridDim.z * blockDim.y)
    for (int chunk = blockIdx.y; chunk * lines < inner.lines; chunk += gridDim.y) {
      const int y = min(chunk * lines, inner.lines - lines);
      rows(residual_detail::InnerPlace{{inner.first.x + x, inner.first.y + y, inner.first.z + z},
                                       inner.own + x + y * inner.own_line + z * inner.own_plane,
                                       inner.place + x + y * inner.place_line + z * inner.place_plane},
           r, from_first - x);
    }
}

// row(position, r) for the rows of the slabs.
template <class Row>
__device__ void for_shell_rows(const Shell& shell, int dof, const Row& row) {
  const unsigned unknowns = static_cast<unsigned>(dof), step = gridDim.x * blockDim.x;
  const std::int64_t rows = std::int64_t{shell.first[6]} * dof;
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += step) {
    unsigned node = static_cast<unsigned>(i) / unknowns;
    const int r = static_cast<int>(static_cast<unsigned>(i) - node * unknowns);
    int slab = 0;
    while (node >= static_cast<unsigned>(shell.first[slab + 1])) ++slab;
    const NodeBox& box = shell.box[slab];
    node -= static_cast<unsigned>(shell.first[slab]);
    const unsigned along_x = static_cast<unsigned>(box.size[0]), along_y = static_cast<unsigned>(box.size[1]),
                   line = node / along_x, plane = line / along_y;
    row(Position{box.first[0] + (node - line * along_x), box.first[1] + (line - plane * along_y),
                 box.first[2] + plane},
        r);
  }
}

// Into the second-level cache.
__device__ inline void read_ahead(const double* p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

template <int dimension, class Residual>
__global__ void __launch_bounds__(threads_per_block, 4)
    inner_residual(const __grid_constant__ ResidualState state, const __grid_constant__ Inner inner,
                   const __grid_constant__ Residual residual, double* __restrict__ f) {
  for_inner_rows<lines_of_residual>(
      inner, state.grid.dof, [&](const residual_detail::InnerPlace& node, int r, int beyond) {
        if (beyond != 0) return;
        const int dof = state.grid.dof;
        double* const to = f + node.own * dof + r;
#pragma unroll
        for (int line = 0; line < lines_of_residual; ++line) {  // functors may branch between what they read
          read_ahead(state.u + (node.place + line * inner.place_line) * dof + r);
          if constexpr (!residual_detail::says_steady<Residual>())
            read_ahead(state.rate + (node.own + line * inner.own_line) * dof + r);
        }
        double of_line[lines_of_residual];
#pragma unroll
        for (int line = 0; line < lines_of_residual; ++line)
          of_line[line] = residual(
              InnerNode<double, NoSeed, dimension>(state, node.at, node.own, node.place, {}, 0, 0, line), r);
#pragma unroll
        for (int line = 0; line < lines_of_residual; ++line) to[line * inner.own_line * dof] = of_line[line];
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

// `dimension` is 0 where the stencil is no star.
template <residual_detail::Make make, int dimension, class Residual>
__global__ void __launch_bounds__(threads_per_block)
    inner_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ Inner inner,
                   const __grid_constant__ Residual residual, double shift,
                   const __grid_constant__ JacobianShape shape, unsigned* misfit,
                   double* __restrict__ values) {
  const int dof = state.grid.dof;
  const std::int64_t rows = state.box.nodes() * dof, line_rows = inner.own_line * dof;
  const residual_detail::StarPlaces places = residual_detail::star_places(shape, rows);
  for_inner_rows<lines_of_jacobian>(inner, dof, [&](residual_detail::InnerPlace node, int r, int beyond) {
    if (beyond != 0 && (dimension == 0 || dof % numbers_of_sector == 0)) return;
    double* row = values + (node.own + beyond) * dof + r;
#pragma unroll 1
    for (int line = 0; line < lines_of_jacobian; ++line, row += line_rows) {
      if constexpr (dimension > 0) {
        residual_detail::inner_row_of_star<make, dimension>(state, residual, node, r, shift, dof, places,
                                                            beyond != 0, row, rows);
      } else {
        const unsigned found =
            residual_detail::inner_row<make>(state, residual, node, r, shift, shape, row, rows);
        if (make == residual_detail::Make::all && found != 0) atomicOr(misfit, found);
      }
      ++node.at.y;
      node.own += inner.own_line;
      node.place += inner.place_line;
    }
  });
}

// A diagonal for each blockIdx.y.
template <residual_detail::Make make, class Residual>
__global__ void __launch_bounds__(threads_per_block)
    shell_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                   const __grid_constant__ Residual residual, double shift,
                   const __grid_constant__ JacobianShape shape, unsigned* misfit,
                   double* __restrict__ values) {
  const std::int64_t rows = state.box.nodes() * state.grid.dof;
  const int d = static_cast<int>(blockIdx.y);
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

inline Launch launch_of(const Inner& inner, int lines) {
  unsigned x = 32, y = threads_per_block / 32;
  while (static_cast<int>(y) > inner.planes && y > 1) x *= 2, y /= 2;
  const auto parts = [](int n, unsigned size) { return (static_cast<unsigned>(n) + size - 1) / size; };
  return {dim3(parts(inner.line + inner.before, x),
               std::min(parts(inner.lines, static_cast<unsigned>(lines)), 65535u),
               std::min(parts(inner.planes, y), 65535u)),
          dim3(x, y)};
}

inline Launch launch_of(const Shell& shell, int dof, int diagonals) {
  constexpr std::int64_t most = 1 << 20;
  const std::int64_t rows = to_index32(std::int64_t{shell.first[6]} * dof, "rows near faces"),
                     blocks = (rows + threads_per_block - 1) / threads_per_block;
  return {dim3(static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, most)),
               static_cast<unsigned>(diagonals)),
          dim3(threads_per_block)};
}

template <class Residual>
void evaluate(const ResidualState& state, const Residual& residual, double* f) {
  const NodeBox inner = inner_box(state, lines_of_residual);
  const Shell shell = shell_of(state.box, inner);
  Launch on_shell = launch_of(shell, state.grid.dof, 1);
  if (inner.nodes() == 0) {
    shell_residual<<<on_shell.blocks, on_shell.threads>>>(state, shell, residual, f);
    return device_check(cudaGetLastError(), "the kernel of the residual");
  }
  const Inner nodes = inner_of(state, inner);
  const Launch launch = launch_of(nodes, lines_of_residual);
  const auto kernel = state.grid.dimension == 3 ? inner_residual<3, Residual> : inner_residual<2, Residual>;
  // A block a multiprocessor, for these rows wait more than they compute.
  SideQueue& beside = SideQueue::of_device();
  on_shell.blocks.x = std::min(on_shell.blocks.x, beside.multiprocessors());
  shell_residual<<<on_shell.blocks, on_shell.threads, 0, beside.begin()>>>(state, shell, residual, f);
  kernel<<<launch.blocks, launch.threads>>>(state, nodes, residual, f);
  beside.end();
  device_check(cudaGetLastError(), "the kernel of the residual");
}

template <residual_detail::Make make, int dimension, class Residual>
void differentiate(const ResidualState& state, const Residual& residual, double shift,
                   const JacobianShape& shape, unsigned* misfit, double* values) {
  const NodeBox inner = inner_box(state, lines_of_jacobian);
  const Shell shell = shell_of(state.box, inner);
  const Launch on_shell = launch_of(shell, state.grid.dof, shape.diagonals);
  shell_jacobian<make>
      <<<on_shell.blocks, on_shell.threads>>>(state, shell, residual, shift, shape, misfit, values);
  if (inner.nodes() > 0) {
    const Inner nodes = inner_of(state, inner);
    const Launch launch = launch_of(nodes, lines_of_jacobian);
    inner_jacobian<make, dimension>
        <<<launch.blocks, launch.threads>>>(state, nodes, residual, shift, shape, misfit, values);
  }
  device_check(cudaGetLastError(), "the kernel of the Jacobian");
}

template <class Residual>
void differentiate(const ResidualState& state, const Residual& residual, double shift,
                   const JacobianShape& shape, unsigned* misfit, double* values) {
  using residual_detail::Make;
  constexpr int few = 1;  // unknowns: where more are side by side, single numbers are written slower than all
  const bool plane = state.grid.dimension == 2;
  const auto make = [&]<Make of>() {
    if (!shape.star)
      differentiate<of, 0>(state, residual, shift, shape, misfit, values);
    else if (plane)
      differentiate<of, 2>(state, residual, shift, shape, misfit, values);
    else
      differentiate<of, 3>(state, residual, shift, shape, misfit, values);
  };
  if (misfit != nullptr)
    differentiate<Make::all, 0>(state, residual, shift, shape, misfit, values);
  else if (shape.dof > few)
    make.template operator()<Make::values>();
  else
    make.template operator()<Make::coupled>();
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
