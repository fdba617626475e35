#include "quadrille/field_writer.hpp"

#include <functional>
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

// The numbers of all ranks on the first one, rank by rank; none on the others.
std::vector<double> on_first_rank(Vec vector) {
  VecScatter scatter = nullptr;
  Vec made = nullptr;
  QUADRILLE_PETSC(VecScatterCreateToZero(vector, &scatter, &made));
  const petsc::Handle<VecScatter> scattering(scatter);
  const petsc::Handle<Vec> all(made);
  QUADRILLE_PETSC(VecScatterBegin(scatter, vector, made, INSERT_VALUES, SCATTER_FORWARD));
  QUADRILLE_PETSC(VecScatterEnd(scatter, vector, made, INSERT_VALUES, SCATTER_FORWARD));
  const HostValues<const double> values(made);
  return {values.begin(), values.end()};
}

}  // namespace

struct FieldWriter::State {
  std::string path;
  Grid grid;
  std::vector<FieldName> names;
  MPI_Comm comm;
  std::optional<FieldSeries> series;  // of the first rank

  bool is_first() const {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank == 0;
  }
  // body() on the first rank. Where it throws, all ranks do.
  void on_first(const std::function<void()>& body) const {
    std::exception_ptr failed;
    if (is_first()) {
      try {
        body();
      } catch (...) {
        failed = std::current_exception();
      }
    }
    int bad = failed != nullptr;
    MPI_Bcast(&bad, 1, MPI_INT, 0, comm);
    if (failed) std::rethrow_exception(failed);
    if (bad) throw OutputError("cannot write " + path + ": the first rank says why");
  }
  // [node][unknown] as the fields of a step.
  FieldStep step(double time_s, const std::vector<double>& values) const {
    FieldStep step{time_s, {}};
    const std::size_t count = names.size(), of_field = values.size() / count;
    for (std::size_t i = 0; i < count; ++i) {
      Field field{names[i].name, names[i].long_name, names[i].units, std::vector<double>(of_field)};
      if (count == 1)
        field.values = values;
      else
        for (std::size_t node = 0; node < of_field; ++node) field.values[node] = values[node * count + i];
      step.fields.push_back(std::move(field));
    }
    return step;
  }
};

FieldWriter::FieldWriter(const std::string& path, const Grid& grid, std::vector<FieldName> fields,
                         MPI_Comm comm)
    : state_(new State{path, grid, std::move(fields), comm, {}}) {
  petsc::require_initialised();
  validate(grid);
  const std::size_t count = state_->names.size();
  if (count != 1 && count != static_cast<std::size_t>(grid.dof))
    throw InputError(std::to_string(count) + " field names for " + std::to_string(grid.dof) +
                     " unknowns of a node: give one name, or one for each");
  FieldFile head;
  head.grid = grid;
  if (count > 1) head.grid.dof = 1;
  head.options = {{"petsc", petsc_options()}};
  head.version = ChoiceWishes::library_version();
  state_->on_first([&] { state_->series.emplace(path, std::move(head)); });
}

FieldWriter::~FieldWriter() = default;
FieldWriter::FieldWriter(FieldWriter&&) noexcept = default;
FieldWriter& FieldWriter::operator=(FieldWriter&&) noexcept = default;

void FieldWriter::write(double time_s, const Vector& vector) {
  const GridLayout& layout = vector.layout();
  if (layout.grid.extents != state_->grid.extents || layout.grid.dof != state_->grid.dof)
    throw InputError("the vector is of another grid than the file " + state_->path);
  const std::vector<double> all = on_first_rank(vector.vec());
  state_->on_first([&] {
    state_->series->append(state_->step(time_s, in_grid_order(layout.partition, all, layout.grid.dof)));
  });
}

}  // namespace quadrille
