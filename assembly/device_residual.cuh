// A residual and its Jacobian evaluated in GPU memory, from the functor that the host takes (residual.hpp),
// for source files of nvcc with --expt-relaxed-constexpr; with -fmad=false numbers have the host's bits where
// no function like exp() is asked for.
//
// A thread makes a row of some inner lines one after another, whose neighbours it loads once for all of them,
// and looks at no face. Rows near faces, which wait more than they compute, have blocks of the same launch
// among those of inner ones. Those at the ends of lines, whose numbers would be parts of sectors of memory,
// which take twice as long to write, a launch before makes of a Jacobian; the threads beside them write what
// it has put side by side. Box stencils, and residuals that spill, have rows near faces in a launch of their
// own. All is queued in the default stream.
#pragma once

#include <cuda_runtime_api.h>

#include "assembly/device_check.cuh"
#include "assembly/device_rows.cuh"
#include "assembly/device_star_row.cuh"
#include "assembly/residual.hpp"
#include "formats/array.hpp"

namespace quadrille {

namespace device_residual_detail {

// Lines of a thread: more of them read fewer neighbours twice, but those of a box spill. Those of a Jacobian
// write what they read many times over.
template <class Residual>
constexpr int lines_of_residual = says_box<Residual>() ? 1 : 8;
constexpr int lines_of_jacobian = 4;
constexpr int numbers_of_sector = 4;
// Rows of a line that are worth a launch for its ends, which would be much of shorter ones.
constexpr int rows_of_ends = 32;

// Of a row of the slabs, or else of those of a tile.
template <int dimension, class Residual>
__global__ void __launch_bounds__(threads_per_block, 4)
    residual_rows(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                  const __grid_constant__ Inner inner, const __grid_constant__ Blocks blocks,
                  const __grid_constant__ Residual residual, double* __restrict__ f) {
  constexpr int lines = lines_of_residual<Residual>;
  const int dof = state.grid.dof;
  unsigned number = 0;
  if (blocks.is_of_slabs(blockIdx.x, number)) {
    for_slab_row(shell, number, dof, [&](const Position& at, int r, unsigned) {
      f[state.own(at) * dof + r] =
          residual(ResidualNode<double, Residual, dimension>(state, residual, at), r);
    });
    return;
  }
  for_inner_rows<lines>(
      inner, blocks, number, dof, [&](const residual_detail::InnerPlace& node, int r, int beyond) {
        if (beyond != 0) return;
        double* const to = f + node.own * dof + r;
        double of_line[lines];
#pragma unroll
        for (int line = 0; line < lines; ++line)
          of_line[line] = residual(
              InnerNode<double, NoSeed, dimension>(state, node.at, node.own, node.place, {}, 0, 0, line), r);
#pragma unroll
        for (int line = 0; line < lines; ++line) to[line * inner.own_line * dof] = of_line[line];
      });
}

// Of rows of the slabs alone, with all the registers that they ask for.
template <class Residual>
__global__ void __launch_bounds__(threads_per_block)
    slab_residual(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                  const __grid_constant__ Residual residual, double* __restrict__ f) {
  const int dof = state.grid.dof;
  for_slab_row(shell, blockIdx.x, dof, [&](const Position& at, int r, unsigned) {
    f[state.own(at) * dof + r] = residual(ResidualNode<double, Residual>(state, residual, at), r);
  });
}

// The rows at the ends of lines, before the first and behind the last inner node: the slabs along x. They
// stand as these are counted, [diagonal][column][row].
struct Ends {
  const double* values = nullptr;  // or they stand in their places already
  std::int64_t rows = 0;
  Shell slabs{};

