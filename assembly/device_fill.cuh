// Filling the hub and DIA in GPU memory, with the coefficient functors of stencil_operator.hpp: no value
// passes through the host, and every one has the same bits as there. For that a source file that includes
// this is compiled with --expt-relaxed-constexpr and -fmad=false; what a functor points to is device memory,
// which couples() does not look at: the host asks it. A value outside what couples is stored, not refused.
//
// One thread owns one row: consecutive threads write consecutive values of every column of CDS and of every
// diagonal of DIA.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <type_traits>
#include <vector>

#include "assembly/device_check.cuh"
#include "assembly/on_device.hpp"
#include "assembly/stencil_operator.hpp"
#include "formats/dia.hpp"

namespace quadrille {

namespace device_fill {

constexpr int threads_per_block = 256;

template <class T>
Array<T, Device> upload(const std::vector<T>& from) {
  Array<T, Device> to(static_cast<std::int64_t>(from.size()));
  memory::copy_to_device(to.data(), from.data(), to.bytes());
  return to;
}

// What a kernel knows of the structure, by value.
struct View {
  Grid grid;
  Faces faces;              // of every unknown,
  const Faces* of_unknown;  // [unknown], or null where they are the same
  int diagonals;
  const Offset* point;            // [point]
  const NodeOffset* diagonal;     // [diagonal]
  const std::int32_t* first;      // [diagonal + 1] into candidate
  const std::int32_t* candidate;  // points that land on a diagonal at some node, in stencil order

  __device__ const Faces& of(int unknown) const {
    return of_unknown == nullptr ? faces : of_unknown[unknown];
  }
};

class Structure {
 public:
  Structure(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
            const BlockStructure& structure)
      : grid_(grid), faces_(boundary.of(0)), diagonals_(static_cast<int>(structure.diagonals())) {
    std::vector<std::int32_t> first{0}, candidate;
    for (const std::vector<int>& points :
         stencil_detail::points_of_diagonals(grid, stencil, boundary, structure)) {
      candidate.insert(candidate.end(), points.begin(), points.end());
      first.push_back(static_cast<std::int32_t>(candidate.size()));
    }
    first_ = upload(first);
    candidate_ = upload(candidate);
    point_ = upload(stencil.offsets);
    diagonal_ = upload(structure.offsets);
    if (!boundary.of_unknown.empty()) of_unknown_ = upload(boundary.of_unknown);
  }
  View view() const {
    return {grid_,         faces_,           of_unknown_.data(), diagonals_,
            point_.data(), diagonal_.data(), first_.data(),      candidate_.data()};
  }
  unsigned blocks() const { return blocks(grid_.nodes()); }
  unsigned blocks(std::int64_t nodes) const {
    const std::int64_t rows = nodes * grid_.dof;
    return static_cast<unsigned>(
        to_index32((rows + threads_per_block - 1) / threads_per_block, "blocks of threads"));
  }

