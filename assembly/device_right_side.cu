#include "assembly/device_right_side.hpp"

#include <cuda_runtime_api.h>

#include <string>

#include "formats/format.hpp"

namespace quadrille {
namespace {

constexpr int threads_per_block = 256;

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw CudaError(std::string(what) + ": " + cudaGetErrorString(status));
}

unsigned blocks_for(std::int64_t size) {
  return static_cast<unsigned>(
      to_index32((size + threads_per_block - 1) / threads_per_block, "blocks of threads"));
}

__device__ std::int64_t my_index() {
  return static_cast<std::int64_t>(blockIdx.x) * threads_per_block + threadIdx.x;
}

// A thread a row of the box.
__global__ void __launch_bounds__(threads_per_block)
    add_kernel(const __grid_constant__ Grid grid, const __grid_constant__ NodeBox box,
               const double* __restrict__ values, double* __restrict__ rhs) {
  const std::int64_t i = my_index();
  if (i >= box.nodes() * grid.dof) return;
  const std::int64_t node = i / grid.dof, line = node / box.size[0];
  const NodePosition first = box.first_of_line(line);
  const Position at{first[0] + node % box.size[0], first[1], first[2]};
  rhs[node_index(grid, at) * grid.dof + i % grid.dof] += values[i];
}

// A thread a row of the grid.
__global__ void __launch_bounds__(threads_per_block)
    source_kernel(const __grid_constant__ Grid grid, const double* __restrict__ field, bool two_signs,
                  double* __restrict__ rhs) {
  const std::int64_t row = my_index();
  if (row >= grid.rows()) return;
  const std::int64_t node = row / grid.dof;
  const bool upper = two_signs && 2 * (node % grid.extents[0]) >= grid.extents[0];
  rhs[row] += field != nullptr ? field[node] : upper ? -1.0 : 1.0;
}

}  // namespace

Array<double, Device> zeros_on_device(std::int64_t size) {
  Array<double, Device> zeros(size);
  check(cudaMemset(zeros.data(), 0, static_cast<std::size_t>(zeros.bytes())), "clearing the right side");
  return zeros;
}

void add_to_box(const Grid& grid, const NodeBox& box, const std::vector<double>& values,
                Array<double, Device>& rhs) {
  if (values.empty()) return;
  const auto size = static_cast<std::int64_t>(values.size());
  Array<double, Device> there(size);
  memory::copy_to_device(there.data(), values.data(), there.bytes());
  add_kernel<<<blocks_for(size), threads_per_block>>>(grid, box, there.data(), rhs.data());
  check(cudaGetLastError(), "launching the right side");
  check(cudaDeviceSynchronize(), "making the right side on the GPU");
}

void add_usual_source(const Grid& grid, const Array<double>* field, bool two_signs,
                      Array<double, Device>& rhs) {
  const Array<double, Device> there = field != nullptr ? copy_to<Device>(*field) : Array<double, Device>{};
  source_kernel<<<blocks_for(grid.rows()), threads_per_block>>>(grid, there.data(), two_signs, rhs.data());
  check(cudaGetLastError(), "launching the right side");
  check(cudaDeviceSynchronize(), "making the right side on the GPU");
}

}  // namespace quadrille
