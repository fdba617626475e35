#include "kernels/galerkin.hpp"

#include <algorithm>
#include <cmath>

namespace quadrille {
namespace {

// The colours of the nodes of an axis: nodes of one colour are more than 2 radius apart, around a periodic axis as well, where
// what is left over at its end gets colours of its own.
class AxisColours {
 public:
  AxisColours(std::int64_t nodes, bool periodic, int radius) : nodes_(nodes) {
    const std::int64_t width = 2 * radius + 1;
    regular_ = periodic ? nodes - nodes % width : nodes;
    width_ = std::min(width, nodes);
    count_ = regular_ == 0 ? nodes : width_ + nodes - regular_;
    for (int d = -radius; d <= radius; ++d) {
      const auto reduced = static_cast<std::int32_t>(periodic ? shorter_way(d) : d);
      if (std::abs(reduced) < nodes && std::find(steps_.begin(), steps_.end(), reduced) == steps_.end())
        steps_.push_back(reduced);
    }
    std::sort(steps_.begin(), steps_.end());
    step_.assign(static_cast<std::size_t>(count_ * nodes), -1);
    for (std::int64_t i = 0; i < nodes; ++i)
      for (std::size_t s = 0; s < steps_.size(); ++s) {
        std::int64_t j = i + steps_[s];
        if (periodic) j = (j + nodes) % nodes;
        if (j >= 0 && j < nodes) step_[colour(j) * nodes + i] = static_cast<std::int32_t>(s);
      }
  }

  std::int64_t count() const { return count_; }
  std::int64_t colour(std::int64_t i) const {
    if (regular_ == 0) return i;
    return i < regular_ ? i % width_ : width_ + i - regular_;
  }
  // The distances of coupled nodes, ascending.
  const std::vector<std::int32_t>& steps() const { return steps_; }
  // Which of them leads from node i to one of this colour, or -1.
  std::int32_t step(std::int64_t colour, std::int64_t i) const { return step_[colour * nodes_ + i]; }

 private:
  std::int64_t shorter_way(std::int64_t d) const {
    d = (d % nodes_ + nodes_) % nodes_;
    return 2 * d > nodes_ ? d - nodes_ : d;
  }

  std::int64_t nodes_, regular_ = 0, width_ = 1, count_ = 1;
  std::vector<std::int32_t> steps_, step_;
};

// y = P^T A P x, with x and y in host memory.
class TripleProduct {
 public:
  TripleProduct(const SpmvOperator<double>& a, const GridTransfer<double>& p) : a_(a), p_(p) {
    if (a.space() == SpaceKind::cpu) {
      fine_ = Array<double>(p.rows()), product_ = Array<double>(p.rows());
    } else {
      device_fine_ = Array<double, Device>(p.rows()), device_product_ = Array<double, Device>(p.rows());
      device_coarse_ = Array<double, Device>(p.columns());
    }
  }
  void operator()(const Array<double>& x, Array<double>& y) {
    if (a_.space() == SpaceKind::cpu) return apply(x.data(), fine_.data(), product_.data(), y.data());
    memory::copy_to_device(device_coarse_.data(), x.data(), x.bytes());
    apply(device_coarse_.data(), device_fine_.data(), device_product_.data(), device_coarse_.data());
    memory::copy_to_host(y.data(), device_coarse_.data(), y.bytes());
  }

 private:
  void apply(const double* x, double* fine, double* product, double* y) {
    p_.apply(x, fine);
    a_.apply(fine, product);
    p_.apply_transpose(product, y);
  }

