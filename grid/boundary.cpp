#include "grid/boundary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "grid/error.hpp"

namespace quadrille {
namespace {

constexpr const char* kinds_text =
    "write drop, periodic, value:X, clamp, outflow, flux:X or robin:A,B,C, and slashes between unknowns";
constexpr std::array<const char*, 6> face_names{"x-", "x+", "y-", "y+", "z-", "z+"};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) {
    part.erase(0, part.find_first_not_of(" \t"));
    part.erase(part.find_last_not_of(" \t") + 1);
  }
  return parts;
}

// Whether the last kind of a face takes what follows a comma: robin:1,2,3.
bool goes_on(const std::string& face, const std::string& next) {
  const std::size_t slash = face.rfind('/');
  const std::string last = face.substr(slash == std::string::npos ? 0 : slash + 1);
  return last.starts_with("robin:") && !next.empty() &&
         std::string("0123456789+-.").find(next[0]) != std::string::npos;
}

double parse_number(const std::string& kind, const std::string& text) {
  const char* begin = text.c_str();
  const char* const end = begin + text.size();
  if (begin != end && *begin == '+' && begin + 1 != end && begin[1] != '-') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range)
    throw InputError("boundary '" + kind + "': the value does not fit a double");
  if (begin == end || stop != end || error != std::errc{})
    throw InputError("boundary '" + kind + "': the value is not a number; write for example " +
                     kind.substr(0, kind.find(':')) + (kind.starts_with("robin") ? ":1,2,0.5" : ":0.5"));
  return value;
}

FaceBoundary parse_kind(const std::string& text) {
  if (text == "drop") return {BoundaryKind::drop};
  if (text == "periodic") return {BoundaryKind::periodic};
  if (text == "clamp") return {BoundaryKind::clamp};
  if (text == "outflow") return {BoundaryKind::outflow};
  if (text.starts_with("value:")) return {BoundaryKind::value, parse_number(text, text.substr(6))};
  if (text.starts_with("flux:")) return {BoundaryKind::flux, parse_number(text, text.substr(5))};
  if (!text.starts_with("robin:"))
    throw InputError("boundary '" + text + "' is not understood; " + kinds_text);
  const std::vector<std::string> numbers = split(text.substr(6), ',');
  if (numbers.size() != 3)
    throw InputError("boundary '" + text +
                     "': robin takes three numbers, A, B and C of A u + B q = C; write " +
                     "for example robin:1,2,0.5");
  return {BoundaryKind::robin, parse_number(text, numbers[2]), parse_number(text, numbers[0]),
          parse_number(text, numbers[1])};
}

// The shortest text that reads back as the same double.
std::string number_text(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

// With `function` in place of the constant, where there is one.
std::string to_string(const FaceBoundary& face, const std::string& function = "") {
  if (!takes_data(face)) return usage(face.kind);
  const std::string kind = usage(face.kind), value = function.empty() ? number_text(face.value) : function;
  const std::string ab =
      face.kind == BoundaryKind::robin ? number_text(face.a) + "," + number_text(face.b) + "," : "";
  return kind.substr(0, kind.find(':') + 1) + ab + value;
}

std::string to_string(const Boundary& boundary, int face, int unknowns) {
  const FaceData& data = boundary.data[face];
  const auto of = [&](int r) {
    if (!data) return to_string(boundary.of(r)[face]);
    if (data.written.empty()) return to_string(boundary.of(r)[face], "function");
    return to_string(boundary.of(r)[face], data.written[data.written.size() == 1 ? 0 : r]);
  };
  bool alike = true;
  for (int r = 1; r < unknowns; ++r) alike = alike && of(r) == of(0);
  std::string text;
  for (int r = 0; r < (alike ? 1 : unknowns); ++r) text += (r > 0 ? "/" : "") + of(r);
  return text;
}

int unknowns_of(const Boundary& boundary) {
  return std::max(1, static_cast<int>(boundary.of_unknown.size()));
}

void check_face(const Faces& faces, int face) {
  const FaceBoundary &here = faces[face], &opposite = faces[face ^ 1];
  const std::string name = face_names[face];
  if (here.kind == BoundaryKind::periodic && opposite.kind != BoundaryKind::periodic)
    throw InputError("boundary: face " + name + " is periodic but face " + face_names[face ^ 1] + " is " +
                     to_string(opposite) + "; make both faces of the axis periodic, or neither");
  for (const double number : {here.value, here.a, here.b})
    if (takes_data(here) && !std::isfinite(number))
      throw InputError("boundary: the value of face " + name + " is " + std::to_string(number) +
                       "; give a finite number");
  if (here.kind == BoundaryKind::robin && here.a == 0 && here.b == 0)
    throw InputError("boundary: A and B of face " + name + " are both 0; A u + B q = C needs one of them");
  if (here.kind == BoundaryKind::flux && (here.a != 0 || here.b != 1))
    throw InputError("boundary: face " + name + " of flux has A and B of its own; make it robin");
}

}  // namespace

const char* usage(BoundaryKind kind) {
  switch (kind) {
    case BoundaryKind::drop:
      return "drop";
    case BoundaryKind::periodic:
      return "periodic";
    case BoundaryKind::clamp:
      return "clamp";
    case BoundaryKind::outflow:
      return "outflow";
    case BoundaryKind::value:
      return "value:X";
    case BoundaryKind::flux:
      return "flux:X";
    case BoundaryKind::robin:
      break;
  }
  return "robin:A,B,C";
}

