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

// y = A x on the H200, printed by results/fit_model.py. dia, rg_csr and cmrs, whose times stray furthest from
// the fit, have a tenth more: among predictions the least is often one that is too low.
std::vector<FormatConstants> gpu_formats() {
  //        format   share  fixed entry gather step atomic
  return {
      {"csr", 1.053, 0.75, 0.064, 1.61, 0.097, 0.00},    {"csc", 1.053, 2.72, 0.086, 8.00, 0.606, 0.04},
      {"coo", 1.053, 0.24, 0.243, 3.84, 1.243, 0.00},    {"bcsr", 1.053, 0.73, 0.000, 1.59, 0.097, 0.00},
      {"dia", 0.835, 0.33, 0.000, 0.00, 0.559, 0.00},    {"cds", 0.925, 0.00, 0.000, 0.00, 0.274, 0.00},
      {"ell", 1.053, 0.00, 0.386, 0.43, 0.730, 0.00},    {"ellr_t", 0.996, 0.45, 0.000, 0.85, 0.230, 0.00},
      {"rg_csr", 0.957, 0.25, 0.320, 0.56, 0.546, 0.00}, {"cmrs", 0.957, 0.81, 0.175, 2.15, 0.311, 0.00},
      {"hyb", 1.053, 0.00, 0.355, 0.53, 0.911, 0.00}};
}

// y = A^T x: csr and csc as each other's products; dia and cds by results/h200_transpose_*.json.
std::vector<FormatConstants> gpu_transposed() {
  return {{"csr", 1.053, 2.72, 0.086, 8.00, 0.606, 0.04},
          {"csc", 1.053, 0.75, 0.064, 1.61, 0.097, 0},
          {"dia", 0.900, 0.33, 0, 0, 0.559, 0},
          {"cds", 0.900, 0.00, 0, 0, 0.274, 0}};
}

// One thread of an AMD EPYC (Zen 3), fp64: what results/cpu_spmv_*.json took beyond the stream of the same
// bytes.
std::vector<FormatConstants> cpu_formats() {
  std::vector<FormatConstants> formats;
  for (const auto& [format, entry_ps] : {std::pair{"csr", 345.0},
                                         {"csc", 750.0},
                                         {"coo", 330.0},
                                         {"bcsr", 200.0},
                                         {"dia", 250.0},
                                         {"cds", 60.0},
                                         {"ell", 560.0},
                                         {"ellr_t", 520.0},
                                         {"rg_csr", 640.0},
                                         {"cmrs", 2600.0},
                                         {"hyb", 720.0}})
    formats.push_back({.format = format, .entry_ps = entry_ps});
  return formats;
}

// Not measured by themselves: the sums of csr go to scattered places as csc's do, and the other way round.
std::vector<FormatConstants> cpu_transposed() {
  std::vector<FormatConstants> formats;
  for (const auto& [format, entry_ps] :
       {std::pair{"csr", 750.0}, {"csc", 345.0}, {"dia", 250.0}, {"cds", 60.0}})
    formats.push_back({.format = format, .entry_ps = entry_ps});
  return formats;
}

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
  const auto gbps = [&](std::int64_t bytes, double otherwise) {
    try {
      const double best = cuda::stream_speed(bytes / 9 * 8, bytes / 9, 20).best_gbps;
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
  m.formats = gpu_formats();
  m.transposed = gpu_transposed();
  return m;
}

MachineModel gpu_model(int device) {
  static std::mutex mutex;
  static std::map<int, MachineModel> known;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = known.find(device); found != known.end()) return found->second;
  for (const cuda::DeviceInfo& gpu : cuda::devices()) {
    if (gpu.index != device) continue;
    return known[device] = gpu.name == h200_model().name ? h200_model() : measured_model(gpu);
  }
  throw CudaError("there is no GPU " + std::to_string(device));
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
  m.formats = cpu_formats();
  m.transposed = cpu_transposed();
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

const FormatConstants* find_constants(const MachineModel& machine, const std::string& format,
                                      bool transposed) {
  for (const FormatConstants& c : transposed ? machine.transposed : machine.formats)
    if (c.format == format) return &c;
  return nullptr;
}

}  // namespace quadrille
