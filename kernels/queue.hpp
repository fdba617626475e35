// Where work on the GPU is queued. No CUDA header is needed to include this.
#pragma once

namespace quadrille {

// A stream of CUDA (a cudaStream_t), null for its default stream; on the CPU it means nothing. Work of one
// queue runs in its order, work of two may run at the same time (but CUDA's default stream waits for the
// blocking ones, and they for it). A product is queued and may still run on return: who reads the result on
// the host waits for the queue, who reads it in another queue orders the two (cuda::wait_for). The stream
// belongs to whoever made it and outlives what is queued there.
struct Queue {
  void* stream = nullptr;
};

}  // namespace quadrille
