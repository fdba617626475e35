#include "drivers/fields/field_checks.hpp"

#include "drivers/fields/field_datasets.hpp"

namespace quadrille {
namespace {

void check_name(const std::string& path, const std::string& name) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (name.empty() || name.find_first_not_of(letters) != std::string::npos)
    cannot_write(path, "the field name '" + name + "' must be of letters, digits and _");
  if (name == "options" || name == "xdmf" || name == "row" || name == "column" || is_scale(name))
    cannot_write(path, "the field name '" + name +
                           "' is taken by the file's own coordinates or options; choose another");
}

void check_size(const std::string& path, const FieldFile& content, const Field& field) {
  const auto size = static_cast<std::int64_t>(field.values.size());
  const auto refuse = [&](const std::string& place) {
    cannot_write(path, "field '" + field.name + "' has " + std::to_string(size) + " values, the " + place);
  };
  const std::int64_t rows = content.box().nodes() * content.grid.dof;
  if (!content.matrix && size != rows)
    refuse((content.part ? "part of the grid " : "grid ") + std::to_string(rows) + " unknowns");
  if (content.matrix && size != content.matrix->rows && size != content.matrix->columns)
    refuse("matrix " + std::to_string(content.matrix->rows) + " rows");
}

}  // namespace

void cannot_write(const std::string& path, const std::string& reason) {
  throw OutputError("cannot write " + path + ": " + reason);
}

void writing(const std::string& path, const std::function<void()>& body) {
  const hdf5::SilentErrors silent;
  try {
    body();
  } catch (const hdf5::Hdf5Error& error) {
    cannot_write(path, error.what());
  }
}

void check_content(const std::string& path, const FieldFile& content) {
  if (content.steps.empty() || content.steps.front().fields.empty())
    cannot_write(path, "there is no field to write");
  const std::vector<Field>& first = content.steps.front().fields;
  for (std::size_t i = 0; i < first.size(); ++i) {
    check_name(path, first[i].name);
    for (std::size_t j = 0; j < i; ++j)
      if (first[i].name == first[j].name) cannot_write(path, "two fields are named '" + first[i].name + "'");
  }
  if (content.matrix && content.steps.size() > 1) cannot_write(path, "products of a matrix have one step");
  for (const FieldStep& step : content.steps) {
    if (step.fields.size() != first.size()) cannot_write(path, "every step must have the same fields");
    for (std::size_t i = 0; i < first.size(); ++i) {
      const Field& field = step.fields[i];
      if (field.name != first[i].name) cannot_write(path, "every step must have the same fields");
      check_size(path, content, field);
    }
  }
}

}  // namespace quadrille
