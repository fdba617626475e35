#include "drivers/fields/xdmf.hpp"

#include <charconv>
#include <cstddef>

namespace quadrille {
namespace {

std::string number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

// "z y x"
template <class Values>
std::string triple(const Values& values) {
  return number(values[2]) + " " + number(values[1]) + " " + number(values[0]);
}

std::string xml_item(const std::string& text) {
  return "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" + text +
         "</DataItem>";
}

std::string hdf_item(const std::string& dimensions, const char* type, int bytes, const std::string& h5_name,
                     const std::string& path) {
  return "<DataItem Dimensions=\"" + dimensions + "\" NumberType=\"" + type + "\" Precision=\"" +
         std::to_string(bytes) + "\" Format=\"HDF\">" + xml_escaped(h5_name) + ":" + path + "</DataItem>";
}

// 2D grids are one layer of a 3D one: all readers agree on that.
std::string lattice_text(const Lattice& lattice) {
  return "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" + triple(lattice.extents) +
         "\"/>\n        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n          " + xml_item("0 0 0") +
         "\n          " + xml_item(triple(lattice.spacing_m)) + "\n        </Geometry>\n";
}

// `place`: the XDMF path of the lattice that VTK takes in place of the mesh.
std::string mesh_text(const Lattice& lattice, const std::string& place, const std::string& h5_name) {
  constexpr const char* types[] = {"Polyvertex", "Polyline", "Quadrilateral", "Hexahedron"};
  const std::size_t axes = lattice.cell_axes().size();
  const auto [x, y, z] = lattice.cells();
  const std::string cells = number(x * y * z), corners = std::to_string(1 << axes);
  return "        <Topology TopologyType=\"" + std::string(types[axes]) + "\" NumberOfElements=\"" + cells +
         "\" NodesPerElement=\"" + corners + "\" Reference=\"" + place + "/Topology[1]\">\n          " +
         hdf_item(cells + " " + corners, "Int", 4, h5_name, lattice.mesh_path("cells")) +
         "\n        </Topology>\n        <Geometry GeometryType=\"XYZ\" Reference=\"" + place +
         "/Geometry[1]\">\n          " +
         hdf_item(number(lattice.points()) + " 3", "Float", 8, h5_name, lattice.mesh_path("points")) +
         "\n        </Geometry>\n";
}

std::string attribute_text(const Lattice& lattice, const XdmfArray& array, const std::string& h5_name) {
  const std::string dimensions =
      triple(lattice.extents) + (array.count == 1 ? "" : " " + std::to_string(array.count));
  return "        <Attribute Name=\"" + array.name + "\" AttributeType=\"" +
         (array.count == 3 ? "Vector" : "Scalar") + "\" Center=\"Node\">\n          " +
         hdf_item(dimensions, "Float", 8, h5_name, array.path) + "\n        </Attribute>\n";
}

bool lies_on(const FieldFile& content, const Field& field, const Lattice& lattice) {
  return !content.matrix || content.matrix->scale_of(field) == lattice.name;
}

// `place`: of the grid that holds the lattice, which is this one where `first`.
std::string grid_text(const FieldFile& content, const Lattice& lattice, std::size_t step,
                      const std::string& place, bool first, const std::string& h5_name) {
  std::string out = "      <Grid Name=\"" + lattice.name + "\" GridType=\"Uniform\">\n";
  if (content.steps.size() > 1)  // meshio refuses a single grid with a time
    out += "        <Time Value=\"" + number(content.steps[step].time_s) + "\"/>\n";
  if (lattice.has_mesh()) {
    out += mesh_text(lattice, place + "/Information", h5_name);
    if (first)
      out += "        <Information Name=\"lattice\" Value=\"the same mesh\">&lt;lattice/&gt;\n" +
             lattice_text(lattice) + "        </Information>\n";
  } else {
    out += lattice_text(lattice);
  }
  for (const Field& field : content.steps[step].fields)
    if (lies_on(content, field, lattice))
      for (const XdmfArray& array : xdmf_arrays(content, field, step))
        out += attribute_text(lattice, array, h5_name);
  return out + "      </Grid>\n";
}

}  // namespace

std::vector<int> Lattice::cell_axes() const {
  std::vector<int> axes;
  for (int axis = 0; axis < 3; ++axis)
    if (extents[axis] > 1) axes.push_back(axis);
  return axes;
}

std::array<std::int64_t, 3> Lattice::cells() const {
  std::array<std::int64_t, 3> counts{1, 1, 1};
  for (const int axis : cell_axes()) counts[axis] = extents[axis] - 1;
  return counts;
}

std::vector<Lattice> lattices(const FieldFile& content) {
  if (!content.matrix) return {{"grid", content.grid.extents, content.grid.spacing_m}};
  std::vector<Lattice> lines{{"row", {content.matrix->rows, 1, 1}, {1, 1, 1}}};
  if (content.matrix->columns != content.matrix->rows)
    lines.push_back({"column", {content.matrix->columns, 1, 1}, {1, 1, 1}});
  return lines;
}

std::vector<XdmfArray> xdmf_arrays(const FieldFile& content, const Field& field, std::size_t step) {
  if (content.matrix) return {{field.name, "/" + field.name}};
  const int dof = content.grid.dof;
  const std::string path = "/xdmf/" + std::to_string(step) + "/" + field.name;
  if (dof == 1 || dof == 3) return {{field.name, path, 0, dof}};
  std::vector<XdmfArray> arrays;
  for (int r = 0; r < dof; ++r) {
    const std::string suffix = "_" + std::to_string(r);
    arrays.push_back({field.name + suffix, path + suffix, r, 1});
  }
  return arrays;
}

std::string xdmf_text(const FieldFile& content, const std::string& h5_name) {
  const bool collection = content.steps.size() > 1;
  std::string out = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n";
  if (collection) {
    out += "    <Grid Name=\"steps\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    const Lattice lattice = lattices(content).front();
    for (std::size_t step = 0; step < content.steps.size(); ++step)
      out += grid_text(content, lattice, step, "/Xdmf/Domain/Grid/Grid[1]", step == 0, h5_name);
    out += "    </Grid>\n";
  } else {
    int count = 0;
    for (const Lattice& lattice : lattices(content))
      out +=
          grid_text(content, lattice, 0, "/Xdmf/Domain/Grid[" + std::to_string(++count) + "]", true, h5_name);
  }
  return out + "  </Domain>\n</Xdmf>\n";
}

}  // namespace quadrille