  __device__ residual_detail::MadeRow of(const residual_detail::InnerPlace& node, int beyond, int dof,
                                         int r) const {
    if (beyond == 0) return {};
    const int side = beyond < 0 ? 0 : 1;
    Position at = node.at;
    at.x += beyond;
    const std::int64_t end = slabs.in_rings(side, at);
    return {values + end * dof + r, rows};
  }
};

// Where the values of a Jacobian stand, [diagonal][column][row]: in their places, or as slabs are counted.
struct Values {
  double* first;
  std::int64_t rows;
  bool as_slabs;
};

// A row of the slabs, of one diagonal: a block has those of one; of a uniform Jacobian all of it. Returns
// Misfit's bits.
template <residual_detail::Make make, int dimension, class Residual>
__device__ unsigned slab_row(const ResidualState& state, const Shell& shell, unsigned number,
                             const Residual& residual, double shift, const JacobianShape& shape,
                             const double* uniform, const Values& values) {
  const unsigned of_diagonal = shell.blocks();
  const int dof = state.grid.dof, d = static_cast<int>(number / of_diagonal);
  unsigned found = 0;
  if constexpr (make == residual_detail::Make::values && residual_detail::says_uniform<Residual>()) {
    if (uniform != nullptr) {
      for_slab_row(shell, number, dof, [&](const Position& at, int r, unsigned i) {
        const ResidualNode<NeighbourTerm, Residual, dimension> looks(state, residual, at);
        residual_detail::uniform_row(
            state, at, r, shape, uniform,
            [&](int of, int c) { return looks.at(of % 3 - 1, of / 3 % 3 - 1, of / 9 - 1, c); },
            values.first + (values.as_slabs ? i : state.own(at) * dof + r), values.rows);
      });
      return found;
    }
  }
  for_slab_row(shell, number % of_diagonal, dof, [&](const Position& at, int r, unsigned i) {
    double* const row = values.first + (values.as_slabs ? i : state.own(at) * dof + r);
    ResidualNode<Dual, Residual, dimension> node(state, residual, at);
    found =
        residual_detail::any_row<make>(state, residual, node, r, shift, shape, d, d + 1, row, values.rows);
  });
  return found;
}

// Of a star, as residual_rows().
template <int dimension, class Residual>
__global__ void __launch_bounds__(threads_per_block, 4)
    star_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                  const __grid_constant__ Inner inner, const __grid_constant__ Blocks blocks,
                  const __grid_constant__ Residual residual, double shift,
                  const __grid_constant__ JacobianShape shape, const double* __restrict__ uniform,
                  const __grid_constant__ Ends ends, const __grid_constant__ Values values) {
  const int dof = state.grid.dof;
  unsigned number = 0;
  if (blocks.is_of_slabs(blockIdx.x, number)) {
    slab_row<residual_detail::Make::values, dimension>(state, shell, number, residual, shift, shape, nullptr,
                                                       values);  // a star's few derivatives take no longer
    return;
  }
  const std::int64_t line_rows = inner.own_line * dof;
  const residual_detail::StarPlaces places = residual_detail::star_places(shape, values.rows);
  for_inner_rows<lines_of_jacobian>(
      inner, blocks, number, dof, [&](residual_detail::InnerPlace node, int r, int beyond) {
        if (beyond != 0 && ends.values == nullptr) return;
        double* row = values.first + (node.own + beyond) * dof + r;
        residual_detail::MadeRow made = ends.of(node, beyond, dof, r);
#pragma unroll 1
        for (int line = 0; line < lines_of_jacobian; ++line, row += line_rows) {
          residual_detail::inner_row_of_star<dimension>(state, residual, node, r, shift, shape, places,
                                                        uniform, made, row, values.rows);
          if (made.values != nullptr) made.values += dof;
          ++node.at.y;
          node.own += inner.own_line;
          node.place += inner.place_line;
        }
      });
}

// Of other stencils, and wherever all derivatives are made: rows of the slabs, and those of inner nodes.
template <residual_detail::Make make, class Residual>
__global__ void __launch_bounds__(threads_per_block, 1)
    slab_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ Shell shell,
                  const __grid_constant__ Residual residual, double shift,
                  const __grid_constant__ JacobianShape shape, const double* __restrict__ uniform,
                  unsigned* misfit, const __grid_constant__ Values values) {
  const unsigned found = slab_row<make, 0>(state, shell, blockIdx.x, residual, shift, shape, uniform, values);
  if (make == residual_detail::Make::all && found != 0) atomicOr(misfit, found);
}

