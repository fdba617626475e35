// Device memory through the CUDA runtime.
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <string>

#include "formats/array.hpp"
#include "formats/copies.hpp"
#include "formats/format.hpp"
#include "formats/reuse.hpp"

namespace quadrille::memory {
namespace {

void check(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess) throw CudaError(what + ": " + cudaGetErrorString(status));
}

std::atomic<double> seconds_uploading = 0;

struct Counter {
  std::atomic<std::int64_t> count = 0, bytes = 0;
  void add(std::int64_t of_copy) {
    ++count;
    bytes += of_copy;
  }
  Copies so_far() const { return {count, bytes}; }
};
Counter to_device, to_host;

}  // namespace

std::int64_t available_device_bytes() noexcept {
  std::size_t free_bytes = 0, total_bytes = 0;
  if (cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess) return static_cast<std::int64_t>(free_bytes);
  (void)cudaGetLastError();
  return 0;
}

void require_device(std::int64_t bytes) {
  std::size_t free_bytes = 0, total_bytes = 0;
  const auto ask = [&] {
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking the GPU for its free memory");
    return static_cast<std::int64_t>(free_bytes);
  };
  if (bytes > ask() && (!release_kept() || bytes > ask()))
    throw MemoryError("not enough GPU memory: " + bytes_text(bytes) + " needed, " +
                      bytes_text(static_cast<std::int64_t>(free_bytes)) +
                      " free; choose a smaller grid, fewer DoF, fp32 or another format");
}

void* allocate_device(std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes < 0) throw FormatError("an array of more bytes than 64 bits count was asked for");
  void* p = take_kept(true, bytes);
  if (p != nullptr) return p;
  cudaError_t status = cudaMalloc(&p, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation && release_kept()) {
    (void)cudaGetLastError();
    status = cudaMalloc(&p, static_cast<std::size_t>(bytes));
  }
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    require_device(
        bytes);  // with needed and free bytes; asking for them before would take longer than the rest
  }
  check(status, "allocating " + bytes_text(bytes) + " on the GPU");
  return p;
}

void free_device(void* p, std::int64_t bytes) noexcept {
  if (p != nullptr && !keep(true, p, bytes)) give_back_device(p);
}
void give_back_device(void* p) noexcept {
  cudaFree(p);
}

void copy_to_device(void* device, const void* host, std::int64_t bytes) {
  const auto start = std::chrono::steady_clock::now();
  if (bytes > 0) {
    count_to_device(bytes);
    check(cudaMemcpy(device, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice),
          "copying " + bytes_text(bytes) + " to the GPU");
  }
  seconds_uploading =
      seconds_uploading + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double upload_seconds() {
  return seconds_uploading;
}

void copy_to_host(void* host, const void* device, std::int64_t bytes) {
  if (bytes <= 0) return;
  count_to_host(bytes);
  check(cudaMemcpy(host, device, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
        "copying " + bytes_text(bytes) + " from the GPU");
}

Copies copies_to_device() {
  return to_device.so_far();
}
Copies copies_to_host() {
  return to_host.so_far();
}
void count_to_device(std::int64_t bytes) {
  to_device.add(bytes);
}
void count_to_host(std::int64_t bytes) {
  to_host.add(bytes);
}

}  // namespace quadrille::memory
