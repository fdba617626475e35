#include "formats/array.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "formats/format.hpp"
#include "formats/reuse.hpp"

namespace quadrille::memory {
namespace {

constexpr std::int64_t checked_from = 64 << 20;  // smaller requests are left to the allocator
constexpr std::int64_t huge_page = 2 << 20;

std::int64_t number_in(const std::string& path) {
  std::ifstream in(path);
  std::int64_t value = -1;
  return (in >> value) ? value : -1;
}

// The value after `name` in a file of "name value" lines, or 0.
std::int64_t number_after(const std::string& path, const std::string& name) {
  std::ifstream in(path);
  std::string word, rest;
  for (std::int64_t value = 0; in >> word >> value; std::getline(in, rest))
    if (word == name) return value;
  return 0;
}

// What one control group leaves: its limit less what is used and cannot be dropped. Files that are not there
// set no limit.
std::int64_t left_in_group(const std::string& folder, const char* limit, const char* usage,
                           const char* droppable) {
  const std::int64_t allowed = number_in(folder + limit), used = number_in(folder + usage);
  if (allowed < 0 || used < 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, allowed - (used - number_after(folder + "memory.stat", droppable)));
}

// The tightest limit of the process's control groups, versions 1 and 2, up to the root.
std::int64_t left_in_groups() {
  std::int64_t left = std::numeric_limits<std::int64_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (!controllers.empty() && controllers.find("memory") == std::string::npos) continue;
    while (true) {
      left = std::min(left, controllers.empty()
                                ? left_in_group("/sys/fs/cgroup" + path + "/", "memory.max", "memory.current",
                                                "inactive_file")
                                : left_in_group("/sys/fs/cgroup/memory" + path + "/", "memory.limit_in_bytes",
                                                "memory.usage_in_bytes", "total_inactive_file"));
      if (path.empty()) break;
      path.erase(path.find_last_of('/'));
    }
  }
  return left;
}

}  // namespace

std::int64_t available_host_bytes() {
  const std::int64_t kib = number_after("/proc/meminfo", "MemAvailable:");
  return std::min(kib > 0 ? kib * 1024 : std::numeric_limits<std::int64_t>::max(), left_in_groups());
}

void require_host(std::int64_t bytes, const char* advice) {
  if (bytes < checked_from) return;
  std::int64_t available = available_host_bytes();
  if (bytes > available && release_kept()) available = available_host_bytes();
  if (bytes > available)
    throw MemoryError("not enough memory: " + bytes_text(bytes) + " needed, " + bytes_text(available) +
                      " free; " + advice);
}

void* allocate_host(std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes < 0) throw FormatError("an array of more bytes than 64 bits count was asked for");
  if (void* const kept = take_kept(false, bytes)) return kept;
  require_host(bytes);
  const std::int64_t alignment = bytes >= 2 * huge_page ? huge_page : 64;
  const std::int64_t padded = (bytes + alignment - 1) / alignment * alignment;
  const auto allocated = [&] {
    return std::aligned_alloc(static_cast<std::size_t>(alignment), static_cast<std::size_t>(padded));
  };
  void* p = allocated();
  if (p == nullptr && release_kept()) p = allocated();
  if (p == nullptr) throw MemoryError("not enough memory: the system refused " + bytes_text(bytes));
  // Large pages keep the many concurrent streams of CDS within the TLB; a refusal costs speed only.
  if (alignment == huge_page) madvise(p, static_cast<std::size_t>(padded), MADV_HUGEPAGE);
  return p;
}

void free_host(void* p, std::int64_t bytes) noexcept {
  if (p != nullptr && !keep(false, p, bytes)) give_back_host(p);
}
void give_back_host(void* p) noexcept {
  std::free(p);
}

}  // namespace quadrille::memory
