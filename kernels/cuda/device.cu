#include "kernels/cuda/device.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "formats/array.hpp"
#include "kernels/cuda/stream.hpp"

namespace quadrille::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDefault) {
    QUADRILLE_CUDA(cudaEventCreateWithFlags(&event_, flags));
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }
  void record(Queue queue = {}) { QUADRILLE_CUDA(cudaEventRecord(event_, stream_of(queue))); }
  void wait() { QUADRILLE_CUDA(cudaEventSynchronize(event_)); }
  float ms_since(const Event& start) const {
    float ms = 0;
    QUADRILLE_CUDA(cudaEventElapsedTime(&ms, start.event_, event_));
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Thread i reads `reads` pairs of numbers, `threads` apart; every `period`-th warp writes what it summed.
__global__ void stream_kernel(const double2* __restrict__ in, double2* __restrict__ out, std::int64_t threads,
                              std::int64_t reads, std::int64_t period, std::int64_t writes) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= threads) return;
  double2 sum{0, 0};
#pragma unroll 8
  for (std::int64_t k = 0; k < reads; ++k) {
    const double2 value = __ldcs(in + k * threads + i);
    sum.x += value.x;
    sum.y += value.y;
  }
  const std::int64_t warp = i / 32, at = warp / period * 32 + i % 32;
  if ((warp % period == 0 && at < writes) || sum.x == -1.5) __stcs(out + (at < writes ? at : 0), sum);
}

__global__ void empty_kernel() {}

__global__ void fill_kernel(double* __restrict__ to, std::int64_t count, double value, std::int64_t step) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i * step] = value;
}

GpuProperties read_properties(int device) {
  const auto attribute = [&](cudaDeviceAttr name) {
    int value = 0;
    QUADRILLE_CUDA(cudaDeviceGetAttribute(&value, name, device));
    return value;
  };
  GpuProperties p;
  p.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  p.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.blocks_per_multiprocessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  p.l2_bytes = attribute(cudaDevAttrL2CacheSize);
  // kHz, bits; two transfers a clock
  const double gbps =
      2e-6 / 8 * attribute(cudaDevAttrMemoryClockRate) * attribute(cudaDevAttrGlobalMemoryBusWidth);
  if (gbps > 0) p.memory_gbps = gbps;
  return p;
}

// The driver's release, from the kernel's own file; its CUDA version where that file is not there.
std::string driver_text() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  int version = 0;
  const bool known = cudaDriverGetVersion(&version) == cudaSuccess && version > 0;
  return known ? "for CUDA " + version_text(version) : "";
}

void require_index(int index) {
  const int count = device_count();
  if (index < 0 || index >= count)
    throw CudaError("there is no GPU " + std::to_string(index) + ": this machine has " +
                    std::to_string(count) + "; use --space cpu to run without one");
}

}  // namespace

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();  // no device or no driver: not an error of a later call
  return 0;
}

DeviceInfo device_info(int index) {
  require_index(index);
  cudaDeviceProp p{};
  QUADRILLE_CUDA(cudaGetDeviceProperties(&p, index));
  return {index,
          p.name,
          p.major,
          p.minor,
          static_cast<std::int64_t>(p.totalGlobalMem),
          p.multiProcessorCount,
          p.l2CacheSize};
}

std::vector<FreeMemory> free_memory() {
  const int count = device_count(), current = current_device();
  std::vector<FreeMemory> found;
  for (int i = 0; i < count; ++i) {
    std::size_t free_bytes = 0, total_bytes = 0;
    QUADRILLE_CUDA(cudaSetDevice(i));
    QUADRILLE_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
    found.push_back({i, static_cast<std::int64_t>(free_bytes)});
  }
  if (count > 0) QUADRILLE_CUDA(cudaSetDevice(current));
  return found;
}

std::string versions() {
  const std::string driver = driver_text();
  return "toolkit " + version_text(CUDART_VERSION) + (driver.empty() ? ", no driver" : ", driver " + driver);
}

GpuProperties gpu_properties() {
  static const std::vector<GpuProperties> known = [] {
    std::vector<GpuProperties> all;
    for (int i = 0; i < device_count(); ++i) all.push_back(read_properties(i));
    return all;
  }();
  if (known.empty()) return {};
  return known.at(static_cast<std::size_t>(current_device()));
}