template <residual_detail::Make make, class Residual>
__global__ void __launch_bounds__(threads_per_block)
    inner_jacobian(const __grid_constant__ ResidualState state, const __grid_constant__ Inner inner,
                   const __grid_constant__ Blocks blocks, const __grid_constant__ Residual residual,
                   double shift, const __grid_constant__ JacobianShape shape,
                   const double* __restrict__ uniform, unsigned* misfit,
                   const __grid_constant__ Values values) {
  const int dof = state.grid.dof;
  for_inner_rows<lines_of_jacobian>(
      inner, blocks, blockIdx.x, dof, [&](residual_detail::InnerPlace node, int r, int beyond) {
        if (beyond != 0) return;
#pragma unroll 1
        for (int line = 0; line < lines_of_jacobian; ++line) {
          const unsigned found =
              residual_detail::inner_row<make>(state, residual, node, r, shift, shape, uniform,
                                               values.first + node.own * dof + r, values.rows);
          if (make == residual_detail::Make::all && found != 0) atomicOr(misfit, found);
          ++node.at.y;
          node.own += inner.own_line;
          node.place += inner.place_line;
        }
      });
}

// The blocks of a uniform Jacobian, of the node at `first`: a thread makes one number.
template <class Residual>
__global__ void __launch_bounds__(threads_per_block)
    uniform_blocks(const __grid_constant__ ResidualState state, const __grid_constant__ Residual residual,
                   const __grid_constant__ residual_detail::InnerPlace first, double shift,
                   const __grid_constant__ JacobianShape shape, double* __restrict__ blocks) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), dof = shape.dof, r = i % dof,
            c = i / dof % dof, place = i / dof / dof;
  if (place >= 27 || shape.of_cube[place] < 0) return;
  const residual_detail::InnerPlace& at = first;
  const InnerNode<Dual, AnySeed, 0, true> u(state, at.at, at.own, at.place, AnySeed{place}, c, shift);
  blocks[(shape.of_cube[place] * dof + c) * dof + r] = Dual(residual(u, r)).slope;
}

// Whether a kernel spills so many bytes a thread that rows of the slabs, which do, are better off in one of
// their own.
template <class Kernel>
bool spills(Kernel* kernel) {
  constexpr std::size_t much = 128;
  cudaFuncAttributes attributes{};
  device_check(cudaFuncGetAttributes(&attributes, kernel), "the registers of a kernel");
  return attributes.localSizeBytes > much;
}

template <int dimension, class Residual>
void evaluate(const ResidualState& state, const Residual& residual, double* f) {
  const NodeBox inner = inner_box(state, lines_of_residual<Residual>);
  const Shell shell = shell_of(state.box, inner, state.grid.dof);
  const Inner nodes = inner_of(state, inner);
  Blocks blocks = blocks_of(nodes, lines_of_residual<Residual>, shell);
  if (blocks.slabs > 0 && spills(residual_rows<dimension, Residual>)) {
    slab_residual<<<blocks.slabs, threads_per_block>>>(state, shell, residual, f);
    blocks.slabs = 0;
  }
  if (blocks.all() > 0)
    residual_rows<dimension><<<blocks.all(), blocks.threads>>>(state, shell, nodes, blocks, residual, f);
  device_check(cudaGetLastError(), "the kernel of the residual");
}

// Takes the slabs along x out of a shell.
inline Shell take_ends(Shell& shell, int dof) {
  Shell ends = shell;
  for (std::size_t i = 0; i < shell.box.size(); ++i) (i < 2 ? shell : ends).box[i].size = {0, 0, 0};
  shell.count(dof);
  ends.count(dof);
  return ends;
}

// What is kept for the next time: the rows at the ends of lines, and the blocks of a uniform Jacobian.
struct Kept {
  Array<double, Device> ends, uniform;

  // The first `size` numbers of an array that has as many or more.
  static double* room(Array<double, Device>& array, std::int64_t size) {
    if (array.size() < size) array = Array<double, Device>(size);
    return array.data();
  }
};

// Null of others.
template <class Residual>
const double* make_uniform(const ResidualState& state, const Residual& residual, double shift,
                           const JacobianShape& shape, Kept& kept) {
  if constexpr (residual_detail::says_uniform<Residual>()) {
    if (state.inner().nodes() == 0) return nullptr;
    double* const blocks = Kept::room(kept.uniform, residual_detail::blocks_size(shape));
    const int numbers = 27 * shape.dof * shape.dof;
    uniform_blocks<<<(numbers + threads_per_block - 1) / threads_per_block, threads_per_block>>>(
        state, residual, residual_detail::first_inner(state), shift, shape, blocks);
    return blocks;
  }
  return nullptr;
}

