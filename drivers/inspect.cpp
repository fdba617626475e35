// `quadrille inspect`: what an operator looks like, without applying it.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <sstream>

#include "drivers/commands.hpp"
#include "drivers/fields/atomic_file.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/format_choice.hpp"
#include "drivers/support/measure.hpp"
#include "drivers/support/operator_source.hpp"
#include "drivers/support/report.hpp"
#include "drivers/support/result_files.hpp"
#include "drivers/support/threads.hpp"
#include "formats/stencil_table.hpp"
#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/tuning/format_bytes.hpp"
#include "kernels/tuning/predict.hpp"
#include "revision.hpp"

namespace quadrille {
namespace {

// Whether A equals its transpose, bit by bit, and the largest |column - row|.
template <class T>
std::pair<bool, std::int64_t> symmetry_and_bandwidth(const Csr<T>& csr) {
  const bool square = csr.rows == csr.columns;
  bool symmetric = square;
  std::int64_t bandwidth = 0;
#pragma omp parallel for schedule(static) reduction(&& : symmetric) reduction(max : bandwidth)
  for (std::int64_t i = 0; i < csr.rows; ++i)
    for (std::int32_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      const std::int64_t j = csr.column[k];
      bandwidth = std::max(bandwidth, std::abs(j - i));
      if (!square || !symmetric) continue;
      const std::int32_t* const begin = csr.column.data() + csr.row_ptr[j];
      const std::int32_t* const end = csr.column.data() + csr.row_ptr[j + 1];
      const std::int32_t* const at = std::lower_bound(begin, end, i);
      symmetric = at != end && *at == i && csr.value[at - csr.column.data()] == csr.value[k];
    }
  return {symmetric, bandwidth};
}

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

using Lines = std::vector<std::pair<std::string, std::string>>;

template <class T>
Lines describe_grid(const Options& options, const OperatorSource<T>& op) {
  const BlockStructure& s = op.structure;
  Lines lines{{"operator", op.name}};
  if (!op.on_grid()) return lines;
  lines.emplace_back("grid", to_string(options.grid) + ", " + std::to_string(s.dof) + " DoF, " +
                                 std::to_string(s.nodes()) + " nodes");
  lines.emplace_back("stencil", op.stencil + ", boundary " + op.boundary);
  lines.emplace_back("blocks", std::to_string(s.diagonals()) + " block diagonals of " +
                                   std::to_string(s.dof) + " x " + std::to_string(s.dof) + " blocks");
  if (const std::int64_t couple = most_non_zeros(s), stored = value_bytes(s, 1); s.fill.said() && s.dof > 1)
    lines.emplace_back("couple", std::to_string(couple) +
                                     " entries by the fill of the blocks; cds, with whole blocks, stores " +
                                     std::to_string(stored));
  return lines;
}

template <class T>
Lines describe(const Options& options, const OperatorSource<T>& op, const RowLengths& rows) {
  Lines lines = describe_grid(options, op);
  if (!op.source.csr) {
    lines.emplace_back("size", std::to_string(op.rows) + " x " + std::to_string(op.columns));
    lines.emplace_back("non-zeros",
                       "at most " + std::to_string(op.nnz) + "; not assembled, for it is too large here");
    return lines;
  }
  const Csr<T>& csr = *op.source.csr;
  const auto [symmetric, bandwidth] = symmetry_and_bandwidth(csr);
  if (op.source.hub)
    std::find_if(lines.begin(), lines.end(), [](const auto& l) { return l.first == "blocks"; })->second +=
        ", " + fixed(100.0 * csr.nnz() / std::max<std::int64_t>(1, op.source.hub->values.size()), 1) +
        "% of their entries non-zero";
  lines.emplace_back("size", std::to_string(csr.rows) + " x " + std::to_string(csr.columns));
  lines.emplace_back("non-zeros", std::to_string(csr.nnz()));
  lines.emplace_back("row lengths",
                     "shortest " + std::to_string(rows.shortest) + ", median " + std::to_string(rows.median) +
                         ", mean " + fixed(rows.mean, 2) + " +- " + fixed(rows.deviation, 2) + ", longest " +
                         std::to_string(rows.longest) + ", " + std::to_string(rows.empty) + " empty rows");
  lines.emplace_back("bandwidth", std::to_string(bandwidth));
  lines.emplace_back("symmetric", symmetric ? "yes" : "no");
  return lines;
}

// What the forms that follow the values found (formats/compact.hpp, formats/stencil_table.hpp).
Lines describe_values(const BlockStructure& s, const Sparsity& found) {
  Lines lines;
  if (found.compact_exact) {
    const std::int64_t all = s.diagonals() * s.dof * s.dof, computed = found.compact_entries,
                       mirrors = computed - found.compact_columns - found.compact_constants;
    lines.emplace_back("entries", std::to_string(all) +
                                      " of a row of blocks: " + std::to_string(found.compact_constants) +
                                      " constant, " + std::to_string(found.compact_columns) + " that vary, " +
                                      std::to_string(mirrors) + " equal to those of the opposite, " +
                                      std::to_string(all - computed) + " zero");
  }
  if (found.stencils_exact)
    lines.emplace_back("stencils",
                       (found.stencils > most_stencils ? "more than " + std::to_string(most_stencils)
                                                       : std::to_string(found.stencils)) +
                           " different ones at " + std::to_string(s.nodes()) + " nodes");
  return lines;
}

// The same for programs.
void add_values(const BlockStructure& s, const Sparsity& found, Record& record) {
  const auto add = [&](const char* name, std::int64_t count) {
    record.extra.push_back(extra_field(name, count));
  };
  if (record.format == "compact" && found.compact_exact) {
    add("entries", s.diagonals() * s.dof * s.dof);
    add("entries_constant", found.compact_constants);
    add("entries_varying", found.compact_columns);
    add("entries_mirrored", found.compact_entries - found.compact_columns - found.compact_constants);
  }
  if (record.format == "stencil_table" && found.stencils_exact && found.stencils <= most_stencils)
    add("stencils", found.stencils);
}

// Sizes of a format; else an upper bound.
struct SizedFormat {
  Record record;
  bool exact = true;
};
template <class T>
std::vector<SizedFormat> size_formats(const Options& options, const OperatorSource<T>& op,
                                      const Sparsity& sparsity) {
  std::vector<SizedFormat> formats;
  for (const FormatEntry& entry : registry()) {
    if (entry.peer || entry.space != SpaceKind::cpu || !is_named(options, entry)) continue;
    Record record = record_of(options, op, entry);
    bool exact = true;
    try {
      FormatBytes bytes = format_bytes(entry.name, sparsity, options.format_options);
      if (!bytes.exact && op.source.csr)  // the format itself knows
        bytes = {entry.make<T>()(op.source, options.format_options)->traffic(), true, ""};
      record.stored_bytes = bytes.traffic.stored_bytes;
      record.compulsory_bytes = bytes.traffic.compulsory_bytes();
      record.skipped = bytes.refused;
      exact = bytes.exact;
    } catch (const FormatError& error) {
      record.skipped = error.what();
    } catch (const MemoryError& error) {
      record.skipped = error.what();
    }
    if (!record.skipped.empty()) record.stored_bytes = record.compulsory_bytes = 0;
    add_values(op.structure, sparsity, record);
    if (!exact) record.extra.push_back(extra_field("bytes_are", std::string("at most")));
    formats.push_back({record, exact});
  }
  return formats;
}

// `vectors`: bytes of x and y.
void print(const Lines& lines, const std::vector<SizedFormat>& formats, std::int64_t value_size,
           std::int64_t vectors) {
  for (const auto& [name, text] : lines) std::cout << std::left << std::setw(12) << name << text << "\n";
  std::cout << "\n"
            << std::left << std::setw(14) << "format" << std::right << std::setw(12) << "stored"
            << std::setw(12) << "needed" << std::setw(16) << "per product" << std::setw(12) << "bytes/nnz"
            << std::setw(10) << "fill\n";
  bool bounds = false;
  for (const auto& [r, exact] : formats) {
    if (!r.skipped.empty()) continue;
    bounds = bounds || !exact;
    const double per_nnz =
        static_cast<double>(r.stored_bytes) / static_cast<double>(std::max<std::int64_t>(1, r.nnz));
    const std::string most = exact ? "" : "<= ";
    std::cout << std::left << std::setw(14) << r.format << std::right << std::setw(12)
              << most + bytes_text(r.stored_bytes) << std::setw(12)
              << most + bytes_text(r.stored_bytes + vectors) << std::setw(16)
              << most + bytes_text(r.compulsory_bytes) << std::setw(12) << fixed(per_nnz, 2) << std::setw(9)
              << fixed(per_nnz / static_cast<double>(value_size), 2) << "\n";
  }
  std::cout << "\nneeded: stored, x and y; free: " << free_memory()
            << ".\nper product: bytes that y = A x must move. fill: stored bytes over the bytes of the "
               "non-zeros alone.\n";
  if (bounds) std::cout << "<=: at most, for the values are not known; such formats have no prediction.\n";
  for (const auto& [r, exact] : formats)
    if (!r.skipped.empty()) std::cout << refusal(r, r.format) << "\n";
}

// The operator; without values where the host cannot hold it and CSR, for then the structure tells the sizes.
template <class T>
OperatorSource<T> load(const Options& options) {
  if (!options.matrix.empty()) return load_operator<T>(options);
  OperatorSource<T> op;
  op.structure = structure_of(options);
  const HostBytes bytes = host_bytes(options, op.structure);
  op.rows = op.columns = op.structure.rows();
  op.nnz = bytes.non_zeros;
  if (csr_fits(bytes, op.structure)) return load_operator<T>(options);
  op.name = options.operator_name;
  op.stencil = describe(options.points);
  op.boundary = to_string(options.boundary, options.grid.dimension);
  return op;
}

// The GPU of the options where the machine has it, else the H200; and the CPU.
std::vector<MachineModel> predicted_machines(const Options& options) {
  const bool gpu = cuda::device_count() > options.device;
  MachineModel model = gpu ? gpu_model(options.device) : h200_model();
  if (!gpu) model.basis += "; this machine has none";
  return {model, cpu_model()};
}

void print_predictions(const std::vector<MachineModel>& machines,
                       const std::vector<std::vector<Prediction>>& predictions) {
  for (std::size_t i = 0; i < machines.size(); ++i) {
    std::cout << "\npredicted for " << machines[i].name << "\n"
              << std::left << std::setw(14) << "format" << std::right << std::setw(12) << "ms"
              << std::setw(12) << "GB/s"
              << "\n";
    for (const Prediction& p : ranked(predictions[i]))
      std::cout << std::left << std::setw(14) << p.format << std::right << std::setw(12) << fixed(p.ms, 4)
                << std::setw(12) << fixed(1e-6 * static_cast<double>(p.traffic.compulsory_bytes()) / p.ms, 0)
                << "\n";
    std::cout << "It rests on " << machines[i].basis << ".\n";
  }
}

// What inspect works on: statistics of the operator, or of its structure alone.
template <class T>
Sparsity statistics(const Options& options, const OperatorSource<T>& op) {
  if (op.source.csr) return sparsity_of(op.source, options.format_options);
  return sparsity_at_most(op.structure, sizeof(T), options.format_options);
}

template <class T>
int inspect(const Options& options) {
  const OperatorSource<T> op = load<T>(options);
  const Sparsity sparsity = statistics(options, op);
  Report report;
  report.machine = describe_machine(false, 0);
  report.command = options.command_line;
  report.version = QUADRILLE_REVISION;
  report.date = utc_now();
  const std::vector<SizedFormat> formats = size_formats(options, op, sparsity);
  for (const SizedFormat& format : formats) report.records.push_back(format.record);
  if (formats.empty()) throw InputError("inspect sizes our own formats; --format names none of them");
  if (!options.quiet) {
    for (const std::string& remark : op.remarks) std::cout << "note: " << remark << "\n";
    Lines lines = describe(options, op, sparsity.lengths);
    for (auto& line : describe_values(op.structure, sparsity)) lines.push_back(std::move(line));
    print(lines, formats, sizeof(T), (op.rows + op.columns) * static_cast<std::int64_t>(sizeof(T)));
  }
  if (options.predict) {
    const std::vector<MachineModel> machines = predicted_machines(options);
    std::vector<std::vector<Prediction>> predictions;
    for (const MachineModel& machine : machines)
      predictions.push_back(predict(sparsity, machine, options.format_options));
    if (!options.quiet) print_predictions(machines, predictions);
    for (Record& record : report.records)
      for (std::size_t i = 0; i < machines.size(); ++i)
        if (const Prediction* p = find_prediction(predictions[i], record.format))
          record.extra.push_back(predicted_field(machines[i], *p));
    report.summary = to_json(machines);
  }
  each_of({[&] { write_results(options, to_json(report), to_csv(report)); }, flush_standard_output});
  return 0;
}

}  // namespace

int run_inspect(const Options& options) {
  check_result_paths(options);
  set_threads(options);
  const petsc::Session session(options.petsc_arguments);
  if (petsc::rank() != 0) return all_well;  // one looks at the operator, the others wait for its end
  const int code = options.precision == Precision::fp64 ? inspect<double>(options) : inspect<float>(options);
  note_unused_options();
  return code;
}

}  // namespace quadrille
