#include "quadrille/field_writer.hpp"

#include <optional>
#include <utility>

#include "drivers/fields/field_series.hpp"
#include "grid/error.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/tuning/choose_format.hpp"

namespace quadrille {
namespace {

// All options that PETSc has, in a line.
std::string petsc_options() {
  char* text = nullptr;
  QUADRILLE_PETSC(PetscOptionsGetAll(nullptr, &text));
  const std::string all = text == nullptr ? "" : text;
  QUADRILLE_PETSC(PetscFree(text));
  return all;
}

}  // namespace

struct FieldWriter::State {
  std::string path;
  Grid grid;
  std::vector<FieldName> names;
  Ranks ranks;
  FieldOrigin origin;
  std::optional<FieldSeries> series;

  FieldFile head() const {
    FieldFile head;
    head.grid = grid;
    if (names.size() > 1) head.grid.dof = 1;
    head.options = origin.options;
    head.options.emplace_back("petsc", petsc_options());
    head.version = origin.version.empty() ? ChoiceWishes::library_version() : origin.version;
    head.ranks = ranks;
    return head;
  }
  // [node][unknown] as the fields of a step.
  FieldStep step(double time_s, const HostValues<const double>& values) const {
    FieldStep step{time_s, {}};
    const auto count = static_cast<std::int64_t>(names.size()), of_field = values.size() / count;
    for (std::int64_t i = 0; i < count; ++i) {
      const FieldName& name = names[static_cast<std::size_t>(i)];
      Field field{name.name, name.long_name, name.units, {}};
      field.values.reserve(static_cast<std::size_t>(of_field));
      for (std::int64_t node = 0; node < of_field; ++node) field.values.push_back(values[node * count + i]);
      step.fields.push_back(std::move(field));
    }
    return step;
  }
};

FieldWriter::FieldWriter(const std::string& path, const Grid& grid, std::vector<FieldName> fields,
                         MPI_Comm comm, const FieldOrigin& origin)
    : state_(new State{path, grid, std::move(fields), {comm}, origin, {}}) {
  petsc::require_initialised();
  validate(grid);
  const std::size_t count = state_->names.size();
  if (count != 1 && count != static_cast<std::size_t>(grid.dof))
    throw InputError(std::to_string(count) + " field names for " + std::to_string(grid.dof) +
                     " unknowns of a node: give one name, or one for each");
  state_->series.emplace(path, state_->head());
}

FieldWriter::~FieldWriter() = default;
FieldWriter::FieldWriter(FieldWriter&&) noexcept = default;
FieldWriter& FieldWriter::operator=(FieldWriter&&) noexcept = default;

void FieldWriter::write(double time_s, const Vector& vector) {
  State& s = *state_;
  const GridLayout& layout = vector.layout();
  int same = MPI_UNEQUAL;
  MPI_Comm_compare(PetscObjectComm(reinterpret_cast<PetscObject>(vector.vec())), s.ranks.comm, &same);
  if (layout.grid.extents != s.grid.extents || layout.grid.dof != s.grid.dof)
    throw InputError("the vector is of another grid than the file " + s.path);
  if (same != MPI_IDENT && same != MPI_CONGRUENT)
    throw InputError("the ranks of the vector are not those of the file " + s.path);
  s.series->append(s.step(time_s, vector.values()), layout.box());
}

std::optional<double> FieldWriter::go_on(double until_s) {
  FieldStep like;
  for (const FieldName& name : state_->names)
    like.fields.push_back({name.name, name.long_name, name.units, {}});
  return state_->series->go_on(like, until_s);
}

}  // namespace quadrille
