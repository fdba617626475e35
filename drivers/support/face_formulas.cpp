#include "drivers/support/face_formulas.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "drivers/support/expression.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

// Of the faces that the text names, or the one of all.
const FaceFormulas::One* find(const FaceFormulas& formulas, std::size_t face, std::size_t unknown) {
  const auto parts = boundary_parts(formulas.plain);
  const std::size_t named = parts.size() == 1 ? 0 : face;
  const std::size_t kind = parts[named].size() == 1 ? 0 : unknown;
  const auto found =
      std::find_if(formulas.all.begin(), formulas.all.end(),
                   [&](const FaceFormulas::One& one) { return one.face == named && one.unknown == kind; });
  return found == formulas.all.end() ? nullptr : &*found;
}

// Of a kind up to a formula, with 0 in its place: whether that is X of value or flux, or C of robin.
bool is_for_formula(const std::string& kind) {
  if (kind == "value:0" || kind == "flux:0") return true;
  return kind.starts_with("robin:") && std::count(kind.begin(), kind.end(), ',') == 2 && kind.ends_with(",0");
}

// At all points one spacing beyond a face of the grid; of no number the text, with where it is not.
void require_finite(const Setting& boundary, const Grid& grid, int face, const std::string& text,
                    const FaceData& data, int unknown) {
  const int along = face / 2;
  NodeBox points = whole_box(grid.extents);
  points.first[along] = face % 2 == 0 ? -1 : grid.extents[along];
  points.size[along] = 1;
  for (std::int64_t line = 0; line < points.lines(); ++line) {
    const NodePosition at = points.first_of_line(line);
    for (std::int64_t i = 0; i < points.size[0]; ++i)
      if (!std::isfinite(data({at[0] + i, at[1], at[2]}, unknown)))
        refuse(boundary, "'" + text + "' is " + number_text(data({at[0] + i, at[1], at[2]}, unknown)) +
                             " beyond the face " + "xyz"[along] + (face % 2 == 0 ? "-" : "+") +
                             ", at node (" + std::to_string(at[0] + i) + ", " + std::to_string(at[1]) + ", " +
                             std::to_string(at[2]) + ")");
  }
}

// What a face says of an unknown: a number, or a formula, for lines along x, y and z.
struct AtFace {
  std::array<Formula, 3> formula{};
  double constant = 0;
  bool has_formula() const { return !formula[0].numbers.empty(); }
};

// of_unknown: [unknown], or one for all.
FaceData data_of(const std::vector<AtFace>& of_unknown, const std::array<double, 3>& h) {
  const auto of = [of_unknown](int unknown) -> const AtFace& {
    return of_unknown[of_unknown.size() == 1 ? 0 : static_cast<std::size_t>(unknown)];
  };
  FaceData data = [of, h](const Position& beyond, int unknown, double t_s) {
    const AtFace& here = of(unknown);
    if (!here.has_formula()) return here.constant;
    return value_at(here.formula[0],
                    {static_cast<double>(beyond.x) * h[0], static_cast<double>(beyond.y) * h[1],
                     static_cast<double>(beyond.z) * h[2]},
                    t_s);
  };
  data.along = [of, h](const Position& from, int axis, std::int64_t count, int unknown, double t_s,
                       std::int64_t stride, double* values) {
    const AtFace& here = of(unknown);
    NodePosition first{from.x, from.y, from.z};
    std::array<double, 3> spacing_m = h;
    std::swap(first[0], first[axis]);
    std::swap(spacing_m[0], spacing_m[axis]);
    if (here.has_formula())
      evaluate_line(here.formula[axis], spacing_m, first, count, t_s, stride, values);
    else
      for (std::int64_t i = 0; i < count; ++i) values[i * stride] = here.constant;
  };
  data.steady = std::none_of(of_unknown.begin(), of_unknown.end(), [](const AtFace& here) {
    return here.has_formula() && depends_on_time(here.formula[0]);
  });
  return data;
}

}  // namespace

FaceFormulas face_formulas(const Setting& boundary, bool in_time) {
  const std::string& text = boundary.text;
  FaceFormulas result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '}') refuse(boundary, "has a '}' without a '{' before it");
    if (text[at] != '{') {
      result.plain += text[at];
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) refuse(boundary, "has a '{' without a '}' after it");
    result.plain += '0';
    const auto parts = boundary_parts(result.plain);  // up to here: the last kind of the last face is its
    const std::size_t behind = text.find_first_not_of(" \t", end + 1);
    if (!is_for_formula(parts.back().back()) ||
        (behind != std::string::npos && text[behind] != ',' && text[behind] != '/'))
      refuse(boundary,
             "has '" + text.substr(at, end + 1 - at) +
                 "' where no formula stands; write value:{...}, flux:{...} or robin:A,B,{...}, with "
                 "signs and factors within the braces");
    FaceFormulas::One one{parts.size() - 1, parts.back().size() - 1, text.substr(at + 1, end - at - 1)};
    try {
      single_formula(one.text, in_time);
    } catch (const InputError& error) {
      refuse(boundary, "'" + one.text + "' is no formula in " + (in_time ? "x, y, z and t" : "x, y and z") +
                           ": " + error.what());
    }
    result.all.push_back(std::move(one));
    at = end;
  }
  return result;
}

void add_formulas(const Setting& boundary, const FaceFormulas& formulas, const Grid& grid, bool in_time,
                  Boundary& to) {
  const int unknowns = std::max(1, static_cast<int>(to.of_unknown.size()));
  for (int face = 0; face < 2 * grid.dimension; ++face) {
    std::vector<AtFace> of_unknown(static_cast<std::size_t>(unknowns));
    std::vector<std::string> written;
    for (int r = 0; r < unknowns; ++r) {
      AtFace& here = of_unknown[static_cast<std::size_t>(r)];
      here.constant = to.of(r)[face].value;
      const FaceFormulas::One* const one =
          find(formulas, static_cast<std::size_t>(face), static_cast<std::size_t>(r));
      if (one != nullptr)
        for (int axis = 0; axis < 3; ++axis)
          here.formula[static_cast<std::size_t>(axis)] = with_x_for(single_formula(one->text, in_time), axis);
      written.push_back(one != nullptr ? "{" + one->text + "}" : "");
    }
    if (std::none_of(of_unknown.begin(), of_unknown.end(), [](const AtFace& f) { return f.has_formula(); }))
      continue;
    FaceData data = data_of(of_unknown, grid.spacing_m);
    data.written = written;
    for (int r = 0; r < unknowns; ++r)
      if (!written[static_cast<std::size_t>(r)].empty())
        require_finite(boundary, grid, face, written[static_cast<std::size_t>(r)], data, r);
    to.data[face] = std::move(data);
  }
}

}  // namespace quadrille