 private:
  Grid grid_;
  Faces faces_;
  int diagonals_;
  Array<Faces, Device> of_unknown_;
  Array<Offset, Device> point_;
  Array<NodeOffset, Device> diagonal_;
  Array<std::int32_t, Device> first_, candidate_;
};

// Whether a point that resolves to `to` lands on diagonal `d`, seen from `from`.
__device__ inline bool lands_on(const View& v, const Position& from, const Position& to,
                                const NodeOffset& d) {
  const auto step = [&](std::int64_t distance, int axis) {
    return v.faces[2 * axis].kind == BoundaryKind::periodic
               ? stencil_detail::reduced(distance, v.grid.extents[axis])
               : distance;
  };
  return step(to.x - from.x, 0) == d.x && step(to.y - from.y, 1) == d.y && step(to.z - from.z, 2) == d.z;
}

// What a point is to an unknown.
__device__ inline StencilNeighbour neighbour_at(const View& v, const StencilNode& node, int point,
                                                int unknown) {
  const Offset offset = v.point[point];
  StencilNeighbour n{point, offset, resolve_neighbour(v.grid, v.of(unknown), node.position, offset), -1};
  if (n.resolved.kind == Neighbour::Kind::node) n.index = node_index(v.grid, n.resolved.position);
  return n;
}

// visit(neighbour) for the points of diagonal `d` that land there, in stencil order.
template <class Visit>
__device__ void for_each_landing(const View& v, const StencilNode& node, int d, int unknown,
                                 const Visit& visit) {
  const NodeOffset diagonal = v.diagonal[d];
  for (int k = v.first[d]; k < v.first[d + 1]; ++k) {
    const StencilNeighbour n = neighbour_at(v, node, v.candidate[k], unknown);
    if (n.resolved.kind == Neighbour::Kind::node && lands_on(v, node.position, n.resolved.position, diagonal))
      visit(n);
  }
}

// The coefficient towards a node, for what continues it as well.
template <class Coefficient>
__device__ double entry(const View& v, const StencilNode& node, const StencilNeighbour& n,
                        const Coefficient& coefficient, int r, int c) {
  const double value = coefficient(node, n, r, c);
  return n.resolved.is_beyond() ? value * ghost::weight(coefficient, node, n, v.grid, v.of(c), c) : value;
}

// visit(d, neighbour, value) for every block diagonal d of row r of a node; neighbour: the index of the node
// that couples, or -1 where there is none; value(c): entry (r, c) of the block, rounded to T once.
template <class T, class Coefficient, class Visit>
__device__ void for_each_block(const View& v, const StencilNode& node, int r, const Coefficient& coefficient,
                               const Visit& visit) {
  for (int d = 0; d < v.diagonals; ++d) {
    StencilNeighbour only;
    int landed = 0;
    const int kinds = v.of_unknown == nullptr ? 1 : v.grid.dof;
    for (int c = 0; c < kinds && landed == 0; ++c)
      for_each_landing(v, node, d, c, [&](const StencilNeighbour& n) {
        if (landed++ == 0) only = n;
      });
    const bool alike = kinds == 1;
    visit(d, only.index, [&](int c) {
      if (landed == 0) return T(0);
      if (alike && landed == 1) return static_cast<T>(0.0 + entry(v, node, only, coefficient, r, c));
      double sum = 0;
      for_each_landing(v, node, d, c,
                       [&](const StencilNeighbour& n) { sum += entry(v, node, n, coefficient, r, c); });
      return static_cast<T>(sum);
    });
  }
}

// The same of a row of the whole grid.
template <class T, class Coefficient, class Visit>
__device__ void for_each_block(const View& v, std::int64_t row, const Coefficient& coefficient,
                               const Visit& visit) {
  const std::int64_t index = row / v.grid.dof;
  for_each_block<T>(v, {index, node_position(v.grid, index)}, static_cast<int>(row - index * v.grid.dof),
                    coefficient, visit);
}

// The rows of a box, in its order.
template <class T, class Coefficient>
__global__ void __launch_bounds__(threads_per_block)
    fill_kernel(const __grid_constant__ View v, const __grid_constant__ NodeBox box,
                const __grid_constant__ Coefficient coefficient, T* __restrict__ values) {
  const int dof = v.grid.dof;
  const std::int64_t rows = box.nodes() * dof;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t place = row / dof, line = place / box.size[0], plane = line / box.size[1];
  const Position at{box.first[0] + (place - line * box.size[0]), box.first[1] + (line - plane * box.size[1]),
                    box.first[2] + plane};
  const StencilNode node{node_index(v.grid, at), at};
  for_each_block<T>(v, node, static_cast<int>(row - place * dof), coefficient,
                    [&](int d, std::int64_t, const auto& value) {
                      for (int c = 0; c < dof; ++c)
                        __stcs(values + (static_cast<std::int64_t>(d) * dof + c) * rows + row, value(c));
                    });
}

template <class T, class Coefficient>
__global__ void __launch_bounds__(threads_per_block)
    count_kernel(const __grid_constant__ View v, const __grid_constant__ Coefficient coefficient,
                 unsigned long long* __restrict__ count) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
  unsigned mine = 0;
  if (row < v.grid.rows())
    for_each_block<T>(v, row, coefficient, [&](int, std::int64_t neighbour, const auto& value) {
      if (neighbour < 0) return;
      for (int c = 0; c < v.grid.dof; ++c) mine += value(c) != T(0);
    });
  const unsigned of_warp = __reduce_add_sync(0xffffffffu, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(count, static_cast<unsigned long long>(of_warp));
}

// The scalar diagonals of dia.hpp's DiaSlots, in device memory.
struct SlotView {
  int distances;
  const std::int64_t* distance;
  const std::int32_t* slot;
};

// visit(slot, value) for the entries of one row that are not exactly zero, along ascending c - r: the rows of
// a node write to the same diagonal at the same time.
template <class T, class Coefficient, class Visit>
__device__ void for_each_entry(const View& v, const SlotView& s, std::int64_t row,
                               const Coefficient& coefficient, const Visit& visit) {
  const int dof = v.grid.dof, r = static_cast<int>(row % dof);
  for_each_block<T>(v, row, coefficient, [&](int, std::int64_t neighbour, const auto& value) {
    if (neighbour < 0) return;
    int low = 0, high = s.distances;  // distance[low] is this one
    while (low + 1 < high) {
      const int middle = (low + high) / 2;
      (s.distance[middle] <= neighbour - row / dof ? low : high) = middle;
    }
    for (int c_less_r = 1 - dof; c_less_r < dof; ++c_less_r) {
      const int c = r + c_less_r;
      if (c < 0 || c >= dof) continue;
      const T a = value(c);
      if (a != T(0)) visit(s.slot[low * (2 * dof - 1) + c_less_r + dof - 1], a);
    }
  });
}

template <class T, class Coefficient>
__global__ void __launch_bounds__(threads_per_block)
    mark_kernel(const __grid_constant__ View v, const __grid_constant__ SlotView s,
                const __grid_constant__ Coefficient coefficient, std::uint8_t* __restrict__ used) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
  if (row >= v.grid.rows()) return;
  for_each_entry<T>(v, s, row, coefficient, [&](std::int32_t slot, T) {
    if (used[slot] == 0) used[slot] = 1;
  });
}

template <class T, class Coefficient>
__global__ void __launch_bounds__(threads_per_block)
    fill_dia_kernel(const __grid_constant__ View v, const __grid_constant__ SlotView s,
                    const __grid_constant__ Coefficient coefficient, T* __restrict__ values) {
  const std::int64_t rows = v.grid.rows();
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
  if (row >= rows) return;
  for_each_entry<T>(v, s, row, coefficient,
                    [&](std::int32_t slot, T value) { __stcs(values + slot * rows + row, value); });
}

}  // namespace device_fill

