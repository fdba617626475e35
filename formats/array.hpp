// Owned arrays in host or device memory: sized once, moved, never copied by accident.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace quadrille {

struct Host {};
struct Device {};

namespace memory {

// Throws MemoryError, naming needed and available bytes, when so much cannot be had. Pages count once they
// are written, so whoever is about to fill several arrays asks for their sum first. The message ends with
// `advice`.
void require_host(std::int64_t bytes, const char* advice = "choose a smaller grid, fewer DoF or fp32");
// One array; a large one is checked by itself.
void* allocate_host(std::int64_t bytes);
void free_host(void* p, std::int64_t bytes) noexcept;
std::int64_t available_host_bytes();

// The device's side; without CUDA these throw MemoryError. Sizes in bytes.
void require_device(std::int64_t bytes);
void* allocate_device(std::int64_t bytes);
void free_device(void* p, std::int64_t bytes) noexcept;
std::int64_t available_device_bytes() noexcept;  // 0 where it cannot be told
void copy_to_device(void* device, const void* host, std::int64_t bytes);
void copy_to_host(void* host, const void* device, std::int64_t bytes);
// Time spent in copy_to_device since the program started.
double upload_seconds();

// Past what is kept for other arrays (formats/reuse.hpp).
void give_back_host(void* p) noexcept;
void give_back_device(void* p) noexcept;

}  // namespace memory

template <class T, class Space = Host>
class Array {
  static_assert(std::is_trivially_copyable_v<T>, "the elements of an Array are copied byte by byte");

 public:
  Array() = default;

  // Uninitialised: host pages are placed by the thread that first writes them.
  explicit Array(std::int64_t size) : size_(size), data_(allocate(size)) {}

  Array(std::int64_t size, T value) requires std::is_same_v<Space, Host> : Array(size) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < size_; ++i) data_[i] = value;
  }

  Array(std::initializer_list<T> values) requires std::is_same_v<Space, Host>
      : Array(static_cast<std::int64_t>(values.size())) {
    std::copy(values.begin(), values.end(), data_);
  }

  Array(Array&& other) noexcept
      : size_(std::exchange(other.size_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if constexpr (std::is_same_v<Space, Host>)
      memory::free_host(data_, bytes());
    else
      memory::free_device(data_, bytes());
  }

  std::int64_t size() const {
    return size_;
  }
  std::int64_t bytes() const {
    return size_ * static_cast<std::int64_t>(sizeof(T));
  }
  T* data() {
    return data_;
  }
  const T* data() const {
    return data_;
  }

  // Element access, on the host only.
  T& operator[](std::int64_t i) requires std::is_same_v<Space, Host> {
    return data_[i];
  }
  const T& operator[](std::int64_t i) const requires std::is_same_v<Space, Host> {
    return data_[i];
  }
  const T* begin() const requires std::is_same_v<Space, Host> {
    return data_;
  }
  const T* end() const requires std::is_same_v<Space, Host> {
    return data_ + size_;
  }

 private:
  static T* allocate(std::int64_t size) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(size, static_cast<std::int64_t>(sizeof(T)), &bytes))
      bytes = -1;  // refused below
    if constexpr (std::is_same_v<Space, Host>)
      return static_cast<T*>(memory::allocate_host(bytes));
    else
      return static_cast<T*>(memory::allocate_device(bytes));
  }

  std::int64_t size_ = 0;
  T* data_ = nullptr;
};

// A copy of `from` in the memory of To.
template <class To, class T, class From>
Array<T, To> copy_to(const Array<T, From>& from) {
  constexpr bool from_host = std::is_same_v<From, Host>, to_host = std::is_same_v<To, Host>;
  static_assert(from_host || to_host, "there is no copy from device to device");
  Array<T, To> to(from.size());
  if constexpr (from_host && to_host)
    std::copy(from.begin(), from.end(), to.data());
  else if constexpr (from_host)
    memory::copy_to_device(to.data(), from.data(), from.bytes());
  else
    memory::copy_to_host(to.data(), from.data(), from.bytes());
  return to;
}

// A copy of an array or of a format: nothing here is copied by accident.
template <template <class, class> class Stored, class T>
Stored<T, Host> copy_of(const Stored<T, Host>& other) {
  return copy_to<Host>(other);
}

}  // namespace quadrille
