// Device memory of a build without CUDA: every request is refused.
#include "formats/array.hpp"
#include "formats/copies.hpp"
#include "formats/format.hpp"

namespace quadrille::memory {
namespace {

[[noreturn]] void refuse() {
  throw MemoryError("this build has no CUDA: install the CUDA toolkit, build again, or use --space cpu");
}

}  // namespace

void require_device(std::int64_t) {
  refuse();
}
void* allocate_device(std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  refuse();
}
void free_device(void*, std::int64_t) noexcept {}
void give_back_device(void*) noexcept {}
std::int64_t available_device_bytes() noexcept {
  return 0;
}
void copy_to_device(void*, const void*, std::int64_t) {
  refuse();
}
void copy_to_host(void*, const void*, std::int64_t) {
  refuse();
}
double upload_seconds() {
  return 0;
}
Copies copies_to_device() {
  return {};
}
Copies copies_to_host() {
  return {};
}
void count_to_device(std::int64_t) {}
void count_to_host(std::int64_t) {}

}  // namespace quadrille::memory
