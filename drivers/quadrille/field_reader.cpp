#include "quadrille/field_reader.hpp"

#include <algorithm>

#include "drivers/fields/field_source.hpp"
#include "drivers/fields/ranks.hpp"
#include "grid/error.hpp"
#include "grid/suggestion.hpp"
#include "kernels/petsc/base/check.hpp"

namespace quadrille {

struct FieldReader::State {
  std::string path;
  Ranks ranks;
  FieldContents contents;

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Field& field : contents.fields) names.push_back(field.name);
    return names;
  }
  void check(std::int64_t step, const std::vector<std::string>& fields, const Vector& into) const;
};

void FieldReader::State::check(std::int64_t step, const std::vector<std::string>& fields,
                               const Vector& into) const {
  const auto refuse = [&](const std::string& reason) {
    throw InputError("cannot read " + path + ": " + reason);
  };
  const auto steps = static_cast<std::int64_t>(contents.times_s.size());
  if (step < 0 || step >= steps)
    refuse("there is no step " + std::to_string(step) + "; it has " + std::to_string(steps) +
           (steps > 0 ? ", from 0 on" : ""));
  const Grid &grid = contents.grid, &wanted = into.layout().grid;
  if (grid.extents != wanted.extents)
    refuse("its grid is " + to_string(grid) + ", and that of the vector " + to_string(wanted));
  const std::vector<std::string> known = names();
  std::string listed;
  for (const std::string& name : known) listed += (listed.empty() ? "" : ", ") + name;
  for (const std::string& name : fields)
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse("there is no field '" + name + "'" + (known.empty() ? "" : "; there are " + listed) +
             suggestion(name, known));
  if (fields.size() * static_cast<std::size_t>(grid.dof) != static_cast<std::size_t>(wanted.dof))
    refuse(std::to_string(fields.size()) + " fields of " + std::to_string(grid.dof) +
           " unknowns are asked for, and a node of the vector has " + std::to_string(wanted.dof));
}

FieldReader::FieldReader(const std::string& path, MPI_Comm comm) : state_(new State{path, {comm}, {}}) {
  petsc::require_initialised();
  on_each<InputError>(state_->ranks, [&] { state_->contents = field_contents(path); });
}

FieldReader::~FieldReader() = default;
FieldReader::FieldReader(FieldReader&&) noexcept = default;
FieldReader& FieldReader::operator=(FieldReader&&) noexcept = default;

const Grid& FieldReader::grid() const {
  return state_->contents.grid;
}

std::int64_t FieldReader::steps() const {
  return static_cast<std::int64_t>(state_->contents.times_s.size());
}

const std::vector<double>& FieldReader::times_s() const {
  return state_->contents.times_s;
}

std::vector<std::string> FieldReader::names() const {
  return state_->names();
}

void FieldReader::read(std::int64_t step, const std::vector<std::string>& fields, Vector& into) const {
  const State& s = *state_;
  on_each<InputError>(s.ranks, [&] { s.check(step, fields, into); });
  const HostValues<double> values = into.values();
  on_each<InputError>(s.ranks, [&] {
    double* to = values.begin();
    for (const std::string& name : fields) {
      read_box(s.path, s.contents, name, static_cast<std::size_t>(step), into.layout().box(), to,
               into.layout().grid.dof);
      to += s.contents.grid.dof;
    }
  });
}

}  // namespace quadrille
