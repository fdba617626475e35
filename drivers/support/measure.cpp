#include "drivers/support/measure.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>

#include "formats/array.hpp"
#include "kernels/cpu/machine.hpp"
#include "kernels/cpu/stream.hpp"
#include "kernels/cuda/device.hpp"

namespace quadrille {
namespace {

constexpr int warm_ups = 2;
constexpr int stream_repetitions = 7;
constexpr int launch_repetitions = 50;  // of streams that take hardly longer than their launch

}  // namespace

template <class T>
ProductVectors<T>::ProductVectors(SpaceKind space, const std::vector<T>& from, std::int64_t outputs) {
  if (space == SpaceKind::cpu) {
    host_y = Array<T>(outputs);
    x = from.data();
    y = host_y.data();
    return;
  }
  device_x = Array<T, Device>(static_cast<std::int64_t>(from.size()));
  device_y = Array<T, Device>(outputs);
  memory::copy_to_device(device_x.data(), from.data(), device_x.bytes());
  x = device_x.data();
  y = device_y.data();
}

template <class T>
std::vector<double> product_times(const SpmvOperator<T>& op, const Product& product, const T* x, T* y,
                                  const Repetitions& repetitions) {
  const auto wall_clock_ms = [&] {
    const auto start = std::chrono::steady_clock::now();
    apply(op, product, x, y);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  const auto one_ms = [&] {
    return op.space() == SpaceKind::cpu ? wall_clock_ms() : cuda::time_ms([&] { apply(op, product, x, y); });
  };
  const double warm_ms = op.space() == SpaceKind::cpu ? 0 : repetitions.warm_up_ms;
  double warmed_ms = 0;
  for (int i = 0; i < warm_ups || warmed_ms < warm_ms; ++i) warmed_ms += one_ms();
  std::vector<double> ms;
  double spent_s = 0;
  for (int i = 0; i < repetitions.most && (i < repetitions.least || spent_s < repetitions.enough_s); ++i) {
    ms.push_back(one_ms());
    spent_s += 1e-3 * ms.back();
  }
  return ms;
}

Timing timing_of(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  const std::size_t half = ms.size() / 2;
  return {ms.size() % 2 == 1 ? ms[half] : (ms[half - 1] + ms[half]) / 2, ms.front(), ms.back(),
          static_cast<int>(ms.size())};
}

template <class T>
Timing time_products(const SpmvOperator<T>& op, const Product& product, const T* x, T* y,
                     const Repetitions& repetitions) {
  return timing_of(product_times(op, product, x, y, repetitions));
}

template struct ProductVectors<float>;
template struct ProductVectors<double>;
template std::vector<double> product_times(const SpmvOperator<float>&, const Product&, const float*, float*,
                                           const Repetitions&);
template std::vector<double> product_times(const SpmvOperator<double>&, const Product&, const double*,
                                           double*, const Repetitions&);
template Timing time_products(const SpmvOperator<float>&, const Product&, const float*, float*,
                              const Repetitions&);
template Timing time_products(const SpmvOperator<double>&, const Product&, const double*, double*,
                              const Repetitions&);

Ceilings::Stream& Ceilings::find(SpaceKind space, const Traffic& traffic, int threads) {
  const std::int64_t largest = std::int64_t{1} << (space == SpaceKind::cpu ? 30 : 32);
  const double total = static_cast<double>(std::max<std::int64_t>(1, traffic.compulsory_bytes()));
  const double scale = std::min(1.0, static_cast<double>(largest) / total);
  const auto scaled = [&](std::int64_t bytes) {
    return static_cast<std::int64_t>(scale * static_cast<double>(bytes));
  };
  Stream wanted{space,
                space == SpaceKind::cpu ? threads : 0,
                scaled(traffic.read_bytes),
                scaled(traffic.written_bytes),
                traffic.compulsory_bytes() <= last_cache_bytes(space, device_),
                0,
                0};
  const auto mix = [](const Stream& s) {
    return static_cast<double>(s.reads) / static_cast<double>(s.writes + 1);
  };
  const auto size = [](const Stream& s) { return static_cast<double>(s.reads + s.writes); };
  for (Stream& known : streams_)
    if (known.space == space && known.threads == wanted.threads && known.in_cache == wanted.in_cache &&
        std::abs(mix(known) - mix(wanted)) <= 0.5 &&
        std::abs(size(known) - size(wanted)) <= 0.1 * size(known))
      return known;
  return streams_.emplace_back(wanted);
}

double Ceilings::gbps(SpaceKind space, const Traffic& traffic, int threads) {
  const Stream& known = find(space, traffic, threads);
  return known.gbps > 0 ? known.gbps : again(space, traffic, threads);
}

double Ceilings::again(SpaceKind space, const Traffic& traffic, int threads) {
  Stream& stream = find(space, traffic, threads);
  try {
    if (space == SpaceKind::cpu) {
      stream.gbps =
          std::max(stream.gbps, cpu::stream_gbps(stream.reads, stream.writes, threads, stream_repetitions));
    } else {
      const cuda::StreamSpeed speed = cuda::stream_speed(
          stream.reads, stream.writes, stream.in_cache ? launch_repetitions : stream_repetitions);
      stream.gbps = std::max(stream.gbps, speed.best_gbps);
      if (stream.in_cache) stream.median_gbps = std::max(stream.median_gbps, speed.median_gbps);
    }
  } catch (const MemoryError&) {
    // stays as it is: no ceiling
  }
  return stream.gbps;
}

std::vector<std::pair<std::string, double>> Ceilings::all() const {
  std::vector<std::pair<std::string, double>> result;
  for (const Stream& s : streams_) {
    char mix[32];
    std::snprintf(mix, sizeof mix, "%.1f:1",
                  static_cast<double>(s.reads) / static_cast<double>(std::max<std::int64_t>(1, s.writes)));
    const std::string name =
        std::string(to_string(s.space)) + " stream " + mix + ", " + bytes_text(s.reads + s.writes) +
        (s.threads > 0 ? ", " + std::to_string(s.threads) + (s.threads == 1 ? " thread" : " threads") : "");
    result.emplace_back(name, s.gbps);
    if (s.median_gbps > 0) result.emplace_back(name + ", median", s.median_gbps);
  }
  return result;
}

std::int64_t last_cache_bytes(SpaceKind space, int device) {
  static const std::int64_t cpu_bytes = cpu::last_cache_bytes();
  if (space == SpaceKind::cpu) return cpu_bytes;
  static std::map<int, std::int64_t> known;
  if (const auto at = known.find(device); at != known.end()) return at->second;
  return known[device] = device < cuda::device_count() ? cuda::device_info(device).l2_bytes : 0;
}

std::string free_memory() {
  std::string text = bytes_text(memory::available_host_bytes()) + " of host memory";
  for (const cuda::FreeMemory& gpu : cuda::free_memory())
    text += ", " + bytes_text(gpu.bytes) + " of GPU " + std::to_string(gpu.index);
  return text;
}

std::vector<std::pair<std::string, std::string>> describe_machine(bool uses_gpu, int device) {
  std::vector<std::pair<std::string, std::string>> machine{
      {"cpu", cpu::name()},
      {"cores", std::to_string(sysconf(_SC_NPROCESSORS_ONLN))},
      {"threads", std::to_string(omp_get_max_threads())},
      {"available_memory", bytes_text(memory::available_host_bytes())}};
  if (uses_gpu && device < cuda::device_count()) machine.emplace_back("gpu", cuda::device_info(device).name);
  if (uses_gpu) {
    char ms[32];
    std::snprintf(ms, sizeof ms, "%.4f", cuda::empty_kernel_ms());
    machine.emplace_back("gpu_empty_kernel_ms", ms);
  }
  if (uses_gpu) machine.emplace_back("cuda", cuda::versions());
  return machine;
}

}  // namespace quadrille
