#include "drivers/support/operator_source.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "assembly/device_operators.hpp"
#include "assembly/generated_matrices.hpp"
#include "assembly/matrix_market.hpp"
#include "assembly/operators.hpp"
#include "assembly/pde/counter_hash.hpp"
#include "drivers/support/measure.hpp"
#include "formats/format.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/product.hpp"
#include "kernels/tuning/format_bytes.hpp"

namespace quadrille {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Assembly in the GPU's memory, each time it is asked for.
template <class T>
DeviceAssembly<T> device_assembly(const Options& options) {
  const auto assembly = [options](const auto& assemble) {
    return [options, assemble] {
      return assemble(options.operator_name, options.grid, options.points, options.boundary, options.seed);
    };
  };
  return {assembly(assemble_operator_on_device<T>), assembly(assemble_dia_operator_on_device<T>)};
}

template <class T>
std::int64_t count_non_zeros(const BlockDiagonals<T>& hub) {
  if (hub.fill.said()) return most_non_zeros(hub);
  std::int64_t count = 0;
#pragma omp parallel for schedule(static) reduction(+ : count)
  for (std::int64_t i = 0; i < hub.values.size(); ++i) count += hub.values[i] != T(0);
  return count;
}

std::string formats_without_csr() {
  std::string names;
  for (const FormatTraits& format : format_traits())
    if (!needs_csr(format)) names += (names.empty() ? "" : " and ") + format.name;
  return names;
}

// Why there is no CSR of this operator.
std::exception_ptr why_no_csr(const Options& options, const HostBytes& bytes, std::int64_t rows) {
  if (options.check_on_slabs)
    return std::make_exception_ptr(FormatError("it is made from CSR, which --check slabs leaves out"));
  try {
    to_index32(rows, "rows");
    to_index32(bytes.non_zeros, "non-zeros");
    return std::make_exception_ptr(
        MemoryError("not enough memory: the block diagonals, CSR and the check take " +
                    bytes_text(bytes.hub + bytes.csr + bytes.vectors) + ", " +
                    bytes_text(memory::available_host_bytes()) + " are free; " + formats_without_csr() +
                    " do not need CSR"));
  } catch (const FormatError&) {
    return std::current_exception();
  }
}

[[noreturn]] void refuse_memory(const Options& options, const BlockStructure& structure,
                                const HostBytes& bytes) {
  const Sparsity size =
      sparsity_at_most(structure, options.precision == Precision::fp64 ? 8 : 4, options.format_options);
  std::string needs;
  for (const FormatTraits& format : format_traits())
    if (!needs_csr(format))
      needs += (needs.empty() ? "" : ", ") +
               bytes_text(format_bytes(format.name, size, options.format_options).traffic.stored_bytes) +
               " as " + format.name;
  throw MemoryError("not enough memory: grid " + to_string(options.grid) + " with " +
                    std::to_string(structure.dof) + " DoF and " + std::to_string(structure.diagonals()) +
                    " block diagonals needs " + needs + ", and " + bytes_text(bytes.vectors) +
                    " for vectors; free: " + free_memory() + "; choose a smaller grid, fewer DoF or fp32");
}

template <class T>
void assemble_on_host(const Options& options, bool with_csr, OperatorSource<T>& result) {
  const auto start = std::chrono::steady_clock::now();
  AssembledOperator<T> assembled = assemble_operator<T>(options.operator_name, options.grid, options.points,
                                                        options.boundary, options.seed);
  result.rhs = std::move(assembled.rhs);
  result.source.hub = std::make_shared<const BlockDiagonals<T>>(std::move(assembled.hub));
  result.load_seconds = seconds_since(start);
  if (!with_csr) {
    result.nnz = count_non_zeros(*result.source.hub);
    return;
  }
  const auto after = std::chrono::steady_clock::now();
  result.source.csr = std::make_shared<const Csr<T>>(to_csr(*result.source.hub));
  result.csr_seconds = seconds_since(after);
  result.nnz = result.source.csr->nnz();
}

template <class T>
OperatorSource<T> from_grid(const Options& options) {
  OperatorSource<T> result;
  result.structure = structure_of(options);
  result.rows = result.columns = result.structure.rows();
  result.name = options.operator_name;
  result.stencil = describe(options.points);
  result.boundary = to_string(options.boundary, options.grid.dimension);
  result.units = operator_units(options.operator_name);

  const HostBytes bytes = host_bytes(options, result.structure);
  const std::int64_t available = memory::available_host_bytes();
  const bool gpu = options.space != "cpu" && cuda::device_count() > 0;
  const bool with_csr = !options.check_on_slabs && csr_fits(bytes, result.structure);
  const bool hub_fits = bytes.hub + bytes.vectors <= available;
  if (gpu) result.source.on_device = device_assembly<T>(options);
  if (!with_csr) result.source.no_csr = why_no_csr(options, bytes, result.rows);
  if (with_csr || (hub_fits && options.space != "cuda")) {
    assemble_on_host(options, with_csr, result);
    return result;
  }
  if (!gpu || bytes.vectors > available) refuse_memory(options, result.structure, bytes);
  result.rhs =
      operator_rhs(options.operator_name, options.grid, options.points, options.boundary, options.seed);
  result.nnz = count_non_zeros_on_device<T>(options.operator_name, options.grid, options.points,
                                            options.boundary, options.seed);
  return result;
}

// The last part of a path.
std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string without_ending(std::string name) {
  for (const char* ending : {".gz", ".mtx"})
    if (name.ends_with(ending) && name != ending) name.erase(name.size() - std::string(ending).size());
  return name;
}

template <class T>
OperatorSource<T> from_matrix(const Options& options) {
  MatrixMarketInfo info;
  OperatorSource<T> result;
  const bool generated = names_generated_matrix(options.matrix);
  result.source.csr = std::make_shared<const Csr<T>>(
      generated ? generate_matrix<T>(parse_generated_matrix(options.matrix), options.seed)
                : read_matrix_market<T>(options.matrix, &info));
  result.rows = result.source.csr->rows;
  result.columns = result.source.csr->columns;
  result.nnz = result.source.csr->nnz();
  result.units = "1";
  result.name = generated ? options.matrix : file_name(options.matrix);
  const auto remark = [&](std::int64_t count, const std::string& what) {
    if (count > 0) result.remarks.push_back(options.matrix + ": " + std::to_string(count) + " " + what);
  };
  remark(info.non_finite, "entries are NaN or Inf; they are computed with as they are");
  remark(info.duplicates, "entries repeat an earlier one and were added to it");
  remark(info.explicit_zeros, "entries are stored zeros; the row formats keep them");
  return result;
}

}  // namespace

