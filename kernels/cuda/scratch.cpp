#include "kernels/cuda/scratch.hpp"

#include "kernels/cuda/stream.hpp"

namespace quadrille::cuda {

Scratch::Part& Scratch::of(Queue queue, std::int64_t counters, std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  Part& part = parts_[stream_id(queue)];
  if (part.counters.size() < counters) {
    part.counters = Array<std::int32_t, Device>(counters);
    QUADRILLE_CUDA(cudaMemsetAsync(part.counters.data(), 0, static_cast<std::size_t>(part.counters.bytes()),
                                   stream_of(queue)));
  }
  if (part.sums.size() < bytes) part.sums = Array<std::byte, Device>(bytes);
  return part;
}

}  // namespace quadrille::cuda
