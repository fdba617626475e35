#include "kernels/galerkin.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/spmv.hpp"

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

// Numbers in [-1, 1) without a pattern.
Array<double> scattered(std::int64_t size) {
  Array<double> x(size);
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < size; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[i] = static_cast<double>(static_cast<std::int64_t>(state) >> 11) * 0x1p-52;
  }
  return x;
}

void compare(const BlockDiagonals<double>& hub, TripleProduct& product) {
  const Array<double> x = scattered(hub.rows());
  Array<double> expected(hub.rows()), found(hub.rows());
  product(x, expected);
  cpu::spmv(hub, x.data(), found.data());
  double largest = 0, error = 0;
  for (std::int64_t i = 0; i < hub.rows(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    error = std::max(error, std::abs(found[i] - expected[i]));
  }
  if (!(error <= 1e-10 * largest))
    throw FormatError("Galerkin product: it couples nodes that are further apart than was said");
}

}  // namespace

BlockDiagonals<double> galerkin_product(const SpmvOperator<double>& a, const GridTransfer<double>& p,
                                        int radius) {
  check(a, p, radius);
  const auto& n = p.coarse_extents();
  const AxisColours x(n[0], p.periodic()[0], radius), y(n[1], p.periodic()[1], radius),
      z(n[2], p.periodic()[2], radius);
  BlockDiagonals<double> hub;
  hub.extents = n;
  hub.periodic = p.periodic();
  hub.dof = p.dof();
  for (const std::int32_t dz : z.steps())
    for (const std::int32_t dy : y.steps())
      for (const std::int32_t dx : x.steps()) hub.offsets.push_back({dx, dy, dz});
  hub.values = Array<double>(value_bytes(hub, 1), 0.0);

  TripleProduct product(a, p);
  const std::int64_t rows = hub.rows(), dof = hub.dof, lines = n[1] * n[2];
  const auto width_x = static_cast<std::int64_t>(x.steps().size()),
             width_y = static_cast<std::int64_t>(y.steps().size());
  Array<double> indicator(rows), column(rows);
  for (std::int64_t colour = 0; colour < x.count() * y.count() * z.count() * dof; ++colour) {
    const std::int64_t c = colour % dof, cx = colour / dof % x.count(),
                       cy = colour / dof / x.count() % y.count(), cz = colour / dof / x.count() / y.count();
#pragma omp parallel for schedule(static)
    for (std::int64_t line = 0; line < lines; ++line) {
      const bool on = y.colour(line % n[1]) == cy && z.colour(line / n[1]) == cz;
      for (std::int64_t i = 0; i < n[0] * dof; ++i)
        indicator[line * n[0] * dof + i] = on && i % dof == c && x.colour(i / dof) == cx ? 1 : 0;
    }
    product(indicator, column);
#pragma omp parallel for schedule(static)
    for (std::int64_t line = 0; line < lines; ++line) {
      const std::int64_t sy = y.step(cy, line % n[1]), sz = z.step(cz, line / n[1]);
      if (sy < 0 || sz < 0) continue;
      for (std::int64_t i = 0; i < n[0]; ++i) {
        const std::int64_t sx = x.step(cx, i);
        if (sx < 0) continue;
        const std::int64_t d = (sz * width_y + sy) * width_x + sx, row = (line * n[0] + i) * dof;
        for (std::int64_t r = 0; r < dof; ++r) hub.values[(d * dof + c) * rows + row + r] = column[row + r];
      }
    }
  }
  compare(hub, product);
  return hub;
}

}  // namespace quadrille
