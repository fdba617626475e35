// A queue beside the default one, for a kernel that keeps few multiprocessors busy while another one runs.
#pragma once

#include <cuda_runtime_api.h>

#include <map>

#include "assembly/device_check.cuh"

namespace quadrille::device_residual_detail {

class SideQueue {
 public:
  SideQueue() {
    device_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a queue on the GPU");
    device_check(cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming), "an event on the GPU");
    device_check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "an event on the GPU");
    int device = 0, count = 0;
    device_check(cudaGetDevice(&device), "the current GPU");
    device_check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "the current GPU");
    multiprocessors_ = static_cast<unsigned>(count);
  }
  unsigned multiprocessors() const { return multiprocessors_; }
  // Whatever the default queue has so far comes first. What both of begin() and end() have between them may
  // run at the same time.
  cudaStream_t begin() {
    device_check(cudaEventRecord(begun_, nullptr), "an event on the GPU");
    device_check(cudaStreamWaitEvent(stream_, begun_), "an event on the GPU");
    return stream_;
  }
  // The default queue waits for it from here on.
  void end() {
    device_check(cudaEventRecord(done_, stream_), "an event on the GPU");
    device_check(cudaStreamWaitEvent(nullptr, done_), "an event on the GPU");
  }

  // Of the current device and this thread. It is never given back: at the end of a program the driver, which
  // would take it, may be gone.
  static SideQueue& of_device() {
    static thread_local std::map<int, SideQueue*> queues;
    int device = 0;
    device_check(cudaGetDevice(&device), "the current GPU");
    SideQueue*& queue = queues[device];
    if (queue == nullptr) queue = new SideQueue;
    return *queue;
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begun_ = nullptr, done_ = nullptr;
  unsigned multiprocessors_ = 1;
};

}  // namespace quadrille::device_residual_detail