bool has_data(const Boundary& boundary, int dimension) {
  for (int face = 0; face < 2 * dimension; ++face)
    for (int r = 0; r < unknowns_of(boundary); ++r)
      if (takes_data(boundary.of(r)[face]) && (boundary.data[face] || boundary.of(r)[face].value != 0))
        return true;
  return false;
}

std::vector<std::vector<std::string>> boundary_parts(const std::string& text) {
  std::vector<std::string> faces;
  for (const std::string& part : split(text, ',')) {
    if (!faces.empty() && goes_on(faces.back(), part))
      faces.back() += "," + part;
    else
      faces.push_back(part);
  }
  std::vector<std::vector<std::string>> parts;
  for (const std::string& face : faces) parts.push_back(split(face, '/'));
  return parts;
}

Boundary parse_boundary(const std::string& text, int dimension) {
  const std::vector<std::vector<std::string>> parts = boundary_parts(text);
  const std::size_t face_count = static_cast<std::size_t>(2 * dimension);
  if (parts.size() != 1 && parts.size() != face_count)
    throw InputError("boundary '" + text + "' names " + std::to_string(parts.size()) +
                     " faces; give one kind for all, or " + std::to_string(face_count) + ": x-,x+,y-,y+" +
                     (dimension == 3 ? ",z-,z+" : ""));
  std::size_t unknowns = 1;
  for (const auto& kinds : parts) unknowns = std::max(unknowns, kinds.size());
  Boundary boundary;
  if (unknowns > 1) boundary.of_unknown.resize(unknowns);
  for (std::size_t face = 0; face < face_count; ++face) {
    const std::vector<std::string>& kinds = parts[parts.size() == 1 ? 0 : face];
    if (kinds.size() != 1 && kinds.size() != unknowns)
      throw InputError("boundary '" + text + "': a face has " + std::to_string(kinds.size()) +
                       " kinds and another " + std::to_string(unknowns) +
                       "; give one kind for all unknowns of a face, or one for each");
    boundary.faces[face] = parse_kind(kinds.front());
    for (std::size_t r = 0; r < boundary.of_unknown.size(); ++r)
      boundary.of_unknown[r][face] = parse_kind(kinds[kinds.size() == 1 ? 0 : r]);
  }
  validate(boundary, dimension);
  return boundary;
}

std::string to_string(const Boundary& boundary, int dimension) {
  const int unknowns = unknowns_of(boundary);
  const std::string first = to_string(boundary, 0, unknowns);
  std::string text = first;
  bool alike = true;
  for (int face = 1; face < 2 * dimension; ++face) {
    const std::string here = to_string(boundary, face, unknowns);
    alike = alike && here == first;
    text += "," + here;
  }
  return alike ? first : text;
}

void validate(const Boundary& boundary, int dimension) {
  // There are no faces along other axes; what was meant for all may stand there.
  for (int axis = dimension; axis < 3; ++axis) {
    bool alike = static_cast<bool>(boundary.data[2 * axis]) == static_cast<bool>(boundary.data[2 * axis + 1]);
    for (int r = 0; r < unknowns_of(boundary); ++r)
      alike = alike && boundary.of(r)[2 * axis] == boundary.of(r)[2 * axis + 1];
    if (!alike)
      throw InputError(std::string("boundary: a face along ") + "xyz"[axis] + " is given for a grid in " +
                       std::to_string(dimension) + "D, which has none");
  }
  for (int face = 0; face < 2 * dimension; ++face) {
    bool takes = false;
    for (int r = 0; r < unknowns_of(boundary); ++r) {
      check_face(boundary.of(r), face);
      takes = takes || takes_data(boundary.of(r)[face]);
      if ((boundary.of(r)[face].kind == BoundaryKind::periodic) != boundary.periodic(face / 2))
        throw InputError(std::string("boundary: face ") + face_names[face] +
                         " is periodic for some unknowns only; make it so for all of them, or for none");
    }
    if (boundary.data[face] && !takes)
      throw InputError(std::string("boundary: a function is given for face ") + face_names[face] +
                       ", which is " + to_string(boundary.of(0)[face]) +
                       "; only value, flux and robin take one");
  }
}

void validate(const Boundary& boundary, const Grid& grid) {
  validate(boundary, grid.dimension);
  if (!boundary.of_unknown.empty() && boundary.of_unknown.size() != static_cast<std::size_t>(grid.dof))
    throw InputError("boundary '" + to_string(boundary, grid.dimension) + "': it is for " +
                     std::to_string(boundary.of_unknown.size()) + " unknowns of a node, the grid has " +
                     std::to_string(grid.dof));
  for (int r = 0; r < unknowns_of(boundary); ++r)
    for (int face = 0; face < 2 * grid.dimension; ++face) {
      const FaceBoundary& here = boundary.of(r)[face];
      const double a_h = std::abs(here.a) * grid.spacing_m[face / 2];
      if (here.kind != BoundaryKind::robin || (here.a < 0) == (here.b < 0) || here.a == 0 || here.b == 0)
        continue;
      if (a_h >= 2 * std::abs(here.b))
        throw InputError("boundary '" + to_string(here) + "': where A and B have different signs the " +
                         "spacing must be less than 2 |B/A|, " + number_text(2 * std::abs(here.b / here.a)) +
                         " m; it is " + number_text(grid.spacing_m[face / 2]) + " m");
    }
}

}  // namespace quadrille