template <int dimension, class Residual>
void differentiate_star(const ResidualState& state, const Residual& residual, double shift,
                        const JacobianShape& shape, const double* uniform, Kept& kept, double* values) {
  const int dof = state.grid.dof;
  const NodeBox inner = inner_box(state, lines_of_jacobian);
  Shell shell = shell_of(state.box, inner, dof);
  const auto make = [&](const Shell& slabs, const Inner& nodes, const Ends& ends, const Values& to) {
    const Blocks blocks = blocks_of(nodes, lines_of_jacobian, slabs, shape.diagonals);
    if (blocks.all() > 0)
      star_jacobian<dimension><<<blocks.all(), blocks.threads>>>(state, slabs, nodes, blocks, residual, shift,
                                                                 shape, uniform, ends, to);
  };
  Ends ends;
  if (inner.size[0] * dof >= rows_of_ends && dof % numbers_of_sector != 0) {
    ends.slabs = take_ends(shell, dof);
    ends.rows = std::int64_t{ends.slabs.rings} * dof;
    double* const space = Kept::room(kept.ends, shape.diagonals * dof * ends.rows);
    ends.values = space;
    make(ends.slabs, {}, {}, {space, ends.rows, true});
  }
  make(shell, inner_of(state, inner), ends, {values, state.box.nodes() * dof, false});
}

template <residual_detail::Make make, class Residual>
void differentiate_any(const ResidualState& state, const Residual& residual, double shift,
                       const JacobianShape& shape, const double* uniform, unsigned* misfit,
                       const Values& values) {
  const NodeBox inner = inner_box(state, lines_of_jacobian);
  const Shell shell = shell_of(state.box, inner, state.grid.dof);
  const Inner nodes = inner_of(state, inner);
  const bool whole_rows = make == residual_detail::Make::values && uniform != nullptr;
  const Blocks blocks = blocks_of(nodes, lines_of_jacobian, shell, whole_rows ? 1 : shape.diagonals);
  if (blocks.slabs > 0)
    slab_jacobian<make>
        <<<blocks.slabs, threads_per_block>>>(state, shell, residual, shift, shape, uniform, misfit, values);
  if (blocks.tiles > 0)
    inner_jacobian<make><<<blocks.tiles, blocks.threads>>>(state, nodes, blocks, residual, shift, shape,
                                                           uniform, misfit, values);
}

template <class Residual>
void differentiate(const ResidualState& state, const Residual& residual, double shift,
                   const JacobianShape& shape, Kept& kept, unsigned* misfit, double* values) {
  using residual_detail::Make;
  const double* const uniform = make_uniform(state, residual, shift, shape, kept);
  const Values all{values, state.box.nodes() * state.grid.dof, false};
  if (misfit != nullptr) {
    differentiate_any<Make::all>(state, residual, shift, shape, uniform, misfit, all);
  } else if (says_box<Residual>() || !shape.star) {
    differentiate_any<Make::values>(state, residual, shift, shape, uniform, misfit, all);
  } else if constexpr (!says_box<Residual>()) {
    if (state.grid.dimension == 2)
      differentiate_star<2>(state, residual, shift, shape, uniform, kept, values);
    else
      differentiate_star<3>(state, residual, shift, shape, uniform, kept, values);
  }
  device_check(cudaGetLastError(), "the kernel of the Jacobian");
}

}  // namespace device_residual_detail

// As any_residual(), for both memories. A functor that points to fields has one in GPU memory as well, which
// `on_device` gives when it is first asked; what that points to stays the caller's.
template <class Residual>
AnyResidual device_residual(const Residual& residual, int dof, std::function<Residual()> on_device = {}) {
  AnyResidual any = any_residual(residual, dof);
  const auto there = [residual, on_device] { return on_device ? on_device() : residual; };
  any.evaluate_on_device = [there](const ResidualState& at, double* f) {
    if (at.grid.dimension == 3)
      device_residual_detail::evaluate<3>(at, there(), f);
    else
      device_residual_detail::evaluate<2>(at, there(), f);
  };
  const auto kept = std::make_shared<device_residual_detail::Kept>();
  any.differentiate_on_device = [there, kept](const ResidualState& at, double shift,
                                              const JacobianShape& shape, unsigned* misfit, double* values) {
    device_residual_detail::differentiate(at, there(), shift, shape, *kept, misfit, values);
  };
  return any;
}

}  // namespace quadrille
