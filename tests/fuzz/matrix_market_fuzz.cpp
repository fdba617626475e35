// Any bytes must give a valid matrix or a typed error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "assembly/matrix_market.hpp"
#include "grid/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quadrille;
  Csr<double> csr;
  MatrixMarketInfo info;
  try {
    csr = parse_matrix_market<double>({reinterpret_cast<const char*>(data), size}, "fuzz", &info);
  } catch (const InputError&) {
    return 0;
  } catch (const FormatError&) {
    return 0;
  } catch (const MemoryError&) {
    return 0;
  }
  validate(csr);  // what it throws is a finding
  const bool halves = info.symmetry != "general";
  const std::int64_t kept = info.entries - info.duplicates;
  if (csr.rows != info.rows || csr.columns != info.columns || csr.nnz() < kept ||
      csr.nnz() > (halves ? 2 : 1) * kept)
    std::abort();
  return 0;
}
