#include "drivers/support/operator_source.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>

#include "assembly/matrix_market.hpp"
#include "assembly/operators.hpp"
#include "assembly/pde/counter_hash.hpp"
#include "formats/format.hpp"

namespace quadrille {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What the hub, CSR beside it and the check will take at least; a coupling of each unknown with itself only
// leaves zeros that CSR does not store.
void require_memory(const Options& options, const BlockStructure& structure, std::int64_t value_size) {
  const std::int64_t values = value_bytes(structure, value_size) / value_size;
  const bool dense = options.operator_name == "random" || options.operator_name == "elasticity";
  const std::int64_t entries = dense ? values : values / structure.dof;
  const std::string what = "the operator's bytes";
  const std::int64_t hub = checked_product(values, value_size, what);
  const std::int64_t csr = checked_product(entries, value_size + 4, what);
  // The check needs CSR in double.
  const std::int64_t reference = value_size == 8 ? 0 : checked_product(entries, 8 + 4, what);
  const std::int64_t vectors = checked_product(structure.rows(), 6 * 8, what);
  std::int64_t needed = hub;
  for (const std::int64_t part : {csr, reference, vectors})
    if (__builtin_add_overflow(needed, part, &needed)) throw FormatError(what + " overflow 64 bits");
  const std::int64_t available = memory::available_host_bytes();
  if (needed > available)
    throw MemoryError("not enough memory: grid " + to_string(options.grid) + " with " +
                      std::to_string(structure.dof) + " DoF and " + std::to_string(structure.diagonals()) +
                      " block diagonals needs " + bytes_text(needed) + ", " + bytes_text(available) +
                      " are free; choose a smaller grid, fewer DoF or fp32");
}

template <class T>
OperatorSource<T> from_grid(const Options& options) {
  const Stencil& stencil = options.points;
  require_memory(options, block_structure(options.grid, stencil, options.boundary), sizeof(T));
  AssembledOperator<T> assembled =
      assemble_operator<T>(options.operator_name, options.grid, stencil, options.boundary, options.seed);
  OperatorSource<T> result;
  result.name = options.operator_name;
  result.stencil = assembled.stencil;
  result.boundary = to_string(options.boundary, options.grid.dimension);
  result.rhs = std::move(assembled.rhs);
  result.source.hub = std::make_shared<const BlockDiagonals<T>>(std::move(assembled.hub));
  result.units = operator_units(options.operator_name);
  const auto start = std::chrono::steady_clock::now();
  result.source.csr = std::make_shared<const Csr<T>>(to_csr(*result.source.hub));
  result.csr_seconds = seconds_since(start);
  return result;
}

template <class T>
OperatorSource<T> from_file(const Options& options) {
  MatrixMarketInfo info;
  OperatorSource<T> result;
  result.source.csr = std::make_shared<const Csr<T>>(read_matrix_market<T>(options.matrix, &info));
  result.units = "1";
  result.name = options.matrix.substr(options.matrix.find_last_of('/') + 1);
  const auto remark = [&](std::int64_t count, const std::string& what) {
    if (count > 0) result.remarks.push_back(options.matrix + ": " + std::to_string(count) + " " + what);
  };
  remark(info.non_finite, "entries are NaN or Inf; they are computed with as they are");
  remark(info.duplicates, "entries repeat an earlier one and were added to it");
  remark(info.explicit_zeros, "entries are stored zeros; the row formats keep them");
  return result;
}

}  // namespace

template <class T>
OperatorSource<T> load_operator(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  OperatorSource<T> result = options.matrix.empty() ? from_grid<T>(options) : from_file<T>(options);
  result.load_seconds = seconds_since(start) - result.csr_seconds;
  return result;
}

bool is_named(const Options& options, const FormatEntry& entry) {
  return options.formats.front() == "all" || options.formats.front() == "auto" ||
         std::find(options.formats.begin(), options.formats.end(), entry.name) != options.formats.end();
}

template <class T>
Record record_of(const Options& options, const OperatorSource<T>& op, const FormatEntry& entry) {
  Record record;
  record.bench = options.command;
  record.space = to_string(entry.space);
  record.device = entry.space == SpaceKind::cuda ? "gpu " + std::to_string(options.device) : "cpu";
  record.format = entry.name;
  record.precision = sizeof(T) == 8 ? "fp64" : "fp32";
  record.operator_name = op.name;
  if (op.source.hub) {
    record.grid = to_string(options.grid);
    record.stencil = op.stencil;
    record.boundary = op.boundary;
    record.dof = options.grid.dof;
  }
  record.rows = op.source.csr->rows;
  record.nnz = op.source.csr->nnz();
  return record;
}

template <class T>
std::vector<T> input_vector(const Options& options, std::int64_t columns) {
  std::vector<T> x(static_cast<std::size_t>(columns));
  const bool on_grid = options.matrix.empty(), random = options.input == "random",
             sine = options.input == "sine";
  const auto half_wave = [](std::int64_t i, std::int64_t n) {
    return std::sin(std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(n + 1));
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t j = 0; j < columns; ++j) {
    double value = 1;
    if (random) {
      value = signed_unit(counter_hash(options.seed, static_cast<std::uint64_t>(j)));
    } else if (sine && on_grid) {
      const Position p = node_position(options.grid, j / options.grid.dof);
      value = half_wave(p.x, options.grid.extents[0]) * half_wave(p.y, options.grid.extents[1]);
      if (options.grid.dimension == 3) value *= half_wave(p.z, options.grid.extents[2]);
    } else if (sine) {
      value = half_wave(j, columns);
    }
    x[j] = static_cast<T>(value);
  }
  return x;
}

#define QUADRILLE_INSTANTIATE(T)                                                           \
  template OperatorSource<T> load_operator<T>(const Options&);                             \
  template Record record_of(const Options&, const OperatorSource<T>&, const FormatEntry&); \
  template std::vector<T> input_vector<T>(const Options&, std::int64_t);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
