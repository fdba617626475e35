// Device memory through the CUDA runtime.
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <string>

#include "formats/array.hpp"
#include "formats/format.hpp"

namespace quadrille::memory {
namespace {

void check(cudaError_t status, const std::string& what) {
  if (status != cudaSuccess) throw CudaError(what + ": " + cudaGetErrorString(status));
}

std::atomic<double> seconds_uploading = 0;

}  // namespace

void require_device(std::int64_t bytes) {
  std::size_t free_bytes = 0, total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking the GPU for its free memory");
  if (bytes > static_cast<std::int64_t>(free_bytes))
    throw MemoryError("not enough GPU memory: " + bytes_text(bytes) + " needed, " +
                      bytes_text(static_cast<std::int64_t>(free_bytes)) +
                      " free; choose a smaller grid, fewer DoF, fp32 or another format");
}

void* allocate_device(std::int64_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes < 0) throw FormatError("an array of more bytes than 64 bits count was asked for");
  void* p = nullptr;
  const cudaError_t status = cudaMalloc(&p, static_cast<std::size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    require_device(
        bytes);  // with needed and free bytes; asking for them before would take longer than the rest
  }
  check(status, "allocating " + bytes_text(bytes) + " on the GPU");
  return p;
}

void free_device(void* p) noexcept {
  if (p != nullptr) cudaFree(p);
}

void copy_to_device(void* device, const void* host, std::int64_t bytes) {
  const auto start = std::chrono::steady_clock::now();
  if (bytes > 0)
    check(cudaMemcpy(device, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice),
          "copying " + bytes_text(bytes) + " to the GPU");
  seconds_uploading =
      seconds_uploading + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double upload_seconds() {
  return seconds_uploading;
}

void copy_to_host(void* host, const void* device, std::int64_t bytes) {
  if (bytes > 0)
    check(cudaMemcpy(host, device, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost),
          "copying " + bytes_text(bytes) + " from the GPU");
}

}  // namespace quadrille::memory
