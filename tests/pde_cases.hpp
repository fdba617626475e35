// Problems of every PDE, from what it declares: each stencil, each kind of face all round and all of them
// together, 2D and 3D. A new PDE is in the suites that run over them.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "assembly/pdes.hpp"

namespace quadrille {

struct PdeCase {
  std::string name;  // "poisson_2d_box_robin"
  const Pde* pde = nullptr;
  std::string stencil;
  int dimension = 2, dof = 1;
  std::string sides{};
};

inline void PrintTo(const PdeCase& c, std::ostream* out) {
  *out << c.pde->name << " " << c.stencil << " " << c.sides;
}

// Of every parameter another one than the usual.
inline ParameterValues other_parameters(const Pde& pde) {
  ParameterValues values;
  for (const PdeParameter& parameter : pde.parameters)
    values.emplace_back(parameter.name, (values.size() % 2 == 0 ? 1.5 : 0.75) * parameter.usual);
  return values;
}

inline bool takes_fields(const Pde& pde) {
  return std::any_of(pde.parameters.begin(), pde.parameters.end(),
                     [](const PdeParameter& parameter) { return parameter.varies; });
}
// All parameters that may be fields are, around what the input has for them.
inline void add_fields(PdeInput& input, const Pde& pde, const Grid& grid) {
  for (const PdeParameter& parameter : pde.parameters) {
    if (!parameter.varies) continue;
    Array<double> values(grid.nodes());
    for (std::int64_t i = 0; i < values.size(); ++i)
      values[i] = input.value_of(parameter) * (1 + 0.8 * std::sin(static_cast<double>(i)));
    input.fields.emplace_back(parameter.name, std::make_shared<const Array<double>>(std::move(values)));
  }
}

// As an option has it, with numbers that one smooth function has on every face.
inline std::string written(BoundaryKind kind, int unknown) {
  switch (kind) {
    case BoundaryKind::value:
      return "value:" + std::to_string(1 - 3 * unknown);
    case BoundaryKind::flux:
      return "flux:3";
    case BoundaryKind::robin:
      return "robin:1,2,3";
    default:
      return usage(kind);
  }
}

// The same of a body at a face, which robin holds along its normal and nowhere else.
inline std::string written_of_body(BoundaryKind kind, int face, int dimension) {
  if (kind != BoundaryKind::robin) return written(kind, 0);
  std::string text;
  for (int r = 0; r < dimension; ++r)
    text += (r > 0 ? "/" : "") + std::string(r == face / 2 ? "robin:1,0,3" : "flux:3");
  return text;
}

// The kinds that it takes in turn along some faces, of each unknown the next one (of a body, which has a kind
// a face, the same, without robin); without periodic and drop, which is value:0. Empty where it takes none.
inline std::string in_turn(const Pde& pde, int faces, int dof) {
  std::vector<BoundaryKind> kinds;
  for (const BoundaryKind kind : pde.faces)
    if (kind != BoundaryKind::periodic && kind != BoundaryKind::drop &&
        !(pde.discretisation.unknown_per_axis && kind == BoundaryKind::robin))
      kinds.push_back(kind);
  std::string text;
  for (int face = 0; face < faces && !kinds.empty(); ++face) {
    text += face > 0 ? "," : "";
    const auto kind = [&](int further) {
      return kinds[static_cast<std::size_t>(face + further) % kinds.size()];
    };
    for (int r = 0; r < dof; ++r)
      text += (r > 0 ? "/" : "") + written(kind(pde.discretisation.unknown_per_axis ? 0 : r), r);
  }
  return text;
}

// One kind all round; of a body that it does not hold, beside two faces that do.
inline std::string all_round(const Pde& pde, int dimension, BoundaryKind kind) {
  const bool holds =
      kind == BoundaryKind::value || kind == BoundaryKind::drop || kind == BoundaryKind::periodic;
  if (!pde.discretisation.unknown_per_axis || holds) return written(kind, 0);
  const std::string held = written(BoundaryKind::value, 0);
  std::string sides = held + "," + held;
  for (int face = 2; face < 2 * dimension; ++face) sides += "," + written_of_body(kind, face, dimension);
  return sides;
}

// A body with faces that end it.
inline bool ends_by_itself(const PdeCase& c) {
  return c.pde->discretisation.unknown_per_axis && c.sides.find("flux") != std::string::npos;
}

// A case for each: a kind all round that has numbers of its own, all kinds, some beside periodic faces.
inline std::vector<PdeCase> cases_with_sides(const PdeCase& of) {
  const Pde& pde = *of.pde;
  const int dimension = of.dimension, usual = default_dof(pde.discretisation, dimension),
            several = pde.discretisation.unknown_per_axis ? dimension : 2;
  std::vector<PdeCase> all;
  const auto add = [&](const std::string& name, int dof, const std::string& sides) {
    all.push_back(of);
    all.back().name += "_" + name;
    all.back().dof = dof;
    all.back().sides = sides;
  };
  for (const BoundaryKind kind : pde.faces) {
    if (kind == BoundaryKind::drop || kind == BoundaryKind::outflow) continue;
    const std::string text = usage(kind);
    add(text.substr(0, text.find(':')), usual, all_round(pde, dimension, kind));
  }
  const std::string every = in_turn(pde, 2 * dimension, several);
  if (every.empty()) return all;
  add("every_kind", several, every);
  if (takes(pde, BoundaryKind::periodic))
    add("beside_periodic", usual, in_turn(pde, 2 * dimension - 2, 1) + ",periodic,periodic");
  return all;
}

// Of stencils of radius 1.
inline std::vector<PdeCase> pde_cases() {
  std::vector<PdeCase> all;
  for (const Pde& pde : linear_pdes())
    for (const char* stencil : {"star", "box"})
      for (const int dimension : {2, 3}) {
        if ((stencil == std::string("star") ? pde.discretisation.star : pde.discretisation.box) == 0)
          continue;
        const std::string name = pde.name + "_" + std::to_string(dimension) + "d_" + stencil;
        for (const PdeCase& c : cases_with_sides({name, &pde, stencil, dimension})) all.push_back(c);
      }
  return all;
}

// Those of a PDE with a manufactured solution.
inline std::vector<PdeCase> manufactured_cases() {
  std::vector<PdeCase> all = pde_cases();
  std::erase_if(all, [](const PdeCase& c) { return c.pde->order == 0; });
  return all;
}

}  // namespace quadrille
