#include "kernels/tuning/machine_model.hpp"

#include <omp.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "kernels/cpu/machine.hpp"
#include "kernels/cpu/stream.hpp"
#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

std::string gigabytes(double gbps) {
  return std::to_string(static_cast<long>(gbps + 0.5)) + " GB/s";
}

// The model of another GPU: its own stream, measured now.
MachineModel measured_model(const cuda::DeviceInfo& gpu) {
  MachineModel m = h200_model();
  m.name = gpu.name;
  m.cache_bytes = gpu.l2_bytes;
  m.memory_bytes = gpu.total_bytes;
  const double memory = m.memory_gbps;
  constexpr int repetitions = 3;  // in each of several places; programs wait for it
  const auto gbps = [&](std::int64_t bytes, double otherwise) {
    try {
      const double best = cuda::stream_speed(bytes / 9 * 8, bytes / 9, repetitions).best_gbps;
      const double us =
          1e-3 * static_cast<double>(bytes) / best - m.launch_us;  // its launch counts elsewhere
      return us > 0 ? 1e-3 * static_cast<double>(bytes) / us : otherwise;
    } catch (const MemoryError&) {
      return otherwise;
    }
  };
  m.memory_gbps = gbps(std::int64_t{512} << 20, m.memory_gbps);
  const double scale = m.memory_gbps / memory;
  m.cache_gbps = std::max(m.memory_gbps, gpu.l2_bytes > 0 ? gbps(gpu.l2_bytes / 2, scale * m.cache_gbps) : 0);
  m.gather_gbps *= scale;
  m.atomic_per_ns *= scale;
  m.basis = "the H200's constants with this GPU's own stream (" + gigabytes(m.memory_gbps) +
            " from memory, " + gigabytes(m.cache_gbps) + " from its cache)";
  return m;
}

}  // namespace

MachineModel h200_model() {
  MachineModel m;
  m.name = "NVIDIA H200";
  m.basis = "constants fitted to products measured on an H200 on 2026-11-21";
  m.space = SpaceKind::cuda;
  m.launch_us = 2.5;
  m.memory_gbps = 4550;
  m.cache_gbps = 6000;
  m.cache_bytes = std::int64_t{60} << 20;
  m.memory_bytes = std::int64_t{139} << 30;
  m.gather_gbps = 5000;
  m.atomic_per_ns = 60;
  m.convert_gbps = 10;  // about the median in results/h200_matrices_fp64.json
  m.copy_gbps = 8.5;    // from memory that is not pinned
  return m;
}

MachineModel gpu_model(int device) {
  static std::mutex mutex;
  static std::map<int, MachineModel> known;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = known.find(device); found != known.end()) return found->second;
  const cuda::DeviceInfo gpu = cuda::device_info(device);
  return known[device] = gpu.name == h200_model().name ? h200_model() : measured_model(gpu);
}

MachineModel cpu_model(int threads, double memory_gbps, double cache_gbps, std::int64_t cache_bytes) {
  MachineModel m;
  m.name = "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  m.basis = "a stream of " + gigabytes(memory_gbps) +
            " here, and the time for each entry of a core of an AMD EPYC (Zen 3)";
  m.space = SpaceKind::cpu;
  m.threads = threads;
  m.launch_us = threads > 1 ? 5 : 0.5;
  m.memory_gbps = memory_gbps;
  m.cache_gbps = cache_gbps;
  m.cache_bytes = cache_bytes;
  m.convert_gbps = std::min(10.0, memory_gbps / 4);  // the greater part of a conversion keeps few cores busy
  return m;
}

MachineModel cpu_model(int threads) {
  static std::mutex mutex;
  static std::map<int, MachineModel> known;
  const std::lock_guard<std::mutex> lock(mutex);
  if (threads <= 0) threads = omp_get_max_threads();
  if (const auto found = known.find(threads); found != known.end()) return found->second;
  const std::int64_t cache = cpu::last_cache_bytes();
  double memory_gbps = 20, cache_gbps = 40;  // where there is no memory to measure with
  try {
    const std::int64_t far = std::max<std::int64_t>(std::int64_t{96} << 20, 2 * cache);
    memory_gbps = cpu::stream_gbps(far / 9 * 8, far / 9, threads, 3);
    cache_gbps = std::max(memory_gbps, cache > 0 ? cpu::stream_gbps(cache / 4, cache / 32, threads, 7) : 0);
  } catch (const MemoryError&) {
  }
  return known[threads] = cpu_model(threads, memory_gbps, cache_gbps, cache);
}

MachineModel usual_cpu_model() {
  const int threads = omp_get_max_threads();
  const double gbps = std::min(200.0, 10.0 * threads);
  MachineModel m = cpu_model(threads, gbps, 2 * gbps, cpu::last_cache_bytes());
  m.basis = "a stream of " + gigabytes(gbps) +
            ", as is usual for so many threads, and the time for each entry of a core of an AMD EPYC (Zen 3)";
  return m;
}

std::optional<FormatConstants> constants_for(const FormatTraits& format, const Sparsity& s,
                                             const MachineModel& machine, bool transposed) {
  const bool on_gpu = machine.space == SpaceKind::cuda;
  std::optional<FormatConstants> c = on_gpu ? format.gpu : format.cpu;
  if (transposed) c = on_gpu ? format.gpu_transposed : format.cpu_transposed;
  if (c && format.constants_of != nullptr) c = format.constants_of(*c, s, machine);
  return c;
}

}  // namespace quadrille
