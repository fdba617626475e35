// The GPUs of the machine, and timing on them. No CUDA header is needed to include this.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/queue.hpp"

namespace quadrille::cuda {

struct DeviceInfo {
  int index = 0;
  std::string name;
  int major = 0, minor = 0;  // compute capability
  std::int64_t total_bytes = 0;
  int multiprocessors = 0;
  std::int64_t l2_bytes = 0;
};

// 0 without a GPU, without a driver, or in a build without CUDA. Cheap, and no context is made.
int device_count();

// Takes some milliseconds; no context is made. Throws CudaError when there is no such device.
DeviceInfo device_info(int index);

// Of each GPU. Makes a context on each, of some 100 ms and as many MB: for messages, not for work.
struct FreeMemory {
  int index = 0;
  std::int64_t bytes = 0;
};
std::vector<FreeMemory> free_memory();

// "toolkit 13.0, driver 580.159.04", "toolkit 13.0, no driver" or "not built in".
std::string versions();

// What a model of a kernel's time asks of a GPU. The defaults are those of a large one, an H200.
struct GpuProperties {
  int multiprocessors = 132;
  int threads_per_multiprocessor = 2048;  // resident at once
  int blocks_per_multiprocessor = 32;     // resident at once
  std::int64_t l2_bytes = 60 << 20;
  double memory_gbps = 4916;  // clock times width of its bus
};

// Of the current GPU; the defaults without one. Cheap: asked once for each.
GpuProperties gpu_properties();

// The GPU that this thread uses; 0 without one.
int current_device();

// Selects the GPU that later calls use. Throws CudaError when there is no such device.
void use_device(int index);

// The first cudaFreeAsync() of a program, by which PETSc frees vectors, takes 8 ms, and so does this, on any
// thread; no later one does.
void prepare_frees(int gpu);

// Waits until the GPU has done all that was queued; nothing without one.
void synchronize();

// What is put into `queue` from now on waits for what `before` holds now. Nothing waits on the host.
void wait_for(Queue before, Queue queue);

// Copies within the memory of a GPU; in the default queue.
void copy_memory(void* to, const void* from, std::int64_t bytes);

// Sets all bits to zero; queued.
void zero_memory(Queue queue, void* device, std::int64_t bytes);

// Sets `count` numbers, each `step` behind the one before, to `value`; queued.
void fill_memory(Queue queue, double* device, std::int64_t count, double value, std::int64_t step = 1);

// Milliseconds of one run of `work`, which it puts into the default queue, by CUDA events around it.
double time_ms(const std::function<void()>& work);

// Milliseconds of a kernel that does nothing, by the same events: the median of many. What no product is
// faster than.
double empty_kernel_ms();

// GB/s of a stream, its launch included.
struct StreamSpeed {
  double best_gbps = 0, median_gbps = 0;
};

// A kernel that reads `read_bytes` and writes `written_bytes` with unit stride: the ceiling of a product with
// that traffic. Of `repetitions` runs in each of up to four places, for the same kernel differs by several
// per cent with where its arrays lie. Throws MemoryError unless the device has room for both arrays once.
StreamSpeed stream_speed(std::int64_t read_bytes, std::int64_t written_bytes, int repetitions);

}  // namespace quadrille::cuda
