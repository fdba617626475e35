// Faces by their names: what stands beyond each face of a grid, and from which a Boundary is made.
//
//   BoundaryConditions faces = no_flux();      // of all faces
//   faces.x_low = dirichlet([](const Position& beyond, int unknown) { return inflow[unknown]; });
//   faces.y_low = faces.y_high = periodic();
//   faces.z_high = each_unknown({dirichlet(1), neumann(0.5), robin(k, 1, k * 20)});
//
// Signs, places and units: grid/boundary.hpp, docs/boundaries.md.
#pragma once

#include <utility>
#include <vector>

#include "grid/boundary.hpp"

namespace quadrille {

// Of one face: of all unknowns, or one for each.
struct FaceCondition {
  std::vector<FaceBoundary> of_unknown{FaceBoundary{}};
  FaceData data = {};
};

// u = value, one spacing beyond the last node.
inline FaceCondition dirichlet(double value) {
  return {{{.kind = BoundaryKind::value, .value = value}}};
}
inline FaceCondition dirichlet(FaceData value) {
  return {{{.kind = BoundaryKind::value}}, std::move(value)};
}
// a du/dn = flux half a spacing beyond the last node, n pointing outwards.
inline FaceCondition neumann(double flux) {
  return {{{.kind = BoundaryKind::flux, .value = flux}}};
}
inline FaceCondition neumann(FaceData flux) {
  return {{{.kind = BoundaryKind::flux}}, std::move(flux)};
}
// a u + b q = c there, with q of neumann().
inline FaceCondition robin(double a, double b, double c) {
  return {{{.kind = BoundaryKind::robin, .value = c, .a = a, .b = b}}};
}
inline FaceCondition robin(double a, double b, FaceData c) {
  return {{{.kind = BoundaryKind::robin, .a = a, .b = b}}, std::move(c)};
}
inline FaceCondition no_flux() {
  return {{{.kind = BoundaryKind::clamp}}};
}
inline FaceCondition outflow() {
  return {{{.kind = BoundaryKind::outflow}}};
}
// Of both faces of an axis.
inline FaceCondition periodic() {
  return {{{.kind = BoundaryKind::periodic}}};
}
// One condition for each unknown of a node, each of them of one.
FaceCondition each_unknown(std::vector<FaceCondition> conditions);

struct BoundaryConditions {
  // The same for all faces; in 2D the faces of z have none.
  BoundaryConditions(const FaceCondition& all)  // NOLINT: faces = no_flux() is how it is written
      : x_low(all), x_high(all), y_low(all), y_high(all), z_low(all), z_high(all) {}

  FaceCondition x_low, x_high, y_low, y_high, z_low, z_high;

  // Throws InputError where faces have conditions for different numbers of unknowns.
  Boundary boundary() const;
  operator Boundary() const { return boundary(); }  // NOLINT: for every function that takes one
};

}  // namespace quadrille
