#include "grid/boundary.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "grid/error.hpp"

namespace quadrille {
namespace {

constexpr const char* kinds_text = "write drop, periodic, clamp or value:X";
constexpr std::array<const char*, 6> face_names{"x-", "x+", "y-", "y+", "z-", "z+"};

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

FaceBoundary parse_face(const std::string& text) {
  if (text == "drop") return {BoundaryKind::drop, 0};
  if (text == "periodic") return {BoundaryKind::periodic, 0};
  if (text == "clamp") return {BoundaryKind::clamp, 0};
  if (!text.starts_with("value:"))
    throw InputError("boundary '" + text + "' is not understood; " + kinds_text);
  const char* begin = text.c_str() + 6;
  const char* end = text.c_str() + text.size();
  if (begin != end && *begin == '+' && begin + 1 != end && begin[1] != '-') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range)
    throw InputError("boundary '" + text + "': the value does not fit a double");
  if (begin == end || stop != end || error != std::errc{})
    throw InputError("boundary '" + text + "': the value is not a number; write for example value:0.5");
  return {BoundaryKind::value, value};
}

std::string to_string(const FaceBoundary& face) {
  switch (face.kind) {
    case BoundaryKind::drop:
      return "drop";
    case BoundaryKind::periodic:
      return "periodic";
    case BoundaryKind::clamp:
      return "clamp";
    case BoundaryKind::value:
      break;
  }
  std::array<char, 32> digits{};  // the shortest text that reads back as the same double
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), face.value).ptr;
  return "value:" + std::string(digits.data(), end);
}

}  // namespace

Boundary parse_boundary(const std::string& text, int dimension) {
  const std::vector<std::string> parts = split_at_commas(text);
  const std::size_t face_count = static_cast<std::size_t>(2 * dimension);
  if (parts.size() != 1 && parts.size() != face_count)
    throw InputError("boundary '" + text + "' names " + std::to_string(parts.size()) +
                     " faces; give one kind for all, or " + std::to_string(face_count) + ": x-,x+,y-,y+" +
                     (dimension == 3 ? ",z-,z+" : ""));
  Boundary boundary;
  for (std::size_t face = 0; face < face_count; ++face)
    boundary.faces[face] = parse_face(parts[parts.size() == 1 ? 0 : face]);
  validate(boundary, dimension);
  return boundary;
}

std::string to_string(const Boundary& boundary, int dimension) {
  const auto begin = boundary.faces.begin();
  const auto end = begin + 2 * dimension;
  if (std::all_of(begin, end, [&](const FaceBoundary& face) { return face == *begin; }))
    return to_string(*begin);
  std::string text;
  for (auto face = begin; face != end; ++face) text += (face == begin ? "" : ",") + to_string(*face);
  return text;
}

void validate(const Boundary& boundary, int dimension) {
  for (int face = 0; face < 2 * dimension; ++face) {
    const FaceBoundary& here = boundary.faces[face];
    const FaceBoundary& opposite = boundary.faces[face ^ 1];
    if (here.kind == BoundaryKind::periodic && opposite.kind != BoundaryKind::periodic)
      throw InputError(std::string("boundary: face ") + face_names[face] + " is periodic but face " +
                       face_names[face ^ 1] + " is " + to_string(opposite) +
                       "; make both faces of the axis periodic, or neither");
    if (here.kind == BoundaryKind::value && !std::isfinite(here.value))
      throw InputError(std::string("boundary: the value of face ") + face_names[face] + " is " +
                       std::to_string(here.value) + "; give a finite number");
  }
}

}  // namespace quadrille
