// A queue as CUDA knows it. Internal to kernels/cuda and kernels/cusparse.
#pragma once

#include "kernels/cuda/check.hpp"
#include "kernels/cuda/scratch.hpp"

namespace quadrille::cuda {

inline cudaStream_t stream_of(Queue queue) {
  return static_cast<cudaStream_t>(queue.stream);
}
inline cudaStream_t stream_of(const Execution& on) {
  return stream_of(on.queue);
}

// CUDA's number of a stream, which it never uses twice.
inline unsigned long long stream_id(Queue queue) {
  unsigned long long id = 0;
  QUADRILLE_CUDA(cudaStreamGetId(stream_of(queue), &id));
  return id;
}

}  // namespace quadrille::cuda