  const SpmvOperator<double>& a_;
  const GridTransfer<double>& p_;
  Array<double> fine_, product_;
  Array<double, Device> device_fine_, device_product_, device_coarse_;
};

void check(const SpmvOperator<double>& a, const GridTransfer<double>& p, int radius) {
  if (a.rows() != p.rows() || a.columns() != p.rows())
    throw FormatError("Galerkin product: the operator is " + std::to_string(a.rows()) + " x " +
                      std::to_string(a.columns()) + ", the interpolation has " + std::to_string(p.rows()) +
                      " rows");
  if (a.space() != p.space())
    throw FormatError("Galerkin product: operator and interpolation are in different memories");
  if (radius < 0) throw FormatError("Galerkin product: the radius is negative");
}

// A number in [-1, 1) for each index, without a pattern (splitmix64).
double scattered(std::int64_t index) {
  std::uint64_t z = static_cast<std::uint64_t>(index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>(static_cast<std::int64_t>(z ^ (z >> 31)) >> 11) * 0x1p-52;
}

struct Lines {
  std::int64_t first = 0, count = 0;
};

// With the product of one vector that is known everywhere.
void compare(const BlockStructure& s, const Lines& lines, const Array<double>& values,
             const CoarseProduct& product) {
  const std::int64_t dof = s.dof, first_row = lines.first * s.extents[0] * dof,
                     rows = lines.count * s.extents[0] * dof;
  Array<double> x(rows), expected(rows);
  for (std::int64_t i = 0; i < rows; ++i) x[i] = scattered(first_row + i);
  product(x, expected);
  double largest = 0, error = 0;
#pragma omp parallel for schedule(static) reduction(max : largest, error)
  for (std::int64_t node = 0; node < rows / dof; ++node) {
    const std::int64_t at = lines.first * s.extents[0] + node, line = at / s.extents[0];
    for (std::int64_t r = 0; r < dof; ++r) {
      double sum = 0;
      for (std::int64_t d = 0; d < s.diagonals(); ++d) {
        const std::int64_t to =
            s.neighbour(at % s.extents[0], line % s.extents[1], line / s.extents[1], s.offsets[d]);
        for (std::int64_t c = 0; c < dof && to >= 0; ++c)
          sum += values[(d * dof + c) * rows + node * dof + r] * scattered(to * dof + c);
      }
      largest = std::max(largest, std::abs(expected[node * dof + r]));
      error = std::max(error, std::abs(sum - expected[node * dof + r]));
    }
  }
  if (!(error <= 1e-10 * largest))
    throw FormatError("Galerkin product: it couples nodes that are further apart than was said");
}

}  // namespace

BlockStructure galerkin_structure(const std::array<std::int64_t, 3>& extents,
                                  const std::array<bool, 3>& periodic, int dof, int radius) {
  BlockStructure s;
  s.extents = extents;
  s.periodic = periodic;
  s.dof = dof;
  const AxisColours x(extents[0], periodic[0], radius), y(extents[1], periodic[1], radius),
      z(extents[2], periodic[2], radius);
  for (const std::int32_t dz : z.steps())
    for (const std::int32_t dy : y.steps())
      for (const std::int32_t dx : x.steps()) s.offsets.push_back({dx, dy, dz});
  return s;
}

Array<double> galerkin_values(const BlockStructure& s, int radius, std::int64_t first_line,
                              std::int64_t lines, const CoarseProduct& product) {
  const auto& n = s.extents;
  const AxisColours x(n[0], s.periodic[0], radius), y(n[1], s.periodic[1], radius),
      z(n[2], s.periodic[2], radius);
  const std::int64_t dof = s.dof, rows = lines * n[0] * dof;
  Array<double> values(checked_product(s.diagonals() * dof, rows, "the values of a Galerkin product"), 0.0);
  const auto width_x = static_cast<std::int64_t>(x.steps().size()),
             width_y = static_cast<std::int64_t>(y.steps().size());
  Array<double> indicator(rows), column(rows);
  for (std::int64_t colour = 0; colour < x.count() * y.count() * z.count() * dof; ++colour) {
    const std::int64_t c = colour % dof, cx = colour / dof % x.count(),
                       cy = colour / dof / x.count() % y.count(), cz = colour / dof / x.count() / y.count();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < lines; ++i) {
      const std::int64_t line = first_line + i;
      const bool on = y.colour(line % n[1]) == cy && z.colour(line / n[1]) == cz;
      for (std::int64_t k = 0; k < n[0] * dof; ++k)
        indicator[i * n[0] * dof + k] = on && k % dof == c && x.colour(k / dof) == cx ? 1 : 0;
    }
    product(indicator, column);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < lines; ++i) {
      const std::int64_t line = first_line + i;
      const std::int64_t sy = y.step(cy, line % n[1]), sz = z.step(cz, line / n[1]);
      if (sy < 0 || sz < 0) continue;
      for (std::int64_t k = 0; k < n[0]; ++k) {
        const std::int64_t sx = x.step(cx, k);
        if (sx < 0) continue;
        const std::int64_t d = (sz * width_y + sy) * width_x + sx, row = (i * n[0] + k) * dof;
        for (std::int64_t r = 0; r < dof; ++r) values[(d * dof + c) * rows + row + r] = column[row + r];
      }
    }
  }
  compare(s, {first_line, lines}, values, product);
  return values;
}

BlockDiagonals<double> galerkin_product(const SpmvOperator<double>& a, const GridTransfer<double>& p,
                                        int radius) {
  check(a, p, radius);
  TripleProduct product(a, p);
  BlockDiagonals<double> hub;
  static_cast<BlockStructure&>(hub) = galerkin_structure(p.coarse_extents(), p.periodic(), p.dof(), radius);
  hub.values = galerkin_values(hub, radius, 0, hub.extents[1] * hub.extents[2],
                               [&](const Array<double>& x, Array<double>& y) { product(x, y); });
  return hub;
}

}  // namespace quadrille
