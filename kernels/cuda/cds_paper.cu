// CDS on the GPU as the paper has it: Godwin, Holewinski, Sadayappan, GPGPU-5 2012, section 3.3. One thread
// owns one element of y and takes the columns of its block diagonals one after the other, for any number of
// unknowns per node; x comes through the texture cache of then. Beside ours (cds.cu), so that the paper's
// claims can be measured. The paper does not say how its kernel treats neighbours outside the grid: here a
// node beyond either end of the numbering is left out, and one across a periodic face is looked up.
#include <algorithm>

#include "kernels/cuda/cds_structure.cuh"
#include "kernels/cuda/spmv_paper.hpp"
#include "kernels/cuda/x_path.cuh"

namespace quadrille::cuda {
namespace {

template <CachePath Path, class T>
__global__ void __launch_bounds__(threads_per_block)
    cds_paper_kernel(const __grid_constant__ CdsStructure<max_diagonals> s, const T* __restrict__ values,
                     const T* x, Output<T> y) {
  const std::int64_t row = global_thread();
  if (row >= s.rows) return;
  const bool wraps = s.wraps_x || s.wraps_y || s.wraps_z;
  const int node = static_cast<int>(row / s.dof);
  T sum = 0;
#pragma unroll 1
  for (int d = 0; d < s.diagonals; ++d) {
    const std::int64_t to =
        wraps ? neighbour(s, node, d) * s.dof : static_cast<std::int64_t>(node) * s.dof + s.step[d];
    if (to < 0 || to >= s.rows) continue;
    const T* const value = values + static_cast<std::int64_t>(d) * s.dof * s.rows + row;
#pragma unroll 1
    for (int c = 0; c < s.dof; ++c) sum += value[c * s.rows] * load_x<Path>(x + to + c);
  }
  y.put(row, sum);
}

}  // namespace

template <class T>
void spmv_paper(const Execution& on, const BlockDiagonals<T, Device>& a, const T* x, Output<T> y) {
  if (a.rows() == 0) return;
  std::int64_t first = 0;
  do {  // once even for an operator without diagonals, whose product is zero
    const auto s = structure_of<max_diagonals>(a, first, false);
    const T* const values = a.values.data() + first * a.dof * a.rows();
    with_path(on.prepared.cache, [&]<CachePath Path>() {
      cds_paper_kernel<Path><<<blocks_for(a.rows()), threads_per_block, 0, stream_of(on)>>>(s, values, x, y);
    });
    QUADRILLE_CUDA_LAUNCHED("cds of the paper");
    y = y.more();
    first += max_diagonals;
  } while (first < a.diagonals());
}

template void spmv_paper(const Execution&, const BlockDiagonals<float, Device>&, const float*, Output<float>);
template void spmv_paper(const Execution&, const BlockDiagonals<double, Device>&, const double*,
                         Output<double>);

}  // namespace quadrille::cuda