// The values of a box of the grid, [diagonal][column][row of the box]: those of its rows in the whole. Throws
// MemoryError, naming needed and free bytes, before it allocates, InputError as block_structure(), CudaError.
// Returns when the values are there.
template <class T, class Model>
Array<T, Device> assemble_box_on_device(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                        const Model& model, const NodeBox& box) {
  const auto& coefficient = coefficients_of(model, grid, boundary, box);
  const BlockStructure structure = block_structure(grid, stencil, boundary, fill_of(coefficient, grid.dof));
  BlockStructure part = structure;
  part.extents = box.size;
  Array<T, Device> values(value_bytes(part, sizeof(T)) / static_cast<std::int64_t>(sizeof(T)));
  const device_fill::Structure on_device(grid, stencil, boundary, structure);
  device_fill::fill_kernel<<<on_device.blocks(box.nodes()), device_fill::threads_per_block>>>(
      on_device.view(), box, coefficient, values.data());
  device_check(cudaGetLastError(), "launching the assembly");
  device_check(cudaDeviceSynchronize(), "assembling on the GPU");
  return values;
}

// Structure, memory and values of the hub; the right-hand side is subtract_data()'s, on the host. Throws as
// assemble_box_on_device().
template <class T, class Model>
BlockDiagonals<T, Device> assemble_on_device(const Grid& grid, const Stencil& stencil,
                                             const Boundary& boundary, const Model& model) {
  const NodeBox box = whole_box(grid.extents);
  BlockDiagonals<T, Device> hub;
  static_cast<BlockStructure&>(hub) = block_structure(
      grid, stencil, boundary, fill_of(coefficients_of(model, grid, boundary, box), grid.dof));
  hub.values = assemble_box_on_device<T>(grid, stencil, boundary, model, box);
  return hub;
}

namespace device_fill {

// What couples() leaves out is 0.
template <class Coefficient>
struct InFill {
  Coefficient coefficient;

  constexpr double conductivity(const StencilNode& node, int axis, int unknown) const requires requires {
    coefficient.conductivity(node, axis, unknown);
  }
  { return coefficient.conductivity(node, axis, unknown); }
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int r, int c) const {
    if constexpr (requires { coefficient.couples(true, r, c); })
      if (r != c && !coefficient.couples(to.offset == Offset{}, r, c)) return 0;
    return coefficient(node, to, r, c);
  }
};

}  // namespace device_fill

