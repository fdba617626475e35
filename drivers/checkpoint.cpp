#include "drivers/checkpoint.hpp"

#include <bit>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "assembly/pde/counter_hash.hpp"
#include "drivers/fields/hdf5_reading.hpp"
#include "drivers/fields/ranks.hpp"
#include "drivers/fields/xdmf.hpp"
#include "drivers/support/solve_text.hpp"
#include "grid/error.hpp"
#include "quadrille/field_reader.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

// The same for every number of ranks: a sum over all rows of a mixture of place and bits.
std::uint64_t sum_of_bits(const Vector& u) {
  const GridLayout& layout = u.layout();
  const NodeBox box = layout.box();
  const int dof = layout.grid.dof;
  const HostValues<const double> values = u.values();
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < box.nodes(); ++i) {
    const NodePosition at = box.first_of_line(i / box.size[0]);
    const std::int64_t node = node_index(layout.grid, {at[0] + i % box.size[0], at[1], at[2]});
    for (int r = 0; r < dof; ++r)
      sum += counter_hash(std::bit_cast<std::uint64_t>(values[i * dof + r]),
                          static_cast<std::uint64_t>(node * dof + r));
  }
  std::uint64_t of_all = 0;
  MPI_Allreduce(&sum, &of_all, 1, MPI_UINT64_T, MPI_SUM, layout.comm);
  return of_all;
}

// Bits of a double pass through text.
std::string exact(double number) {
  return formatted("%a", number);
}

std::vector<std::pair<std::string, std::string>> attributes(const std::string& problem, const RunState& s,
                                                            std::uint64_t sum) {
  return {{"checkpoint_problem", problem},
          {"checkpoint_t", exact(s.t_s)},
          {"checkpoint_dt", exact(s.dt_s)},
          {"checkpoint_counts", formatted("%d %d %d", s.steps, s.newton_iterations, s.krylov_iterations)},
          {"checkpoint_sum", std::to_string(sum)}};
}

std::vector<std::string> texts(const std::vector<FieldName>& names) {
  std::vector<std::string> only;
  for (const FieldName& name : names) only.push_back(name.name);
  return only;
}

RunState state_in(const std::string& path, const std::string& problem, std::string& sum) {
  const hdf5::SilentErrors silent;
  const hdf5::Handle file = hdf5::opened(path);
  if (H5Lexists(file, "options", H5P_DEFAULT) <= 0) hdf5::refuse("it is no checkpoint");
  const hdf5::Handle options(H5Gopen2(file, "options", H5P_DEFAULT), H5Gclose, "opening its options");
  const auto text = [&](const char* name) { return hdf5::text_of(options, name); };
  const std::string of = text("checkpoint_problem");
  sum = text("checkpoint_sum");
  if (of.empty() || sum.empty()) hdf5::refuse("it is no checkpoint");
  if (of != problem) hdf5::refuse("it is of " + of + ", and this run is of " + problem);
  RunState state;
  const int found = std::sscanf(
      (text("checkpoint_t") + " " + text("checkpoint_dt") + " " + text("checkpoint_counts")).c_str(),
      "%la %la %d %d %d", &state.t_s, &state.dt_s, &state.steps, &state.newton_iterations,
      &state.krylov_iterations);
  if (found != 5) hdf5::refuse("its times are damaged");
  return state;
}

RunState read_one(const std::string& path, const std::string& problem, const std::vector<FieldName>& names,
                  Vector& u) {
  const MPI_Comm comm = u.layout().comm;
  const std::string before = "cannot go on from " + path + ": ";
  RunState state;
  std::string sum;
  on_each<InputError>({comm}, [&] {
    try {
      state = state_in(path, problem, sum);
    } catch (const std::runtime_error& error) {  // of the file, or HDF5's
      throw InputError(before + error.what());
    }
  });
  FieldReader(path, comm).read(0, texts(names), u);
  if (sum != std::to_string(sum_of_bits(u)))
    throw InputError(before + "its values are damaged, their sum is another one");
  return state;
}

std::string beside(const std::string& path, const char* which) {
  return fs::path(path).replace_extension(std::string(which) + ".h5").string();
}

}  // namespace

void write_checkpoint(const std::string& path, const std::string& problem, const RunState& state,
                      const std::vector<FieldName>& names, const Vector& u, FieldOrigin origin) {
  const std::string made = beside(path, "new");
  for (auto& attribute : attributes(problem, state, sum_of_bits(u)))
    origin.options.push_back(std::move(attribute));
  FieldWriter(made, u.layout().grid, names, u.layout().comm, origin).write(state.t_s, u);
  on_first<OutputError>({u.layout().comm}, [&] {
    std::error_code error;
    fs::remove(xdmf_path(made), error);  // of another name than the file gets
    fs::rename(path, beside(path, "previous"), error);
    fs::rename(made, path, error);
    if (error) throw OutputError("cannot write " + path + ": " + error.message());
  });
}

RunState read_checkpoint(const std::string& path, const std::string& problem,
                         const std::vector<FieldName>& names, Vector& u, std::string& warning) {
  try {
    return read_one(path, problem, names, u);
  } catch (const InputError& newest) {
    try {
      const std::string older = beside(path, "previous");
      const RunState state = read_one(older, problem, names, u);
      warning = std::string(newest.what()) + "; going on from the one before, " + older;
      return state;
    } catch (const InputError&) {
      throw newest;
    }
  }
}

}  // namespace quadrille
