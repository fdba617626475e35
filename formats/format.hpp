// What all sparse formats share: errors, memory traffic and the limits on fill.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace quadrille {

// A format cannot hold this operator: too much fill, an index that does not fit, a wrong shape, or broken
// arrays.
struct FormatError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The machine cannot hold it: the message names needed and free bytes.
struct MemoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A CUDA call or kernel failed: the message names the call and CUDA's own reason.
struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Bytes of one product y = A x.
struct Traffic {
  std::int64_t stored_bytes = 0;   // all arrays of the format, padding included
  std::int64_t read_bytes = 0;     // compulsory: what the kernel must read of the format once, and x once
  std::int64_t written_bytes = 0;  // compulsory: y once

  std::int64_t compulsory_bytes() const { return read_bytes + written_bytes; }
};

// Of a format of which every stored byte is read once, as is x, and y written once.
Traffic whole_traffic(std::int64_t stored_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t value_bytes);

// 12345678 -> "11.8 MiB"
std::string bytes_text(std::int64_t bytes);

// Products of sizes, in 64 bits; throws FormatError naming `what` when the result does not fit.
std::int64_t checked_product(std::int64_t a, std::int64_t b, const std::string& what);

// Throws FormatError when a padded form would take more than 16 times the bytes of CSR (small matrices, below
// 1 MiB, are always taken). The message names both sizes. Throws MemoryError when the machine has not that
// much.
void refuse_absurd_fill(const std::string& format, std::int64_t stored_bytes, std::int64_t csr_bytes);
// The message of that FormatError, or "" where there is none.
std::string absurd_fill(const std::string& format, std::int64_t stored_bytes, std::int64_t csr_bytes);

// Throws FormatError unless 0 <= value < 2^31: the row formats index rows, columns and non-zeros with 32
// bits.
std::int32_t to_index32(std::int64_t value, const std::string& what);

}  // namespace quadrille
