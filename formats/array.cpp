#include "formats/array.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "formats/format.hpp"

namespace quadrille::memory {
namespace {

constexpr std::int64_t checked_from = 64 << 20;  // smaller requests are left to the allocator
constexpr std::int64_t huge_page = 2 << 20;

std::int64_t number_in(const char* path) {
  std::ifstream in(path);
  std::int64_t value = -1;
  return (in >> value) ? value : -1;
}

}  // namespace

std::int64_t available_host_bytes() {
  std::int64_t available = std::numeric_limits<std::int64_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string name, unit; meminfo >> name;) {
    std::int64_t kib = 0;
    if (name == "MemAvailable:" && meminfo >> kib) available = kib * 1024;
    std::getline(meminfo, unit);
  }
  const std::int64_t limit = number_in("/sys/fs/cgroup/memory.max");
  const std::int64_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit >= 0 && used >= 0) available = std::min(available, std::max<std::int64_t>(0, limit - used));
  return available;
}

void* allocate_host(std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes < 0) throw FormatError("an array of a negative size was asked for: a size overflowed 64 bits");
  if (bytes >= checked_from) {
    const std::int64_t available = available_host_bytes();
    if (bytes > available)
      throw MemoryError("not enough memory: " + bytes_text(bytes) + " needed, " + bytes_text(available) +
                        " free; choose a smaller grid, fewer DoF or fp32");
  }
  const std::int64_t alignment = bytes >= 2 * huge_page ? huge_page : 64;
  const std::int64_t padded = (bytes + alignment - 1) / alignment * alignment;
  void* p = std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(padded));
  if (p == nullptr) throw MemoryError("not enough memory: the system refused " + bytes_text(bytes));
  // Large pages keep the many concurrent streams of CDS within the TLB; a refusal costs speed only.
  if (alignment == huge_page) madvise(p, static_cast<std::size_t>(padded), MADV_HUGEPAGE);
  return p;
}

void free_host(void* p) noexcept {
  std::free(p);
}

}  // namespace quadrille::memory