int current_device() {
  int current = 0;
  if (device_count() == 0) return current;
  QUADRILLE_CUDA(cudaGetDevice(&current));
  return current;
}

void use_device(int index) {
  require_index(index);
  QUADRILLE_CUDA(cudaSetDevice(index));
}

void prepare_frees(int gpu) {
  void* little = nullptr;
  if (cudaSetDevice(gpu) == cudaSuccess && cudaMalloc(&little, 1) == cudaSuccess)
    (void)cudaFreeAsync(little, nullptr);
  (void)cudaGetLastError();  // who frees says what is wrong
}

void synchronize() {
  if (device_count() > 0) QUADRILLE_CUDA(cudaDeviceSynchronize());
}

void wait_for(Queue before, Queue queue) {
  if (before.stream == queue.stream) return;
  Event event(cudaEventDisableTiming);  // CUDA keeps what the streams still need of it
  event.record(before);
  QUADRILLE_CUDA(cudaStreamWaitEvent(stream_of(queue), event.get(), 0));
}

void zero_memory(Queue queue, void* device, std::int64_t bytes) {
  if (bytes > 0)
    QUADRILLE_CUDA(cudaMemsetAsync(device, 0, static_cast<std::size_t>(bytes), stream_of(queue)));
}

void fill_memory(Queue queue, double* device, std::int64_t count, double value, std::int64_t step) {
  constexpr int threads = 256;
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>(to_index32((count + threads - 1) / threads, "blocks of threads"));
  fill_kernel<<<blocks, threads, 0, stream_of(queue)>>>(device, count, value, step);
  QUADRILLE_CUDA_LAUNCHED("fill");
}

void copy_memory(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0)
    QUADRILLE_CUDA(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice));
}

double time_ms(const std::function<void()>& work) {
  Event start, end;
  start.record();
  work();
  end.record();
  end.wait();
  return end.ms_since(start);
}

double empty_kernel_ms() {
  std::vector<double> ms;
  for (int i = 0; i < 101; ++i)
    ms.push_back(time_ms([] {
      empty_kernel<<<1, 32>>>();
      QUADRILLE_CUDA_LAUNCHED("an empty kernel");
    }));
  std::nth_element(ms.begin(), ms.begin() + 50, ms.end());
  return ms[50];
}

StreamSpeed stream_speed(std::int64_t read_bytes, std::int64_t written_bytes, int repetitions) {
  constexpr std::int64_t width = sizeof(double2), most_reads = 8, places = 4;
  const std::int64_t pairs = std::max<std::int64_t>(32, read_bytes / width);
  const std::int64_t writes = std::max<std::int64_t>(32, std::min(pairs, written_bytes / width));
  const std::int64_t reads = std::clamp<std::int64_t>(pairs / writes, 1, most_reads);
  const std::int64_t threads = pairs / reads, period = std::max<std::int64_t>(1, threads / writes);
  const std::int64_t size_in = threads * reads,
                     size_out = std::min(writes, (threads + 31) / 32 / period * 32 + 32);
  const auto blocks = static_cast<unsigned>((threads + 255) / 256);
  std::vector<Array<double2, Device>>
      held;  // all at once, for freed memory would come back as the same place
  std::vector<double> ms;
  for (int place = 0; place < places; ++place) {
    try {
      held.emplace_back(size_in);
      held.emplace_back(size_out);
    } catch (const MemoryError&) {
      if (place == 0) throw;
      break;
    }
    const double2* const in = held[2 * place].data();
    double2* const out = held[2 * place + 1].data();
    QUADRILLE_CUDA(cudaMemset(held[2 * place].data(), 1, static_cast<std::size_t>(held[2 * place].bytes())));
    const auto run = [&] {
      stream_kernel<<<blocks, 256>>>(in, out, threads, reads, period, size_out);
      QUADRILLE_CUDA_LAUNCHED("stream");
    };
    run();
    for (int i = 0; i < repetitions; ++i) ms.push_back(time_ms(run));
  }
  std::sort(ms.begin(), ms.end());
  const double gigabytes = 1e-9 * static_cast<double>((size_in + size_out) * width);
  return {1e3 * gigabytes / ms.front(), 1e3 * gigabytes / ms[ms.size() / 2]};
}

}  // namespace quadrille::cuda
