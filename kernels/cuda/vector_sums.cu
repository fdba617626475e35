// Sums of products of vectors. A thread owns four neighbouring numbers of a block's 1024 and goes on by all
// blocks' numbers, of x and up to eight others, whose loads are all under way at once.
#include "kernels/vector_sums.hpp"

#include <algorithm>

#include "formats/copies.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/packs.hpp"

namespace quadrille::cuda {
namespace {

constexpr int together = 4;
constexpr int most_vectors = 8;  // of a launch

struct Shared {
  unsigned done;
  double of_block[most_vectors][most_summed_blocks];
};

template <int Count>
struct Vectors {
  const double* of[Count];
};

template <int Count>
__global__ void __launch_bounds__(threads_per_block)
    multiply_kernel(const double* __restrict__ x, const __grid_constant__ Vectors<Count> y, std::int64_t rows,
                    Shared* shared, double* sums) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * threads_per_block * together;
  double sum[Count] = {};
  std::int64_t i = global_thread() * together;
  for (; i + together <= rows; i += stride) {
    double of_x[together], of_y[Count][together];
    load(x + i, of_x);
#pragma unroll
    for (int v = 0; v < Count; ++v) load(y.of[v] + i, of_y[v]);
#pragma unroll
    for (int v = 0; v < Count; ++v)
#pragma unroll
      for (int k = 0; k < together; ++k) sum[v] += of_x[k] * of_y[v][k];
  }
  for (; i < rows; ++i)  // what is left behind the last four
#pragma unroll
    for (int v = 0; v < Count; ++v) sum[v] += x[i] * y.of[v][i];
  if (!sum_grid(sum, &shared->done, shared->of_block)) return;
#pragma unroll
  for (int v = 0; v < Count; ++v) sums[v] = sum[v];
}

// With as many vectors as `y` has, Count at most.
template <int Count>
void launch(cudaStream_t stream, unsigned blocks, const double* x, std::span<const double* const> y,
            std::int64_t rows, Shared* shared, double* sums) {
  if constexpr (Count > 1) {
    if (y.size() < Count) return launch<Count - 1>(stream, blocks, x, y, rows, shared, sums);
  }
  Vectors<Count> vectors;
  std::copy(y.begin(), y.end(), vectors.of);
  multiply_kernel<Count><<<blocks, threads_per_block, 0, stream>>>(x, vectors, rows, shared, sums);
}

class OnDevice final : public VectorSums {
 public:
  OnDevice() : shared_(1), found_(0) {
    zero_memory({}, shared_.data(), shared_.bytes());
    synchronize();
  }

  void multiply(Queue queue, std::int64_t rows, const double* x, std::span<const double* const> y,
                double* sums) override {
    if (y.empty()) return;
    const auto count = static_cast<std::int64_t>(y.size());
    if (found_.size() < count) found_ = Array<double, Device>(std::max<std::int64_t>(count, 64));
    const std::int64_t of_block = threads_per_block * together;
    const auto blocks = static_cast<unsigned>(
        std::clamp<std::int64_t>((rows + of_block - 1) / of_block, 1, most_summed_blocks));
    for (std::size_t first = 0; first < y.size(); first += most_vectors) {
      const auto some = y.subspan(first, std::min<std::size_t>(most_vectors, y.size() - first));
      launch<most_vectors>(stream_of(queue), blocks, x, some, rows, shared_.data(), found_.data() + first);
      QUADRILLE_CUDA_LAUNCHED("sums of products of vectors");
    }
    memory::count_to_host(count * 8);
    QUADRILLE_CUDA(cudaMemcpyAsync(sums, found_.data(), y.size() * sizeof(double), cudaMemcpyDeviceToHost,
                                   stream_of(queue)));
    QUADRILLE_CUDA(cudaStreamSynchronize(stream_of(queue)));
  }

 private:
  Array<Shared, Device> shared_;
  Array<double, Device> found_;
};

}  // namespace

std::unique_ptr<VectorSums> make_vector_sums() {
  return std::make_unique<OnDevice>();
}

}  // namespace quadrille::cuda
