#include "kernels/cuda/begin_sums.hpp"

#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {
namespace {

// A thread owns an element.
template <class T>
__global__ void __launch_bounds__(threads_per_block) scale_kernel(std::int64_t size, Output<T> y) {
  const std::int64_t i = global_thread();
  if (i < size) y.to[i] = y.beta * y.from[i];
}

}  // namespace

template <class T>
void begin_sums(Queue queue, const Output<T>& y, std::int64_t size) {
  if (size == 0 || (y.beta == 1 && y.from == y.to)) return;
  if (y.beta == 0) {
    QUADRILLE_CUDA(cudaMemsetAsync(y.to, 0, static_cast<std::size_t>(size) * sizeof(T), stream_of(queue)));
    return;
  }
  scale_kernel<<<blocks_for(size), threads_per_block, 0, stream_of(queue)>>>(size, y);
  QUADRILLE_CUDA_LAUNCHED("the beginning of a sum");
}

template void begin_sums(Queue, const Output<float>&, std::int64_t);
template void begin_sums(Queue, const Output<double>&, std::int64_t);

}  // namespace quadrille::cuda
