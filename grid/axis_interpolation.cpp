#include "grid/axis_interpolation.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "grid/error.hpp"

namespace quadrille {
namespace {

// The coarse nodes below and above a fine one, and the weight of the upper; beyond the ends, -1 and `coarse`.
struct Between {
  std::int64_t below = 0;
  double upper = 0;
};

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// between(i) says where fine node i stands.
template <class Locate>
AxisInterpolation tables(std::int64_t fine, std::int64_t coarse, const FaceBoundary& low,
                         const FaceBoundary& high, const Locate& between) {
  if (fine < 1 || coarse < 1 || fine > INT32_MAX)
    throw InputError("there is no interpolation from " + std::to_string(coarse) + " nodes to " +
                     std::to_string(fine) + " along an axis");
  AxisInterpolation p{fine, coarse, low.kind == BoundaryKind::periodic, {}, {}, {}, {}, {}, 0};
  for (std::int64_t i = 0; i < fine; ++i) {
    const Between at = between(i);
    std::int64_t node[2] = {at.below, at.below + 1};
    double weight[2] = {1 - at.upper, at.upper};
    for (std::int64_t& n : node)
      if (p.periodic) n = (n % coarse + coarse) % coarse;
    const auto leave = [&](int outside, const FaceBoundary& face) {
      if (!holds_value(face)) weight[1 - outside] += weight[outside];
      weight[outside] = 0;
    };
    if (node[0] < 0) leave(0, low);
    if (node[1] >= coarse) leave(1, high);
    if (node[0] == node[1]) weight[0] += std::exchange(weight[1], 0);
    if (weight[0] == 0) std::swap(node[0], node[1]), std::swap(weight[0], weight[1]);
    if (weight[1] == 0) node[1] = node[0];
    for (const int side : {0, 1}) {
      p.node.push_back(static_cast<std::int32_t>(node[side]));
      p.weight.push_back(weight[side]);
    }
  }
  add_readers(p);
  return p;
}

}  // namespace

void add_readers(AxisInterpolation& p) {
  p.first.assign(static_cast<std::size_t>(p.coarse + 1), 0);
  const auto slots = static_cast<std::int64_t>(p.node.size());
  for (std::int64_t k = 0; k < slots; ++k)
    if (p.weight[k] != 0) ++p.first[p.node[k] + 1];
  for (std::int64_t j = 0; j < p.coarse; ++j) p.first[j + 1] += p.first[j];
  std::vector<std::int32_t> at(p.first.begin(), p.first.end() - 1);
  p.reader.resize(static_cast<std::size_t>(p.first.back()));
  p.reader_weight.resize(p.reader.size());
  for (std::int64_t k = 0; k < slots; ++k) {
    if (p.weight[k] == 0) continue;
    const std::int32_t to = at[p.node[k]]++;
    p.reader[to] = static_cast<std::int32_t>(k / 2);
    p.reader_weight[to] = p.weight[k];
  }
}

AxisInterpolation interpolation_by_position(std::int64_t fine, std::int64_t coarse, const FaceBoundary& low,
                                            const FaceBoundary& high) {
  // In whole half spacings, so that nodes that coincide do so exactly: a fine node stands at (2i + a)/length
  // of the axis, and that is coarse node ((2i + a)/length * coarse_length - a)/2.
  const bool periodic = low.kind == BoundaryKind::periodic;
  const std::int64_t a = periodic           ? 0
                         : holds_value(low) ? 2
                                            : 1,
                     b = periodic            ? 2
                         : holds_value(high) ? 2
                                             : 1;
  const std::int64_t length = 2 * (fine - 1) + a + b, coarse_length = 2 * (coarse - 1) + a + b;
  return tables(fine, coarse, low, high, [=](std::int64_t i) {
    const std::int64_t at = (2 * i + a) * coarse_length - a * length;  // in 1/(2 length) coarse spacings
    const std::int64_t below = floor_divided(at, 2 * length);
    return Between{below, static_cast<double>(at - below * 2 * length) / static_cast<double>(2 * length)};
  });
}

AxisInterpolation nested_interpolation(std::int64_t fine, const FaceBoundary& low, const FaceBoundary& high,
                                       bool keep_last) {
  const std::int64_t first = holds_value(low) ? 1 : 0;
  if (fine == 1) return tables(1, 1, low, high, [](std::int64_t) { return Between{}; });
  const std::int64_t halved = (fine - first + 1) / 2;
  const bool kept = keep_last && fine > 2 && low.kind != BoundaryKind::periodic && (fine - first) % 2 == 0;
  const std::int64_t coarse = halved + (kept ? 1 : 0);
  const bool moved = low.kind == BoundaryKind::periodic && fine % 2 != 0;
  AxisInterpolation axis = tables(fine, coarse, low, high, [=](std::int64_t i) {
    if (kept && i == fine - 1) return Between{coarse - 1, 0};
    if (moved && i < 2) return i == 0 ? Between{-1, 0.5} : Between{0, 0};
    const std::int64_t below = floor_divided(i - first, 2);
    return Between{below, (i - first - 2 * below) * 0.5};
  });
  axis.offset = moved ? 1 : first;
  axis.first_is_moved = moved;
  return axis;
}

AxisInterpolation dmda_interpolation(std::int64_t fine, std::int64_t coarse, bool periodic) {
  const std::int64_t from = periodic ? coarse : coarse - 1, to = periodic ? fine : fine - 1;
  const FaceBoundary face{periodic ? BoundaryKind::periodic : BoundaryKind::clamp, 0};
  if (fine == coarse) return tables(fine, coarse, face, face, [](std::int64_t i) { return Between{i, 0}; });
  if (from < 1 || to % from != 0)
    throw InputError("there is no interpolation from " + std::to_string(coarse) + " nodes to " +
                     std::to_string(fine) + (periodic ? " around a periodic axis" : "") +
                     " whose ratio is a whole number");
  const std::int64_t ratio = to / from;
  return tables(fine, coarse, face, face, [=](std::int64_t i) {
    return Between{i / ratio, static_cast<double>(i % ratio) / static_cast<double>(ratio)};
  });
}

AxisPart part_of(const AxisInterpolation& whole, std::int64_t first, std::int64_t count) {
  if (first < 0 || count < 0 || first + count > whole.fine)
    throw InputError("an interpolation to " + std::to_string(whole.fine) + " nodes has not got nodes " +
                     std::to_string(first) + " to " + std::to_string(first + count - 1));
  AxisPart part;
  part.axis.fine = count;
  part.axis.node.assign(whole.node.begin() + 2 * first, whole.node.begin() + 2 * (first + count));
  part.axis.weight.assign(whole.weight.begin() + 2 * first, whole.weight.begin() + 2 * (first + count));
  std::vector<std::int32_t>& read = part.coarse_nodes;
  read = part.axis.node;
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  part.axis.coarse = static_cast<std::int64_t>(read.size());
  for (std::int32_t& node : part.axis.node)
    node = static_cast<std::int32_t>(std::lower_bound(read.begin(), read.end(), node) - read.begin());
  add_readers(part.axis);
  return part;
}

}  // namespace quadrille
