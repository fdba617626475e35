// Matrix Market files to CSR.
// Format: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats", NISTIR 5935, 1996.
//
//     %%MatrixMarket matrix coordinate real symmetric    object, format, field, symmetry, in any case
//     % a comment                                        like blank lines, anywhere after the banner
//     3 3 4                                              rows, columns, entries that follow
//     1 1 2.0                                            row and column from 1, value; one entry a line
//
// Read: `coordinate` with real, integer and pattern (value 1), and `array` (dense, column by column) with
// real and integer; general, symmetric and skew-symmetric; plain or gzip, told apart by content. Complex and
// Hermitian are refused.
//
// A symmetric file holds the lower triangle, a skew-symmetric one its strictly lower part; both are expanded.
// Entries given more than once are summed in file order. Explicit zeros are kept, those of dense files too.
//
// Values are parsed as doubles (Fortran's 1.0D+03 too; whole numbers beyond 2^53 are rounded). Too small for
// a double becomes zero; too large is refused; NaN and Inf are accepted and counted. Only then are they
// rounded to T: what overflows a float becomes Inf, uncounted.
//
// Anything malformed throws InputError, "file:line: what is wrong; what to do", with the line of the text in
// gzip files. Memory grows with the entries read, not with those promised. The row pointer alone follows the
// size line, so rows + columns above 2^24 + 1000 times the bytes of the file (as stored on disk) are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/csr.hpp"

namespace quadrille {

struct MatrixMarketInfo {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0;         // in the file, before expansion and summation
  std::string format;               // "coordinate" or "array"
  std::string field;                // "real", "integer" or "pattern"
  std::string symmetry;             // "general", "symmetric" or "skew-symmetric"
  std::int64_t non_finite = 0;      // entries of the file that are NaN or Inf
  std::int64_t explicit_zeros = 0;  // entries of the file that are zero
  std::int64_t duplicates = 0;      // entries of the file that were added to an earlier one
};

// Throws InputError, or MemoryError when the matrix does not fit. T is float or double.
template <class T>
Csr<T> read_matrix_market(const std::string& path, MatrixMarketInfo* info = nullptr);

// The same from uncompressed text in memory; `name` stands for the file in messages.
template <class T>
Csr<T> parse_matrix_market(std::string_view text, const std::string& name, MatrixMarketInfo* info = nullptr);

}  // namespace quadrille
