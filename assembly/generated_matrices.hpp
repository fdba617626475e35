// Matrices of the kinds that stencils do not give, by name and seed: the same on every machine and for every
// number of threads. No structural symmetry is aimed at; values are uniform in (-1, 1), never zero, and
// depend on (seed, row, column) only.
//
//     KIND:ROWS[:PARAMETER]    ROWS x ROWS, except dense
//
//     dense:N[:COLUMNS]        every entry; N columns where COLUMNS is not said
//     permutation:N            one entry in every row and every column
//     long_row:N[:LENGTH]      4 entries a row, the diagonal among them, and LENGTH (default N) in row N / 2:
//                              the shape of the linear programmes that break formats with one thread, or one
//                              strip, for a row
//     power_law:N[:EXPONENT]   lengths l >= 1, cut off at N, with P(length >= l) = l^(1 - EXPONENT), EXPONENT
//                              in (1, 10], default 2.2: degrees of webs and social graphs
//     blocks:N[:B]             dense B x B blocks (1 to 64, default 3), those of the last block row and
//                              column cut off at N: the diagonal one and up to 4 on either side, within 1000
//                              blocks
//     banded:N[:HALF]          every entry with |row - column| <= HALF (0 to N - 1, default 8, or N - 1 where
//                              that is less)
//     mesh:N[:MEAN]            MEAN / 2, rounded down, to so many and MEAN more entries a row (MEAN from 1 to
//                              4096, default 20), within 16 MEAN columns of the diagonal: rows as those of an
//                              unstructured mesh
//
// Where columns are drawn, the range is cut into as many equal parts as the row has entries, and one column
// drawn of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/csr.hpp"

namespace quadrille {

struct GeneratedMatrix {
  std::string kind;
  std::int64_t rows = 0;
  double parameter = 0;  // 0 for a permutation; whole except for power_law
};

// dense, permutation, long_row, power_law, blocks, banded, mesh.
std::vector<std::string> generated_kinds();
// How each is written: "dense:ROWS[:COLUMNS]", ...
std::vector<std::string> generated_usages();

// Whether the text up to its first colon is such a kind, alone or with a colon behind: it then names a
// matrix, or is wrong.
bool names_generated_matrix(const std::string& text);

// Throws InputError, the reason alone, for anything else than KIND:ROWS[:PARAMETER] with a parameter of its
// kind.
GeneratedMatrix parse_generated_matrix(const std::string& text);
// parse_generated_matrix() reads it back; a default parameter is left out.
std::string to_string(const GeneratedMatrix& matrix);

// One of each kind with its default parameter and `rows` rows; but dense has the square root of 16 `rows`, so
// that it has as many entries as the others have about, and blocks as many more rows as make its blocks
// whole. Throws InputError as above.
std::vector<GeneratedMatrix> generated_set(std::int64_t rows);

// B of blocks, 1 for the others.
int block_size(const GeneratedMatrix& matrix);

// Throws FormatError for 2^31 or more non-zeros, and MemoryError with needed and free bytes, both before
// anything large is allocated. T is float or double.
template <class T>
Csr<T> generate_matrix(const GeneratedMatrix& matrix, std::uint64_t seed);

}  // namespace quadrille
