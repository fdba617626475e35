#include "drivers/support/xdmf.hpp"

#include <charconv>
#include <cstddef>

namespace quadrille {
namespace {

std::string number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
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

// `count` unknowns from `first` on, of one step: the hyperslab [step][all z][all y][all x][first...] of the
// dataset.
std::string xdmf_attribute(const std::string& name, const std::string& dataset, const Grid& grid,
                           std::size_t step, std::size_t steps, int first, int count) {
  const auto text = [](auto value) { return std::to_string(value); };
  const std::string nodes = text(grid.extents[2]) + " " + text(grid.extents[1]) + " " + text(grid.extents[0]);
  return "        <Attribute Name=\"" + name + "\" AttributeType=\"" + (count == 3 ? "Vector" : "Scalar") +
         "\" Center=\"Node\">\n          <DataItem ItemType=\"HyperSlab\" Dimensions=\"" + nodes +
         (count == 1 ? "" : " " + text(count)) + "\">\n" +
         "            <DataItem Dimensions=\"3 5\" NumberType=\"Int\" Format=\"XML\">" + text(step) +
         " 0 0 0 " + text(first) + "  1 1 1 1 1  1 " + nodes + " " + text(count) + "</DataItem>\n" +
         "            <DataItem Dimensions=\"" + text(steps) + " " + nodes + " " + text(grid.dof) +
         "\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">" + dataset +
         "</DataItem>\n          </DataItem>\n        </Attribute>\n";
}

// One unknown a node is a scalar, three are a vector; else each is a scalar of its own, <name>_0, <name>_1,
// ...: VTK's readers disagree, from version to version, on the component count of XDMF's "Matrix".
std::string xdmf_field(const Field& field, const Grid& grid, std::size_t step, std::size_t steps,
                       const std::string& h5_name) {
  const std::string dataset = xml_escaped(h5_name) + ":/" + field.name;
  if (grid.dof == 1 || grid.dof == 3)
    return xdmf_attribute(field.name, dataset, grid, step, steps, 0, grid.dof);
  std::string out;
  for (int r = 0; r < grid.dof; ++r)
    out += xdmf_attribute(field.name + "_" + std::to_string(r), dataset, grid, step, steps, r, 1);
  return out;
}

// Nodes on a lattice, or a matrix's rows in a line; `triple` of z, y and x.
std::string xdmf_mesh(const std::string& nodes, const std::string& spacing) {
  return "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" + nodes + "\"/>\n" +
         "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n" +
         "          <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">0 0 "
         "0</DataItem>\n" +
         "          <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" +
         spacing + "</DataItem>\n        </Geometry>\n";
}

template <class Values, class Write>
std::string triple(const Values& values, Write write) {
  return write(values[2]) + " " + write(values[1]) + " " + write(values[0]);
}

// 2D grids are written as one layer of a 3D one: all readers agree on that.
std::string xdmf_step(const FieldFile& content, std::size_t step, const std::string& h5_name) {
  const std::string nodes = triple(content.grid.extents, [](std::int64_t n) { return std::to_string(n); });
  std::string out = "      <Grid Name=\"grid\" GridType=\"Uniform\">\n        <Time Value=\"" +
                    number(content.steps[step].time_s) + "\"/>\n" +
                    xdmf_mesh(nodes, triple(content.grid.spacing_m, number));
  for (const Field& field : content.steps[step].fields)
    out += xdmf_field(field, content.grid, step, content.steps.size(), h5_name);
  return out + "      </Grid>\n";
}

// The vectors of a matrix that lie on this scale, if any.
std::string xdmf_vectors(const FieldFile& content, const std::string& scale, const std::string& h5_name) {
  std::string attributes, nodes;
  for (const Field& field : content.steps.front().fields) {
    if (content.matrix->scale_of(field) != scale) continue;
    const std::string count = std::to_string(field.values.size());
    nodes = "1 1 " + count;
    attributes += "        <Attribute Name=\"" + field.name +
                  "\" AttributeType=\"Scalar\" Center=\"Node\">\n" +
                  "          <DataItem ItemType=\"HyperSlab\" Dimensions=\"" + nodes + "\">\n" +
                  "            <DataItem Dimensions=\"3 1\" NumberType=\"Int\" Format=\"XML\">0 1 " + count +
                  "</DataItem>\n            <DataItem Dimensions=\"" + count +
                  "\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">" + xml_escaped(h5_name) + ":/" +
                  field.name + "</DataItem>\n          </DataItem>\n        </Attribute>\n";
  }
  if (attributes.empty()) return "";
  return "      <Grid Name=\"" + scale + "\" GridType=\"Uniform\">\n" + xdmf_mesh(nodes, "1 1 1") +
         attributes + "      </Grid>\n";
}

}  // namespace

std::string xdmf_text(const FieldFile& content, const std::string& h5_name) {
  const bool collection = content.steps.size() > 1;
  std::string out = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"2.0\">\n  <Domain>\n";
  if (collection) out += "    <Grid Name=\"steps\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  if (content.matrix)
    out += xdmf_vectors(content, "row", h5_name) + xdmf_vectors(content, "column", h5_name);
  else
    for (std::size_t step = 0; step < content.steps.size(); ++step) out += xdmf_step(content, step, h5_name);
  if (collection) out += "    </Grid>\n";
  return out + "  </Domain>\n</Xdmf>\n";
}

}  // namespace quadrille