// For GridOperator::update(): where the operator is in GPU memory its values are made there, each rank's by
// itself, with the bits of the host's; else on the host. What couples() leaves out is taken as 0 there,
// unseen.
template <class Model>
OnDevice<Model> on_device(const Model& model) {
  return {model, [model](const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                         const BlockStructure& structure, const NodeBox& box, double* values) {
            const auto& coefficient = coefficients_of(model, grid, boundary, box);
            const device_fill::Structure there(grid, stencil, boundary, structure);
            device_fill::fill_kernel<<<there.blocks(box.nodes()), device_fill::threads_per_block>>>(
                there.view(), box,
                device_fill::InFill<std::remove_cvref_t<decltype(coefficient)>>{coefficient}, values);
            device_check(cudaGetLastError(), "launching the assembly");
            device_check(cudaStreamSynchronize(nullptr), "assembling on the GPU");  // it reads `there`
          }};
}

// The same operator as DIA, without the hub in between: the diagonals that have a non-zero, or an entry that
// couples by the fill, and its values. Computes every coefficient twice, first to see which diagonals there
// are.
template <class T, class Model>
Dia<T, Device> assemble_dia_on_device(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                      const Model& model) {
  const auto& coefficient = coefficients_of(model, grid, boundary, whole_box(grid.extents));
  using namespace device_fill;
  const BlockStructure structure = block_structure(grid, stencil, boundary, fill_of(coefficient, grid.dof));
  const Structure on_device(grid, stencil, boundary, structure);
  DiaSlots slots = dia_slots(structure);
  const Array<std::int64_t, Device> distance = upload(slots.distance);
  std::vector<std::uint8_t> used(slots.offset.size(), 0);
  if (structure.fill.said()) used = slots_of_fill(structure, slots);
  Array<std::uint8_t, Device> marks = upload(used);
  {
    const Array<std::int32_t, Device> slot = upload(slots.slot);
    mark_kernel<T><<<on_device.blocks(), threads_per_block>>>(
        on_device.view(), {static_cast<int>(slots.distance.size()), distance.data(), slot.data()},
        coefficient, marks.data());
    device_check(cudaGetLastError(), "launching the assembly");
    memory::copy_to_host(used.data(), marks.data(), marks.bytes());
  }
  slots = only_used(slots, used);
  const std::int64_t rows = grid.rows(), diagonals = static_cast<std::int64_t>(slots.offset.size());
  Dia<T, Device> dia{rows, rows, upload(slots.offset),
                     Array<T, Device>(checked_product(diagonals, rows, "the values of dia"))};
  device_check(cudaMemset(dia.value.data(), 0, static_cast<std::size_t>(dia.value.bytes())), "clearing dia");
  const Array<std::int32_t, Device> slot = upload(slots.slot);
  fill_dia_kernel<<<on_device.blocks(), threads_per_block>>>(
      on_device.view(), {static_cast<int>(slots.distance.size()), distance.data(), slot.data()}, coefficient,
      dia.value.data());
  device_check(cudaGetLastError(), "launching the assembly of dia");
  device_check(cudaDeviceSynchronize(), "assembling dia on the GPU");
  return dia;
}

// How many entries couple by the fill; where it says nothing, how many values are not exactly zero. None is
// stored.
template <class T, class Model>
std::int64_t count_on_device(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                             const Model& model) {
  const auto& coefficient = coefficients_of(model, grid, boundary, whole_box(grid.extents));
  using namespace device_fill;
  const BlockStructure structure = block_structure(grid, stencil, boundary, fill_of(coefficient, grid.dof));
  if (structure.fill.said()) return most_non_zeros(structure);
  const Structure on_device(grid, stencil, boundary, structure);
  Array<unsigned long long, Device> count = upload(std::vector<unsigned long long>{0});
  count_kernel<T><<<on_device.blocks(), threads_per_block>>>(on_device.view(), coefficient, count.data());
  device_check(cudaGetLastError(), "launching the count of non-zeros");
  unsigned long long result = 0;
  memory::copy_to_host(&result, count.data(), sizeof result);
  return static_cast<std::int64_t>(result);
}

}  // namespace quadrille
