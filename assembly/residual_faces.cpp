#include "assembly/residual_faces.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "formats/threads.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

struct Beyond {
  std::vector<double> values;  // as ResidualFaces has them
  bool as_before = true;
  // The first of them that is not finite, if there is one, and the node beside it.
  double not_finite = 0;
  Position beside{};
};

// What a function says of all points beyond a face, and of those beyond two or three where there are corners.
Beyond values_beyond(const Grid& grid, const Boundary& boundary, int face, bool corners, double t_s,
                     const std::vector<double>& before) {
  const int i = residual_detail::first_axis(face), j = residual_detail::second_axis(face);
  const std::int64_t along_i = grid.extents[i] + 2, along_j = grid.extents[j] + 2;
  Beyond result{std::vector<double>(static_cast<std::size_t>(along_i * along_j * grid.dof), 0.0)};
  const auto asked = [&](std::int64_t at, int axis) {
    return (at >= 0 && at < grid.extents[axis]) ||
           (corners && axis < grid.dimension && !boundary.periodic(axis));
  };
  const auto point = [&](std::int64_t a, std::int64_t b) {
    std::array<std::int64_t, 3> p{};
    p[face / 2] = face % 2 == 0 ? -1 : grid.extents[face / 2];
    p[i] = a;
    p[j] = b;
    return Position{p[0], p[1], p[2]};
  };
  const FaceData& data = boundary.data[face];
  const std::int64_t first = asked(-1, i) ? -1 : 0, end = grid.extents[i] - first;
  std::int64_t first_bad = 0;
#pragma omp parallel for schedule(static) if (along_i * along_j > worth_threads)
  for (std::int64_t b = -1; b < along_j - 1; ++b) {
    if (!asked(b, j)) continue;
    const Position at = point(first, b);
    const std::int64_t place = residual_detail::place_beyond(grid.extents, grid.dof, face, at),
                       count = (end - first) * grid.dof;
    double* const of_line = result.values.data() + place;
    for (int unknown = 0; unknown < grid.dof; ++unknown) {
      if (data.along)
        data.along(at, i, end - first, unknown, t_s, grid.dof, of_line + unknown);
      else
        for (std::int64_t a = first; a < end; ++a)
          of_line[(a - first) * grid.dof + unknown] = data(point(a, b), unknown, t_s);
    }
    if (before.empty() || !std::equal(of_line, of_line + count, before.data() + place)) {
#pragma omp atomic write
      result.as_before = false;
    }
    const double* const bad =
        std::find_if_not(of_line, of_line + count, [](double v) { return std::isfinite(v); });
    if (bad != of_line + count) {
#pragma omp critical
      if (result.not_finite == 0 || b < first_bad) {
        first_bad = b;
        result.not_finite = *bad;
        result.beside = point(first + (bad - of_line) / grid.dof, b);
      }
    }
  }
  return result;
}

std::string node_nearest_to(const Position& beyond, const Grid& grid) {
  const auto inside = [&](std::int64_t p, int axis) {
    return std::to_string(std::clamp<std::int64_t>(p, 0, grid.extents[axis] - 1));
  };
  return "(" + inside(beyond.x, 0) + ", " + inside(beyond.y, 1) + ", " + inside(beyond.z, 2) + ")";
}

}  // namespace

FaceValues::FaceValues(const Grid& grid, const Boundary& boundary, bool corners)
    : grid_(grid), boundary_(boundary), corners_(corners) {
  for (int face = 0; face < 2 * grid.dimension; ++face)
    if (boundary.data[face]) asked_.push_back(face);
  ask(0);
}

void FaceValues::ask(double t_s) {
  for (const int face : asked_) {
    if (boundary_.data[face].steady && !host_[face].empty()) continue;
    Beyond now = values_beyond(grid_, boundary_, face, corners_, t_s, host_[face]);
    if (now.not_finite != 0)
      throw InputError("boundary '" + to_string(boundary_, grid_.dimension) + "': face " + "xyz"[face / 2] +
                       (face % 2 == 0 ? "-" : "+") + " is " +
                       (std::isnan(now.not_finite) ? "nan" : std::to_string(now.not_finite)) +
                       " beside node " + node_nearest_to(now.beside, grid_) +
                       " at t = " + std::to_string(t_s) + " s");
    if (now.as_before) continue;
    host_[face] = std::move(now.values);
    stale_[face] = true;
  }
}

ResidualFaces FaceValues::on_host() const {
  ResidualFaces view{boundary_.of(0), nullptr, {}, grid_.extents, grid_.dof};
  if (!boundary_.of_unknown.empty()) view.of_unknown = boundary_.of_unknown.data();
  for (const int face : asked_) view.data[face] = host_[face].data();
  return view;
}

ResidualFaces FaceValues::on_device() {
  ResidualFaces view = on_host();
  if (view.of_unknown != nullptr) {
    if (device_of_unknown_.size() == 0) {
      device_of_unknown_ = Array<Faces, Device>(static_cast<std::int64_t>(boundary_.of_unknown.size()));
      memory::copy_to_device(device_of_unknown_.data(), view.of_unknown, device_of_unknown_.bytes());
    }
    view.of_unknown = device_of_unknown_.data();
  }
  for (const int face : asked_) {
    const auto size = static_cast<std::int64_t>(host_[face].size());
    if (device_[face].size() == 0) device_[face] = Array<double, Device>(size);
    if (stale_[face]) memory::copy_to_device(device_[face].data(), host_[face].data(), device_[face].bytes());
    stale_[face] = false;
    view.data[face] = device_[face].data();
  }
  return view;
}

}  // namespace quadrille
