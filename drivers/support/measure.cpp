#include "drivers/support/measure.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "formats/array.hpp"
#include "kernels/cpu/stream.hpp"
#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

constexpr int warm_ups = 2;
constexpr int stream_repetitions = 7;

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

// The size of the CPU's last cache, all instances together, from sysfs; 0 when it does not say.
std::int64_t cpu_cache_bytes() {
  std::set<std::string> sharers;
  std::int64_t bytes = 0;
  for (int cpu = 0; cpu < 4096; ++cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index3/";
    std::string shared, size;
    if (!std::getline(std::ifstream(folder + "shared_cpu_list"), shared) ||
        !std::getline(std::ifstream(folder + "size"), size))
      break;
    if (sharers.insert(shared).second) bytes += std::strtoll(size.c_str(), nullptr, 10) * 1024;  // "32768K"
  }
  return bytes;
}

}  // namespace

template <class T>
Timing time_products(const SpmvOperator<T>& op, const T* x, T* y, int repetitions) {
  const auto wall_clock_ms = [&] {
    const auto start = std::chrono::steady_clock::now();
    op.apply(x, y);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  std::vector<double> ms;
  for (int i = 0; i < warm_ups + repetitions; ++i) {
    const double t = op.space() == SpaceKind::cpu ? wall_clock_ms() : cuda::time_ms([&] { op.apply(x, y); });
    if (i >= warm_ups) ms.push_back(t);
  }
  std::sort(ms.begin(), ms.end());
  const std::size_t half = ms.size() / 2;
  return {ms.size() % 2 == 1 ? ms[half] : (ms[half - 1] + ms[half]) / 2, ms.front(), ms.back()};
}

template Timing time_products(const SpmvOperator<float>&, const float*, float*, int);
template Timing time_products(const SpmvOperator<double>&, const double*, double*, int);

double Ceilings::gbps(SpaceKind space, const Traffic& traffic) {
  const double written = static_cast<double>(std::max<std::int64_t>(1, traffic.written_bytes));
  const double mix = std::max(0.5, std::round(2 * static_cast<double>(traffic.read_bytes) / written) / 2);
  const double largest = space == SpaceKind::cpu ? 1 << 30 : 1e300;
  const double size =
      std::min(largest, std::exp2(std::round(std::log2(static_cast<double>(traffic.compulsory_bytes())))));
  char name[96];
  std::snprintf(name, sizeof name, "%s stream %g:1, %s", to_string(space), mix,
                bytes_text(static_cast<std::int64_t>(size)).c_str());
  for (const auto& [known, gbps] : measured_)
    if (known == name) return gbps;
  const auto writes = static_cast<std::int64_t>(size / (mix + 1)),
             reads = static_cast<std::int64_t>(size) - writes;
  double gbps = 0;
  try {
    gbps = space == SpaceKind::cpu ? cpu::stream_gbps(reads, writes, stream_repetitions)
                                   : cuda::stream_gbps(reads, writes, stream_repetitions);
  } catch (const MemoryError&) {
    // stays 0: no ceiling
  }
  measured_.emplace_back(name, gbps);
  return gbps;
}

std::int64_t last_cache_bytes(SpaceKind space, int device) {
  if (space == SpaceKind::cpu) return cpu_cache_bytes();
  for (const cuda::DeviceInfo& gpu : cuda::devices())
    if (gpu.index == device) return gpu.l2_bytes;
  return 0;
}

std::vector<std::pair<std::string, std::string>> describe_machine(bool uses_gpu, int device) {
  std::vector<std::pair<std::string, std::string>> machine{
      {"cpu", cpu_name()},
      {"cores", std::to_string(sysconf(_SC_NPROCESSORS_ONLN))},
      {"threads", std::to_string(omp_get_max_threads())},
      {"available_memory", bytes_text(memory::available_host_bytes())}};
  if (uses_gpu)
    for (const cuda::DeviceInfo& gpu : cuda::devices())
      if (gpu.index == device) machine.emplace_back("gpu", gpu.name);
  if (uses_gpu) machine.emplace_back("cuda", cuda::versions());
  return machine;
}

}  // namespace quadrille
