// From the options to the operator that a run works on: assembled on a grid, or read from a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drivers/support/options.hpp"
#include "drivers/support/report.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

template <class T>
struct OperatorSource {
  Source<T> source;
  std::string name;                  // of the operator, or the file it came from
  std::string stencil, boundary;     // empty for a file
  std::vector<double> rhs;           // what constant faces move to the right side; empty for a file
  std::string units;                 // of A x for an x without units, "1" for none
  double load_seconds = 0;           // to assemble or read it
  double csr_seconds = 0;            // to make CSR of an assembled one
  std::vector<std::string> remarks;  // for people: NaN in the file, summed duplicates, ...
};

// Throws InputError for a file or an operator that cannot be, and MemoryError, naming needed and free bytes,
// before a large operator is assembled. T is float or double.
template <class T>
OperatorSource<T> load_operator(const Options& options);

// What every record of this operator and format has in common.
template <class T>
Record record_of(const Options& options, const OperatorSource<T>& op, const FormatEntry& entry);

// Whether --format names this entry, by itself or by all or auto.
bool is_named(const Options& options, const FormatEntry& entry);

// The vector x of y = A x: random in (-1, 1) (by seed and index, the same everywhere), ones, or half a sine
// wave along each axis that vanishes just beyond the faces.
template <class T>
std::vector<T> input_vector(const Options& options, std::int64_t columns);

}  // namespace quadrille