BlockStructure structure_of(const Options& options) {
  return block_structure(options.grid, options.points, options.boundary,
                         fill_of(operator_discretisation(options.operator_name), options.grid.dof));
}

HostBytes host_bytes(const Options& options, const BlockStructure& structure) {
  const std::int64_t value_size = options.precision == Precision::fp64 ? 8 : 4;
  const std::string what = "the operator's bytes";
  HostBytes bytes;
  bytes.hub = value_bytes(structure, value_size);
  bytes.non_zeros = most_non_zeros(structure);
  // The check needs CSR in double as well.
  const std::int64_t per_entry = value_size + 4 + (value_size == 8 ? 0 : 8 + 4);
  bytes.csr = checked_product(bytes.non_zeros, per_entry, what);
  bytes.vectors = checked_product(structure.rows(), 6 * 8, what);
  std::int64_t sum = bytes.hub;
  for (const std::int64_t part : {bytes.csr, bytes.vectors})
    if (__builtin_add_overflow(sum, part, &sum)) throw FormatError(what + " overflow 64 bits");
  return bytes;
}

bool csr_fits(const HostBytes& bytes, const BlockStructure& structure) {
  return std::max(structure.rows(), bytes.non_zeros) <= std::numeric_limits<std::int32_t>::max() &&
         bytes.hub + bytes.csr + bytes.vectors <= memory::available_host_bytes();
}

