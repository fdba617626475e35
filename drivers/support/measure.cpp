#include "drivers/support/measure.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

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
  std::int64_t read = traffic.read_bytes, written = traffic.written_bytes;
  if (const std::int64_t largest = std::int64_t{1} << 30; space == SpaceKind::cpu && read > largest) {
    written = static_cast<std::int64_t>(static_cast<double>(written) * largest / static_cast<double>(read));
    read = largest;
  }
  const auto [at, is_new] = measured_.try_emplace({space, {read, written}}, 0.0);
  if (!is_new) return at->second;
  try {
    at->second = space == SpaceKind::cpu ? cpu::stream_gbps(read, written, stream_repetitions)
                                         : cuda::stream_gbps(read, written, stream_repetitions);
  } catch (const MemoryError&) {
    // stays 0: no ceiling
  }
  return at->second;
}

std::vector<std::pair<std::string, double>> Ceilings::all() const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto& [key, gbps] : measured_) {
    const auto& [space, bytes] = key;
    result.emplace_back(std::string(to_string(space)) + " stream reading " + bytes_text(bytes.first) +
                            " and writing " + bytes_text(bytes.second),
                        gbps);
  }
  return result;
}

std::int64_t last_cache_bytes(SpaceKind space, int device) {
  if (space == SpaceKind::cpu) return std::max<std::int64_t>(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
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
