#include "formats/format.hpp"

#include <cstdio>
#include <limits>

#include "formats/array.hpp"

namespace quadrille {

std::string bytes_text(std::int64_t bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = static_cast<double>(bytes);
  int unit = 0;
  while (size >= 1024 && unit < 6) size /= 1024, ++unit;
  char text[48];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", size, units[unit]);
  return text;
}

Traffic whole_traffic(std::int64_t stored_bytes, std::int64_t rows, std::int64_t columns,
                      std::int64_t value_bytes) {
  return {stored_bytes, stored_bytes + columns * value_bytes, rows * value_bytes};
}

std::int64_t checked_product(std::int64_t a, std::int64_t b, const std::string& what) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw FormatError(what + ": " + std::to_string(a) + " x " + std::to_string(b) + " overflows 64 bits");
  return product;
}

std::string absurd_fill(const std::string& format, std::int64_t stored_bytes, std::int64_t csr_bytes) {
  constexpr std::int64_t always_taken = 1 << 20;
  constexpr std::int64_t largest_ratio = 16;
  if (stored_bytes <= always_taken || stored_bytes / largest_ratio <= csr_bytes) return "";
  return format + " would store " + bytes_text(stored_bytes) + ", mostly padding, for a matrix that takes " +
         bytes_text(csr_bytes) + " as CSR";
}

void refuse_absurd_fill(const std::string& format, std::int64_t stored_bytes, std::int64_t csr_bytes) {
  if (const std::string why = absurd_fill(format, stored_bytes, csr_bytes); !why.empty())
    throw FormatError(why);
  memory::require_host(stored_bytes);
}

std::int32_t to_index32(std::int64_t value, const std::string& what) {
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
    throw FormatError(std::to_string(value) + " " + what +
                      " do not fit the 32-bit indices of the row formats and of PETSc's");
  return static_cast<std::int32_t>(value);
}

}  // namespace quadrille
