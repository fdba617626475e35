#include "drivers/probe.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/ranks.hpp"
#include "drivers/support/cells.hpp"
#include "drivers/support/options_values.hpp"
#include "drivers/support/solve_text.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/ranks.hpp"

namespace quadrille {
namespace {

// "10 12" or "10 12 3"
std::string node_text(const Grid& grid, const Position& node) {
  return std::to_string(node.x) + " " + std::to_string(node.y) +
         (grid.dimension == 3 ? " " + std::to_string(node.z) : "");
}

std::string header_of(const Options& options, const std::vector<FieldName>& fields) {
  std::vector<std::string> names{"step", "time [s]"};
  for (const Probe& probe : options.probes)
    for (int r = 0; r < options.grid.dof; ++r) {
      const FieldName& field = fields[fields.size() > 1 ? static_cast<std::size_t>(r) : 0];
      const bool numbered = fields.size() == 1 && options.grid.dof > 1;
      names.push_back(field.name + (numbered ? "_" + std::to_string(r) : "") + " [" + field.units +
                      "] at node (" + node_text(options.grid, probe.node) + ")");
    }
  return csv_line(names);
}

std::vector<PetscInt> numbers_of(const Options& options, const Vector& u) {
  std::vector<PetscInt> numbers;
  if (petsc::rank() != 0) return numbers;
  for (const Probe& probe : options.probes)
    numbers.push_back(petsc::to_petsc_int(
        number_of(u.layout().partition, {probe.node.x, probe.node.y, probe.node.z}), "the nodes"));
  return numbers;
}

// The whole lines of a file up to a step, behind its header.
std::string lines_until(const std::string& path, const std::string& header, int step) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.empty()) return header;
  if (!text.starts_with(header))
    throw InputError(path +
                     ": it is there with other columns than those of this --probe; remove it or give "
                     "another --output");
  std::size_t kept = header.size();
  for (std::size_t end = text.find('\n', kept); end != std::string::npos; end = text.find('\n', kept)) {
    if (std::atoi(text.c_str() + kept) > step) break;
    kept = end + 1;
  }
  return text.substr(0, kept);
}

}  // namespace

ProbeFile::ProbeFile(const Options& options, const std::vector<FieldName>& fields, const Vector& u)
    : options_(options),
      path_(probe_path(options)),
      header_(header_of(options, fields)),
      at_nodes_(u.vec(), numbers_of(options, u), options.grid.dof) {
  at_nodes_.local(u.vec(), true);
  on_first<OutputError>({PETSC_COMM_WORLD}, [&] { check_output_path(path_); });
}

// Replaces the file, and so the lines that were kept are never without it.
void ProbeFile::go_on(int step) {
  on_first<InputError>({PETSC_COMM_WORLD}, [&] {
    write_text_file(path_, lines_until(path_, header_, step));
    out_.open(path_, std::ios::app | std::ios::binary);
  });
}

void ProbeFile::append(const std::string& line) {
  if (!out_.is_open()) {
    write_text_file(path_, header_);
    out_.open(path_, std::ios::app | std::ios::binary);
  }
  out_ << line << std::flush;
  if (!out_) throw OutputError("cannot write " + path_ + ": the disk may be full");
}

void ProbeFile::write(int step, double time_s, const Vector& u) {
  at_nodes_.begin(u.vec());
  at_nodes_.end(u.vec());
  on_first<OutputError>({PETSC_COMM_WORLD}, [&] {
    std::vector<std::string> cells{std::to_string(step), number_text(time_s)};
    for (const double value : HostValues<const double>(at_nodes_.local()))
      cells.push_back(number_text(value));
    append(csv_line(cells));
  });
}

std::string ProbeFile::description() const {
  std::string text;
  const Grid& grid = options_.grid;
  for (const Probe& probe : options_.probes) {
    const std::int64_t at[] = {probe.node.x, probe.node.y, probe.node.z};
    text +=
        (text.empty() ? "probes: " : "; ") + std::string("node (") + node_text(grid, probe.node) + ") at ";
    for (int axis = 0; axis < grid.dimension; ++axis)
      text += (axis > 0 ? "," : "") + formatted("%.6g", static_cast<double>(at[axis]) * grid.spacing_m[axis]);
    text += " m";
  }
  return text + ", in " + path_;
}

}  // namespace quadrille
