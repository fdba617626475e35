#include "drivers/fields/xdmf_data.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "drivers/fields/hdf5_objects.hpp"
#include "drivers/fields/xdmf.hpp"

namespace quadrille {
namespace {

using namespace hdf5;

constexpr hsize_t chunk_lines = 1 << 15;

void write_table(hid_t file, const std::string& path, hid_t file_type, hid_t memory_type, const void* data,
                 std::array<hsize_t, 2> shape) {
  const Handle list = creation_list();
  if (shape[0] > 0) {
    const std::array<hsize_t, 2> chunk{std::min(shape[0], chunk_lines), shape[1]};
    check(H5Pset_chunk(list, 2, chunk.data()), "chunking");
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
      check(H5Pset_shuffle(list), "compression");
      check(H5Pset_deflate(list, 1), "compression");
    }
  }
  const Handle space(H5Screate_simple(2, shape.data(), nullptr), H5Sclose, "mesh space");
  Handle dataset(H5Dcreate2(file, path.c_str(), file_type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose,
                 "creating the mesh");
  check(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "writing the mesh");
  dataset.close("closing the mesh");
}

template <class Visit>  // visit(x, y, z)
void for_each(const std::array<std::int64_t, 3>& counts, Visit visit) {
  for (std::int64_t z = 0; z < counts[2]; ++z)
    for (std::int64_t y = 0; y < counts[1]; ++y)
      for (std::int64_t x = 0; x < counts[0]; ++x) visit(x, y, z);
}

void write_points(hid_t file, const Lattice& lattice) {
  std::vector<double> points;
  points.reserve(static_cast<std::size_t>(3 * lattice.points()));
  for_each(lattice.extents, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    for (const auto& [place, axis] : {std::pair{x, 0}, std::pair{y, 1}, std::pair{z, 2}})
      points.push_back(static_cast<double>(place) * lattice.spacing_m[axis]);
  });
  write_table(file, lattice.mesh_path("points"), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, points.data(),
              {points.size() / 3, 3});
}

// The corners of a cell that begins at the origin, in XDMF's order: around the lower face, then around the
// upper one.
std::vector<std::int64_t> corners_of_a_cell(const Lattice& lattice) {
  const std::array<std::int64_t, 3> strides{1, lattice.extents[0], lattice.extents[0] * lattice.extents[1]};
  std::vector<std::int64_t> corners{0};
  const std::vector<int> axes = lattice.cell_axes();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<std::int64_t> moved = corners;
    if (i == 1) std::reverse(moved.begin(), moved.end());  // on around the face
    for (const std::int64_t corner : moved) corners.push_back(corner + strides[axes[i]]);
  }
  return corners;
}

void write_cells(hid_t file, const Lattice& lattice) {
  const std::vector<std::int64_t> corners = corners_of_a_cell(lattice);
  const std::array<std::int64_t, 3> counts = lattice.cells();
  std::vector<std::int32_t> cells;
  cells.reserve(static_cast<std::size_t>(counts[0] * counts[1] * counts[2]) * corners.size());
  for_each(counts, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::int64_t first = x + lattice.extents[0] * (y + lattice.extents[1] * z);
    for (const std::int64_t corner : corners) cells.push_back(static_cast<std::int32_t>(first + corner));
  });
  write_table(file, lattice.mesh_path("cells"), H5T_STD_I32LE, H5T_NATIVE_INT32, cells.data(),
              {cells.size() / corners.size(), corners.size()});
}

// [step][z][y][x][dof] seen as [node] or [node][unknown].
void write_view(hid_t file, const Grid& grid, std::size_t steps, std::size_t step, const std::string& field,
                const XdmfArray& array) {
  const auto extent = [&](int axis) { return static_cast<hsize_t>(grid.extents[axis]); };
  const std::array<hsize_t, 5> shape{steps, extent(2), extent(1), extent(0), static_cast<hsize_t>(grid.dof)};
  const std::array<hsize_t, 5> start{step, 0, 0, 0, static_cast<hsize_t>(array.first)};
  std::array<hsize_t, 5> count = shape;
  count[0] = 1;
  count[4] = static_cast<hsize_t>(array.count);
  const Handle source(H5Screate_simple(5, shape.data(), nullptr), H5Sclose, "field space");
  check(H5Sselect_hyperslab(source, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
        "choosing a view");
  const std::array<hsize_t, 2> flat{shape[1] * shape[2] * shape[3], count[4]};
  const Handle space(H5Screate_simple(array.count == 1 ? 1 : 2, flat.data(), nullptr), H5Sclose,
                     "view space");
  const Handle list = creation_list();
  check(H5Pset_virtual(list, space, ".", ("/" + field).c_str(), source), "a view");
  Handle view(H5Dcreate2(file, array.path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT),
              H5Dclose, "creating a view");
  view.close("closing a view");
}

void make_group(hid_t file, const std::string& path) {
  Handle group(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
               "creating a group");
  group.close("closing a group");
}

}  // namespace

void write_xdmf_meshes(hid_t file, const FieldFile& content) {
  make_group(file, "/xdmf");
  for (const Lattice& lattice : lattices(content)) {
    if (!lattice.has_mesh()) continue;
    write_points(file, lattice);
    write_cells(file, lattice);
  }
}

void write_xdmf_views(hid_t file, const FieldFile& content, std::size_t step) {
  make_group(file, "/xdmf/" + std::to_string(step));
  for (const Field& field : content.steps[step].fields)
    for (const XdmfArray& array : xdmf_arrays(content, field, step))
      write_view(file, content.grid, content.steps.size(), step, field.name, array);
}

void write_xdmf_data(hid_t file, const FieldFile& content) {
  write_xdmf_meshes(file, content);
  if (content.matrix) return;
  for (std::size_t step = 0; step < content.steps.size(); ++step) write_xdmf_views(file, content, step);
}

}  // namespace quadrille
