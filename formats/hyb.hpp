// HYB, hybrid of ELL and COO. Source: Bell and Garland, SC09; as in Oberhuber et al. 2010, section 3.3.
//
//   ell      the first `width` entries of every row, layout in ell.hpp
//   coo      the entries beyond, by row and column, layout in coo.hpp
//
// The width is the largest K for which at least a third of the rows have K entries or more.
//
// Worked example (also the test): rows of 2 2 2 3 1 entries; four of five have 2, one has 3, so the width is
// 2:
//
//     1 . . 2 .      ell: value = 1 2   column = 0  3      coo: row 3, column 4, value 9
//     . 3 . . 4                   3 4            1  4
//     . . 5 . 6                   5 6            2  4
//     . . 7 8 9                   7 8            2  3
//     . . . . 10                 10 0            4 -1
//
// Indices are 32-bit.
#pragma once

#include <vector>

#include "formats/coo.hpp"
#include "formats/ell.hpp"

namespace quadrille {

template <class T, class Space = Host>
struct Hyb {
  Ell<T, Space> ell;
  Coo<T, Space> coo;
};

// A copy in the memory of To.
template <class To, class T, class From>
Hyb<T, To> copy_to(const Hyb<T, From>& a) {
  return {copy_to<To>(a.ell), copy_to<To>(a.coo)};
}

// K from the number of rows of each length.
std::int64_t hyb_width(const std::vector<std::int64_t>& rows_of_length, std::int64_t rows);
// Throws FormatError for absurd fill.
template <class T>
Hyb<T> hyb_from_csr(const Csr<T>& csr);
template <class T>
Csr<T> to_csr(const Hyb<T>& hyb);
// Throws FormatError as ell and coo do, and where a row continues in coo though its ell part is not full.
template <class T>
void validate(const Hyb<T>& hyb);
template <class T, class Space>
Traffic traffic(const Hyb<T, Space>& hyb);
// `beyond`: entries in coo.
Traffic hyb_traffic(std::int64_t rows, std::int64_t columns, std::int64_t width, std::int64_t beyond,
                    std::int64_t value_bytes);

}  // namespace quadrille
