#include "drivers/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>
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

// Of the values and of what is known beside them, `texts`.
std::uint64_t sum_with(std::uint64_t sum, const std::vector<std::string>& texts) {
  std::uint64_t place = 0;
  for (const std::string& text : texts)
    for (const char letter : text + "\n")
      sum += counter_hash(~static_cast<std::uint64_t>(static_cast<unsigned char>(letter)), place++);
  return sum;
}

constexpr const char* names_of_texts[] = {"checkpoint_problem", "checkpoint_t", "checkpoint_dt",
                                          "checkpoint_counts"};

std::vector<std::pair<std::string, std::string>> attributes(const std::string& problem, const RunState& s,
                                                            const Vector& u) {
  const std::vector<std::string> texts{
      problem, exact(s.t_s), exact(s.dt_s),
      formatted("%d %d %d", s.steps, s.newton_iterations, s.krylov_iterations)};
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < texts.size(); ++i) all.emplace_back(names_of_texts[i], texts[i]);
  all.emplace_back("checkpoint_sum", std::to_string(sum_with(sum_of_bits(u), texts)));
  return all;
}

std::vector<std::string> texts(const std::vector<FieldName>& names) {
  std::vector<std::string> only;
  for (const FieldName& name : names) only.push_back(name.name);
  return only;
}

// A sound checkpoint, but not of this problem.
struct OtherProblem : InputError {
  using InputError::InputError;
};

struct Attributes {
  RunState state;
  std::vector<std::string> texts;
  std::string sum;
};

Attributes attributes_in(const std::string& path) {
  const hdf5::SilentErrors silent;
  const hdf5::Handle file = hdf5::opened(path);
  if (H5Lexists(file, "options", H5P_DEFAULT) <= 0) hdf5::refuse("it is no checkpoint");
  const hdf5::Handle options(H5Gopen2(file, "options", H5P_DEFAULT), H5Gclose, "opening its options");
  Attributes in;
  for (const char* name : names_of_texts) in.texts.push_back(hdf5::text_of(options, name));
  in.sum = hdf5::text_of(options, "checkpoint_sum");
  if (in.texts[0].empty() || in.sum.empty()) hdf5::refuse("it is no checkpoint");
  RunState& state = in.state;
  const int found =
      std::sscanf((in.texts[1] + " " + in.texts[2] + " " + in.texts[3]).c_str(), "%la %la %d %d %d",
                  &state.t_s, &state.dt_s, &state.steps, &state.newton_iterations, &state.krylov_iterations);
  if (found != 5) hdf5::refuse("its times are damaged");
  return in;
}

RunState read_one(const std::string& path, const std::string& problem, const std::vector<FieldName>& names,
                  Vector& u) {
  const MPI_Comm comm = u.layout().comm;
  const std::string before = "cannot go on from " + path + ": ";
  Attributes in;
  on_each<InputError>({comm}, [&] {
    try {
      in = attributes_in(path);
    } catch (const std::runtime_error& error) {  // of the file, or HDF5's
      throw InputError(before + error.what());
    }
  });
  // Another problem may have another grid or other fields; what is damaged has this one's, most likely.
  const bool is_other = in.texts[0] != problem;
  const auto other = [&] {
    return OtherProblem(before + "it is of " + in.texts[0] + ", and this run is of " + problem);
  };
  try {
    FieldReader(path, comm).read(0, texts(names), u);
  } catch (const InputError&) {
    if (is_other) throw other();
    throw;
  }
  if (in.sum != std::to_string(sum_with(sum_of_bits(u), in.texts)))
    throw InputError(before + "it is damaged, the sum over its bits is another one");
  if (is_other) throw other();
  return in.state;
}

struct Numbered {
  std::string name;  // with its folder
  int step = 0;
};

// What checkpoint_path() made a path of.
std::optional<Numbered> numbered(const std::string& path) {
  constexpr std::string_view before = ".checkpoint-", after = ".h5";
  const std::size_t at = path.rfind(before);
  if (at == std::string::npos || !path.ends_with(after)) return std::nullopt;
  const std::size_t begin = at + before.size();
  const std::string step = path.substr(begin, path.size() - after.size() - begin);
  if (step.empty() || step.size() > 9 || step.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return Numbered{path.substr(0, at), std::stoi(step)};
}

// The steps of the checkpoints that NAME has, the newest first, as the first rank sees them.
std::vector<int> steps_of(const std::string& name) {
  std::string found;
  on_first<InputError>({PETSC_COMM_WORLD}, [&] {
    const fs::path folder = fs::path(name).parent_path();
    std::error_code ignored;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, ignored), end; at != end;
         at.increment(ignored))
      if (const auto file = numbered(at->path().filename().string());
          file && file->name == fs::path(name).filename().string())
        found += std::to_string(file->step) + " ";
  });
  std::istringstream words(from_first({PETSC_COMM_WORLD}, found));
  std::vector<int> steps{std::istream_iterator<int>(words), {}};
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

// What to try, one after the other.
std::vector<std::string> candidates(const std::string& from, const std::string& name) {
  std::vector<std::string> paths;
  const bool any = from == "auto";
  const std::optional<Numbered> file = any ? Numbered{name, 0} : numbered(from);
  if (!any) paths.push_back(from);
  if (!file) return paths;
  for (const int step : steps_of(file->name))
    if (any || step < file->step) paths.push_back(checkpoint_path(file->name, step));
  return paths;
}

}  // namespace

std::string checkpoint_path(const std::string& name, int step) {
  return name + ".checkpoint-" + std::to_string(step) + ".h5";
}

bool is_checkpoint_of(const std::string& name, const std::string& path) {
  const std::optional<Numbered> file = numbered(path);
  if (!file) return false;
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(file->name, ignored), ignored) ==
         fs::weakly_canonical(fs::absolute(name, ignored), ignored);
}

void write_checkpoint(const std::string& name, const std::string& problem, const RunState& state,
                      const std::vector<FieldName>& names, const Vector& u, FieldOrigin origin) {
  const std::string path = checkpoint_path(name, state.steps);
  for (auto& attribute : attributes(problem, state, u)) origin.options.push_back(std::move(attribute));
  FieldWriter(path, u.layout().grid, names, u.layout().comm, origin).write(state.t_s, u);
  on_first<OutputError>({u.layout().comm}, [&] {
    std::error_code ignored;
    fs::remove(xdmf_path(path), ignored);  // nobody looks at it
  });
}

void keep_checkpoints(const std::string& name, const std::vector<int>& kept) {
  const std::vector<int> there = steps_of(name);
  on_first<OutputError>({PETSC_COMM_WORLD}, [&] {
    for (const int step : there) {
      if (std::find(kept.begin(), kept.end(), step) != kept.end()) continue;
      std::error_code ignored;
      fs::remove(checkpoint_path(name, step), ignored);
      fs::remove(xdmf_path(checkpoint_path(name, step)), ignored);  // of a run that was killed
    }
  });
}

std::optional<Restart> read_checkpoint(const std::string& from, const std::string& name,
                                       const std::string& problem, const std::vector<FieldName>& names,
                                       Vector& u, std::string& warning) {
  std::exception_ptr first;
  for (const std::string& path : candidates(from, name)) {
    try {
      const Restart found{read_one(path, problem, names, u), path};
      if (first) warning += "; going on from the one before, " + path;
      return found;
    } catch (const OtherProblem&) {
      throw;
    } catch (const InputError& error) {
      if (!first) first = std::current_exception();
      warning += (warning.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (from != "auto") std::rethrow_exception(first);
  return std::nullopt;
}

}  // namespace quadrille
