// From the options to the operator that a run works on: assembled on a grid, read from a file, or generated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembly/stencil_operator.hpp"
#include "drivers/support/options.hpp"
#include "drivers/support/report.hpp"
#include "kernels/registry.hpp"

namespace quadrille {

template <class T>
struct OperatorSource {
  FormatInput<T> source;
  BlockStructure structure;  // of a grid operator; no offsets for a matrix
  std::int64_t rows = 0, columns = 0, nnz = 0;
  std::string name;               // of the operator, the file it came from, or the generated matrix
  std::string stencil, boundary;  // empty for a matrix
  std::vector<double> rhs;  // what constant faces move to the right side; empty for none and for a matrix
  std::string units;        // of A x for an x without units, "1" for none
  double load_seconds = 0;  // to assemble or read it on the host
  double csr_seconds = 0;   // to make CSR of an assembled one
  std::vector<std::string> remarks;  // for people: NaN in the file, summed duplicates, ...

  bool on_grid() const { return !structure.offsets.empty(); }
};

// An operator on a grid is assembled on the host, with CSR beside it, where that fits its memory and CSR's
// indices. Where it does not, the host holds the hub alone, if it is to be applied there and fits, and else
// nothing: the GPU assembles its own. Throws InputError for a file or an operator that cannot be, FormatError
// for a generated matrix of too many non-zeros, and MemoryError, naming needed and free bytes, when no form
// fits. T is float or double.
template <class T>
OperatorSource<T> load_operator(const Options& options);

// The rows of some lines of nodes of a grid operator, assembled on the host.
template <class T>
std::vector<Csr<T>> load_rows(const Options& options, const std::vector<LineRange>& lines);

// Bytes of values of a hub, of CSR and of the vectors of a run with an operator of this structure: what
// load_operator() plans with. Each overflow throws FormatError.
struct HostBytes {
  std::int64_t hub = 0, csr = 0, vectors = 0;
  std::int64_t non_zeros = 0;  // at most
};
// Of the operator on a grid that is named.
BlockStructure structure_of(const Options& options);
HostBytes host_bytes(const Options& options, const BlockStructure& structure);
// Whether its indices and the host's memory hold CSR of it beside the hub.
bool csr_fits(const HostBytes& bytes, const BlockStructure& structure);

// The operator's name in records and tables: a file's name without .mtx and .mtx.gz (its whole path where the
// set of --matrices has several of that name), a generated matrix, or "64x64x64 dof 4".
std::string matrix_label(const Options& options);

// What every record of an operator has in common, as far as the options alone say it.
Record record_of(const Options& options, const std::string& format, SpaceKind space);
// What every record of this operator and format has in common.
template <class T>
Record record_of(const Options& options, const OperatorSource<T>& op, const FormatEntry& entry);

// Whether --format names this entry, by itself or by all or auto.
bool is_named(const Options& options, const FormatEntry& entry);

// The vector x of a product: random in (-1, 1) (by seed and index, the same everywhere), ones, or half a sine
// wave along each axis that vanishes just beyond the faces.
template <class T>
std::vector<T> input_vector(const Options& options, std::int64_t size);
// `count` of them, one after the other: random ones all different, the others times 1, 2, 3, ...
template <class T>
std::vector<T> input_vectors(const Options& options, std::int64_t size, int count);

}  // namespace quadrille
