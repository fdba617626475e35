#include "kernels/cpu/machine.hpp"

#include <cstdlib>
#include <fstream>
#include <set>

namespace quadrille::cpu {

std::string name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::int64_t last_cache_bytes() {
  std::set<std::string> sharers;
  std::int64_t bytes = 0;
  for (int cpu = 0; cpu < 4096; ++cpu) {
    const std::string cache = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index";
    std::string shared, size;
    for (int level = 4; level >= 0 && size.empty(); --level) {
      std::ifstream list(cache + std::to_string(level) + "/shared_cpu_list");
      std::ifstream text(cache + std::to_string(level) + "/size");
      if (!std::getline(list, shared) || !std::getline(text, size)) size.clear();
    }
    if (size.empty()) break;
    if (sharers.insert(shared).second) bytes += std::strtoll(size.c_str(), nullptr, 10) * 1024;  // "32768K"
  }
  return bytes;
}

}  // namespace quadrille::cpu
