// Conjugate gradients in GPU memory. A thread owns four neighbouring numbers of a block's 1024 and goes on by
// all blocks' numbers: two loads of 16 bytes from each vector, all under way at once. The blocks, of which
// there are no more than a GPU runs at once, add up in a fixed order each, and the last one that is done adds
// up the sums of all.
#include <algorithm>
#include <cstddef>

#include "formats/copies.hpp"
#include "kernels/conjugate_gradient_passes.hpp"
#include "kernels/cuda/launch.cuh"

namespace quadrille::cuda {
namespace {

using namespace conjugate_gradient;

constexpr int together = 4;

// In GPU memory. A product writes to pq and pq_before.
static_assert(offsetof(Sums, pq_before) == offsetof(Sums, pq) + sizeof(double));
struct State {
  Sums sums;
  unsigned done = 0;  // blocks of this pass
};
struct Shared {
  State state;
  double of_block[2][most_summed_blocks];
};

template <class Pass>
__global__ void __launch_bounds__(threads_per_block)
    pass_kernel(const __grid_constant__ Pass pass, std::int64_t rows, Shared* shared) {
  constexpr int count = Pass::sums > 0 ? Pass::sums : 1;
  const auto factor = pass.factor(shared->state.sums);
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * threads_per_block * together;
  double pair[count][together] = {}, sum[count] = {};
  std::int64_t i = global_thread() * together;
  const std::int64_t last = rows / together * together - together;
  for (; i + together <= rows; i += stride) pass.run(Pass::backwards ? last - i : i, factor, pair);
  for (; i < rows; ++i) {  // what is left behind the last four
    double one[count][1] = {};
    pass.run(i, factor, one);
    for (int s = 0; s < count; ++s) sum[s] += one[s][0];
  }
  if constexpr (Pass::sums > 0) {
#pragma unroll
    for (int s = 0; s < count; ++s)
      for (int k = 0; k < together; ++k) sum[s] += pair[s][k];
    if (sum_grid(sum, &shared->state.done, shared->of_block)) pass.take(shared->state.sums, sum);
  }
}

template <class Pass>
__global__ void __launch_bounds__(threads_per_block)
    take_kernel(const __grid_constant__ Pass pass, const double* part, std::int64_t count, Shared* shared) {
  double sum[Pass::sums] = {};
  for (std::int64_t i = threadIdx.x; i < count; i += threads_per_block) sum[0] += part[i];
  sum[0] = sum_block<threads_per_block>(sum[0]);
  if (threadIdx.x == 0) pass.take(shared->state.sums, sum);
}

// What a GPU copies to without a detour, and when that is done.
class PinnedSums {
 public:
  PinnedSums() {
    QUADRILLE_CUDA(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming));
    if (const cudaError_t status = cudaMallocHost(&sums_, sizeof(Sums)); status != cudaSuccess) {
      (void)cudaEventDestroy(copied_);
      QUADRILLE_CUDA(status);
    }
  }
  ~PinnedSums() {
    (void)cudaFreeHost(sums_);
    (void)cudaEventDestroy(copied_);
  }
  PinnedSums(const PinnedSums&) = delete;
  PinnedSums& operator=(const PinnedSums&) = delete;
  Sums* get() const { return static_cast<Sums*>(sums_); }
  cudaEvent_t copied() const { return copied_; }

 private:
  cudaEvent_t copied_ = nullptr;
  void* sums_ = nullptr;
};

class OnDevice final : public ConjugateGradients {
 public:
  explicit OnDevice(std::int64_t rows) : rows_(rows), shared_(1) {
    // CUDA loads a kernel when it is first asked for, which takes longer than many passes.
    cudaFuncAttributes loaded{};
    for (const void* kernel : {reinterpret_cast<const void*>(pass_kernel<MakeRz>),
                               reinterpret_cast<const void*>(take_kernel<MakeRz>),
                               reinterpret_cast<const void*>(pass_kernel<Turn>),
                               reinterpret_cast<const void*>(pass_kernel<MakePq>),
                               reinterpret_cast<const void*>(pass_kernel<Step>),
                               reinterpret_cast<const void*>(pass_kernel<Finish>)})
      QUADRILLE_CUDA(cudaFuncGetAttributes(&loaded, kernel));
  }

  void begin(Queue queue) override { set(queue, {}); }
  void make_rz(Queue queue, const double* r, const double* z) override { run(queue, MakeRz{r, z}); }
  void take_rz(Queue queue, const double* part, std::int64_t count) override {
    take_kernel<<<1, threads_per_block, 0, stream_of(queue)>>>(MakeRz{}, part, count, shared_.data());
    QUADRILLE_CUDA_LAUNCHED("a sum of conjugate gradients");
  }
  void turn(Queue queue, const double* z, double* p, double* x) override { run(queue, Turn{z, p, x}); }
  void make_pq(Queue queue, const double* p, const double* q) override { run(queue, MakePq{p, q}); }
  void step(Queue queue, const double* q, double* r) override { run(queue, Step{q, r}); }
  void finish(Queue queue, const double* p, double* x) override { run(queue, Finish{p, x}); }
  void draw(Queue queue, double* p) override { run(queue, Draw{p}); }
  void find_alone(Queue queue, const double* p, const double* q, double* w) override {
    run(queue, FindAlone{p, q, w});
  }
  void multiply(Queue queue, const double* w, const double* r, double* p) override {
    run(queue, Multiply{w, r, p});
  }
  double* pq() override {
    return reinterpret_cast<double*>(reinterpret_cast<char*>(shared_.data()) + offsetof(Sums, pq));
  }
  void begin_sums(Queue queue) override {
    memory::count_to_host(sizeof(Sums));
    QUADRILLE_CUDA(cudaMemcpyAsync(found_.get(), &shared_.data()->state.sums, sizeof(Sums),
                                   cudaMemcpyDeviceToHost, stream_of(queue)));
    QUADRILLE_CUDA(cudaEventRecord(found_.copied(), stream_of(queue)));
  }
  Sums end_sums() override {
    QUADRILLE_CUDA(cudaEventSynchronize(found_.copied()));
    return *found_.get();
  }
  void set_sums(Queue queue, const Sums& sums) override { set(queue, {sums}); }

 private:
  // From pageable memory, which is read before this returns.
  void set(Queue queue, const State& state) {
    memory::count_to_device(sizeof state);
    QUADRILLE_CUDA(cudaMemcpyAsync(&shared_.data()->state, &state, sizeof state, cudaMemcpyHostToDevice,
                                   stream_of(queue)));
  }
  template <class Pass>
  void run(Queue queue, const Pass& pass) {
    const std::int64_t wanted = (rows_ + threads_per_block * together - 1) / (threads_per_block * together);
    const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, most_summed_blocks));
    pass_kernel<<<blocks, threads_per_block, 0, stream_of(queue)>>>(pass, rows_, shared_.data());
    QUADRILLE_CUDA_LAUNCHED("a pass of conjugate gradients");
  }

  std::int64_t rows_;
  Array<Shared, Device> shared_;
  PinnedSums found_;
};

}  // namespace

std::unique_ptr<ConjugateGradients> make_conjugate_gradients(std::int64_t rows) {
  return std::make_unique<OnDevice>(rows);
}

}  // namespace quadrille::cuda