template <class T>
OperatorSource<T> load_operator(const Options& options) {
  if (options.matrix.empty()) return from_grid<T>(options);
  const auto start = std::chrono::steady_clock::now();
  OperatorSource<T> result = from_matrix<T>(options);
  result.load_seconds = seconds_since(start);
  return result;
}

template <class T>
std::vector<Csr<T>> load_rows(const Options& options, const std::vector<LineRange>& lines) {
  return assemble_operator_rows<T>(options.operator_name, options.grid, options.points, options.boundary,
                                   options.seed, lines);
}

bool is_named(const Options& options, const FormatEntry& entry) {
  return options.formats.front() == "all" || options.formats.front() == "auto" ||
         std::find(options.formats.begin(), options.formats.end(), entry.name) != options.formats.end();
}

std::string matrix_label(const Options& options) {
  if (options.matrix.empty()) return to_string(options.grid) + " dof " + std::to_string(options.grid.dof);
  if (names_generated_matrix(options.matrix)) return options.matrix;
  const std::string name = without_ending(file_name(options.matrix));
  const auto same_name = [&](const std::string& other) {
    return !names_generated_matrix(other) && without_ending(file_name(other)) == name;
  };
  const bool unique = std::count_if(options.matrices.begin(), options.matrices.end(), same_name) <= 1;
  return unique ? name : options.matrix;
}

Record record_of(const Options& options, const std::string& format, SpaceKind space) {
  Record record;
  record.bench = options.command;
  record.space = to_string(space);
  record.device = space == SpaceKind::cuda ? "gpu " + std::to_string(options.device) : "cpu";
  record.format = format;
  record.precision = options.precision == Precision::fp64 ? "fp64" : "fp32";
  record.matrix = matrix_label(options);
  record.product = to_string(options.product);
  if (!options.matrix.empty()) {
    record.operator_name = file_name(options.matrix);
    return record;
  }
  record.operator_name = options.operator_name;
  record.grid = to_string(options.grid);
  record.stencil = describe(options.points);
  record.boundary = to_string(options.boundary, options.grid.dimension);
  record.dof = options.grid.dof;
  record.rows = options.grid.rows();
  return record;
}

template <class T>
Record record_of(const Options& options, const OperatorSource<T>& op, const FormatEntry& entry) {
  Record record = record_of(options, entry.name, entry.space);
  record.rows = op.rows;
  record.nnz = op.nnz;
  return record;
}

template <class T>
std::vector<T> input_vectors(const Options& options, std::int64_t size, int count) {
  std::vector<T> x(static_cast<std::size_t>(size * count));
  const bool on_grid = options.matrix.empty(), random = options.input == "random",
             sine = options.input == "sine";
  const auto half_wave = [](std::int64_t i, std::int64_t n) {
    return std::sin(std::numbers::pi * static_cast<double>(i + 1) / static_cast<double>(n + 1));
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t j = 0; j < size * count; ++j) {
    const std::int64_t i = j % size;
    double value = 1;
    if (random) {
      value = signed_unit(counter_hash(options.seed, static_cast<std::uint64_t>(j)));
    } else if (sine && on_grid) {
      const Position p = node_position(options.grid, i / options.grid.dof);
      value = half_wave(p.x, options.grid.extents[0]) * half_wave(p.y, options.grid.extents[1]);
      if (options.grid.dimension == 3) value *= half_wave(p.z, options.grid.extents[2]);
    } else if (sine) {
      value = half_wave(i, size);
    }
    x[j] = static_cast<T>(random ? value : value * static_cast<double>(1 + j / size));
  }
  return x;
}

template <class T>
std::vector<T> input_vector(const Options& options, std::int64_t size) {
  return input_vectors<T>(options, size, 1);
}

#define QUADRILLE_INSTANTIATE(T)                                                            \
  template OperatorSource<T> load_operator<T>(const Options&);                              \
  template std::vector<Csr<T>> load_rows<T>(const Options&, const std::vector<LineRange>&); \
  template Record record_of(const Options&, const OperatorSource<T>&, const FormatEntry&);  \
  template std::vector<T> input_vector<T>(const Options&, std::int64_t);                    \
  template std::vector<T> input_vectors<T>(const Options&, std::int64_t, int);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
