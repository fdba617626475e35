#include "drivers/support/field_input.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "drivers/fields/hdf5_reading.hpp"
#include "drivers/support/options_values.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

using namespace hdf5;

std::vector<hsize_t> extents_of_field(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose, "the type");
  if (!holds_numbers(type)) refuse("holds no numbers");
  std::vector<hsize_t> extents = extents_of(dataset);
  const std::size_t rank = extents.size();
  if (rank < 2 || rank > 5)
    refuse("has " + std::to_string(rank) +
           " axes; a field has [z][y][x], [y][x], [z][y][x][dof], or [step][z][y][x][dof] as this program "
           "writes it");
  if (std::find(extents.begin(), extents.end(), 0u) != extents.end()) refuse("is empty");
  return extents;
}

std::optional<std::array<double, 3>> spacing_of(hid_t file, hid_t dataset, int dimension) {
  std::optional<std::vector<double>> told = numbers_of(dataset, "spacing_m");
  if (!told) told = numbers_of(file, "spacing_m");
  if (!told) return std::nullopt;
  std::array<double, 3> spacing_m{1, 1, 1};
  if (told->size() != 3 && told->size() != static_cast<std::size_t>(dimension))
    refuse("its attribute spacing_m has " + std::to_string(told->size()) + " numbers, not one for each axis");
  std::copy(told->begin(), told->end(), spacing_m.begin());
  for (const double h : spacing_m)
    if (!(h >= 1e-100) || !(h <= 1e100))
      refuse("its attribute spacing_m has " + number_text(h) + "; lengths are from 1e-100 to 1e100");
  return spacing_m;
}

// What HDF5 says is the reason; `body` has reasons of its own.
template <class Body>
auto with_reasons(const Body& body) {
  const SilentErrors silent;
  try {
    return body();
  } catch (const Hdf5Error& error) {
    const std::string what = error.what(), reason = "cannot be read: ";
    refuse((what.starts_with(reason) ? "" : reason) + what);
  }
}

}  // namespace

std::optional<FieldPlace> field_place(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (text.find('?') != std::string::npos || colon == std::string::npos || colon == 0 ||
      colon + 1 == text.size())
    return std::nullopt;
  return FieldPlace{text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<std::string> field_places(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t first = 0, end = 0; end != std::string::npos; first = end + 1) {
    end = text.find(',', first);
    parts.push_back(text.substr(first, end == std::string::npos ? end : end - first));
    if (!field_place(parts.back())) return {};
  }
  return parts;
}

FieldShape field_shape(const FieldPlace& place) {
  return with_reasons([&] {
    const Handle file = opened(place.file), dataset = dataset_of(file, place.dataset);
    const std::vector<hsize_t> extents = extents_of_field(dataset);
    const bool of_unknowns = extents.size() > 3;  // the last axis is theirs
    FieldShape shape;
    const std::size_t last = extents.size() - (of_unknowns ? 2 : 1), axes = of_unknowns ? 3 : extents.size();
    for (std::size_t axis = 0; axis < axes; ++axis)
      shape.extents[axis] = static_cast<std::int64_t>(extents[last - axis]);
    shape.dimension = static_cast<int>(axes);
    if (of_unknowns) {
      const std::optional<std::vector<double>> told = numbers_of(file, "dimension");
      const bool flat = shape.extents[2] == 1;
      shape.unknowns = static_cast<std::int64_t>(extents.back());
      shape.dimension = flat && (!told || told->size() != 1 || told->front() == 2) ? 2 : 3;
    }
    shape.spacing_m = spacing_of(file, dataset, shape.dimension);
    return shape;
  });
}

Array<double> read_field(const FieldPlace& place) {
  return with_reasons([&] {
    const Handle file = opened(place.file), dataset = dataset_of(file, place.dataset);
    std::vector<hsize_t> count = extents_of_field(dataset), start(count.size(), 0);
    const Handle space(H5Dget_space(dataset), H5Sclose, "the extents");
    if (count.size() == 5) start[0] = count[0] - 1, count[0] = 1;
    std::int64_t size = 1;
    for (const hsize_t n : count) size = checked_product(size, static_cast<std::int64_t>(n), "the field");
    memory::require_host(checked_product(size, 8, "the field"));
    Array<double> values(size);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
          "choosing a step");
    const Handle all(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose,
                     "the extents");
    check(H5Dread(dataset, H5T_NATIVE_DOUBLE, all, space, H5P_DEFAULT, values.data()), "its numbers");
    return values;
  });
}

}  // namespace quadrille
