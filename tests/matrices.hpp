// Small matrices that several tests use.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "formats/csr.hpp"

namespace quadrille {

// The 5x5 matrix of the CMRS paper (Koza et al. 2012, equation 1), also the worked example of the format
// headers.
template <class T>
Csr<T> paper_matrix() {
  return {5, 5, {0, 2, 4, 6, 9, 10}, {0, 3, 1, 4, 2, 4, 2, 3, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
}

// From the three arrays of CSR.
template <class T>
Csr<T> csr_from(std::int64_t rows, std::int64_t columns, const std::vector<std::int32_t>& row_ptr,
                const std::vector<std::int32_t>& column, const std::vector<T>& value) {
  Csr<T> csr{rows, columns, Array<std::int32_t>(rows + 1), Array<std::int32_t>(row_ptr.back()),
             Array<T>(row_ptr.back())};
  std::copy(row_ptr.begin(), row_ptr.end(), csr.row_ptr.data());
  std::copy(column.begin(), column.end(), csr.column.data());
  std::copy(value.begin(), value.end(), csr.value.data());
  return csr;
}

// From a dense row-major table; zeros are left out.
template <class T>
Csr<T> csr_of(std::int64_t rows, std::int64_t columns, const std::vector<T>& dense) {
  std::vector<std::int32_t> ptr{0}, column;
  std::vector<T> value;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j)
      if (dense[i * columns + j] != T(0)) {
        column.push_back(static_cast<std::int32_t>(j));
        value.push_back(dense[i * columns + j]);
      }
    ptr.push_back(static_cast<std::int32_t>(column.size()));
  }
  return csr_from(rows, columns, ptr, column, value);
}

// `per_row` entries on average at random places; every fifth row is empty and row `dense_row`, if any, is
// full. Integer values -4..4 without 0, or uniform in (-1, 1).
template <class T>
Csr<T> random_matrix(std::int64_t rows, std::int64_t columns, double per_row, std::int64_t dense_row,
                     bool integer, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> dense(static_cast<std::size_t>(rows * columns), T(0));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const bool present = i == dense_row || (i % 5 != 4 && random() % 1000 < 1000 * per_row / columns);
      const int whole = static_cast<int>(random() % 8);
      const double real = uniform(random);
      if (present) dense[i * columns + j] = static_cast<T>(integer ? whole - (whole < 4 ? 4 : 3) : real);
    }
  return csr_of(rows, columns, dense);
}

template <class T>
std::vector<T> to_vector(const Array<T>& array) {
  return {array.begin(), array.end()};
}

}  // namespace quadrille
