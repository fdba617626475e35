#include "drivers/fields/field_series.hpp"

#include <hdf5.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "drivers/fields/field_checks.hpp"
#include "drivers/fields/field_datasets.hpp"
#include "drivers/fields/xdmf.hpp"
#include "drivers/fields/xdmf_data.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;
using namespace hdf5;

// HDF5 is not to meet a full disk: it crashes at exit after that.
void require_room(const std::string& path, const FieldStep& step) {
  std::uintmax_t bytes = 1 << 20;
  for (const Field& field : step.fields) bytes += field.values.size() * sizeof(double);
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  if (!failed && space.available < bytes)
    cannot_write(path, "a step takes " + std::to_string(bytes) + " bytes, and " + folder.string() + " has " +
                           std::to_string(space.available) + " left");
}

FieldStep without_values(const FieldStep& step) {
  FieldStep result{step.time_s, {}};
  for (const Field& field : step.fields)
    result.fields.push_back({field.name, field.long_name, field.units, {}});
  return result;
}

}  // namespace

FieldSeries::FieldSeries(std::string path, FieldFile head)
    : path_(std::move(path)), written_(std::move(head)) {
  check_field_path(path_);
}

// The file without steps, for the fields of the first one.
void FieldSeries::create(const std::string& path) const {
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose,
              "creating the file");
  write_scales(file, written_, true);
  for (const Field& field : written_.steps.front().fields) create_field(file, written_.grid, field, 0, true);
  write_xdmf_meshes(file, written_);
  write_metadata(file, written_);
  file.close("closing the file");
}

void FieldSeries::add_to(const std::string& path, const FieldStep& step) const {
  const std::size_t place = written_.steps.size() - 1;
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "opening the file");
  make_room(file, step.fields, place + 1);
  write_time(file, place, step.time_s);
  for (const Field& field : step.fields) write_step(file, written_.grid, field, place);
  write_xdmf_views(file, written_, place);
  file.close("closing the file");
}

void FieldSeries::append(FieldStep step) {
  FieldFile alone;
  alone.grid = written_.grid;
  alone.steps.push_back(std::move(step));
  check_content(path_, alone);
  const FieldStep& here = alone.steps.front();
  if (!written_.steps.empty()) {
    const std::vector<Field>& before = written_.steps.front().fields;
    bool same = before.size() == here.fields.size();
    for (std::size_t i = 0; i < before.size() && same; ++i) same = before[i].name == here.fields[i].name;
    if (!same) cannot_write(path_, "every step must have the same fields");
  }
  require_room(path_, here);
  written_.steps.push_back(without_values(here));
  try {
    const SilentErrors silent;
    if (written_.steps.size() > 1) {
      add_to(path_, here);
    } else {
      TemporaryFile h5(path_);
      create(h5.path());
      add_to(h5.path(), here);
      h5.sync();
      h5.rename_to_final();
    }
  } catch (const Hdf5Error& error) {
    written_.steps.pop_back();
    cannot_write(path_, error.what());
  }
  write_text_file(xdmf_path(path_), xdmf_text(written_, fs::path(path_).filename().string()));
}

}  // namespace quadrille
