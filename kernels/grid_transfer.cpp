#include "kernels/grid_transfer.hpp"

#include <algorithm>

#include "formats/threads.hpp"
#include "grid/error.hpp"
#include "kernels/grid_interpolation.hpp"

namespace quadrille {
namespace {

template <class To>
Array<To> array_of(const auto& from) {
  Array<To> to(static_cast<std::int64_t>(from.size()));
  std::copy(from.begin(), from.end(), to.data());
  return to;
}

template <class T, class Space>
class Transfer final : public GridTransfer<T> {
 public:
  explicit Transfer(GridInterpolation<T, Space> p) : p_(std::move(p)) {}

  std::int64_t rows() const override { return p_.rows(); }
  std::int64_t columns() const override { return p_.columns(); }
  SpaceKind space() const override { return on_cpu ? SpaceKind::cpu : SpaceKind::cuda; }
  Traffic traffic() const override { return quadrille::traffic(p_); }
  std::int64_t entries() const override {
    if (p_.weights.size() > 0) return p_.weights.size();
    return p_.axes[0].reader.size() * p_.axes[1].reader.size() * p_.axes[2].reader.size() * p_.dof;
  }
  const std::array<std::int64_t, 3>& coarse_extents() const override { return p_.coarse; }
  const std::array<bool, 3>& periodic() const override { return p_.periodic; }
  int dof() const override { return p_.dof; }
  bool has_transpose() const override { return true; }
  void multiply(Queue queue, const T* x, const Output<T>& y) const override {
    if constexpr (on_cpu) {
      const ThreadLimit limit(threads());
      cpu::interpolate(p_, x, y);
    } else {
      cuda::interpolate(queue, p_, x, y);
    }
  }
  void multiply_transposed(Queue queue, const T* x, const Output<T>& y) const override {
    if constexpr (on_cpu) {
      const ThreadLimit limit(threads());
      cpu::restrict_to(p_, x, y);
    } else {
      cuda::restrict_to(queue, p_, x, y);
    }
  }
  Csr<T> to_csr() const override { return quadrille::to_csr(copy_to<Host>(p_)); }

 private:
  static constexpr bool on_cpu = std::is_same_v<Space, Host>;

  // That a product on the CPU is worth.
  int threads() const {
    return threads_worth(traffic().stored_bytes + (rows() + columns()) * std::int64_t{sizeof(T)});
  }

  GridInterpolation<T, Space> p_;
};

}  // namespace

template <class T>
GridInterpolation<T> grid_interpolation(const std::array<AxisInterpolation, 3>& axes, int dof) {
  if (dof < 1) throw InputError("an interpolation between grids needs at least one unknown per node");
  GridInterpolation<T> p;
  p.dof = dof;
  for (int axis = 0; axis < 3; ++axis) {
    const AxisInterpolation& a = axes[axis];
    p.fine[axis] = a.fine;
    p.coarse[axis] = a.coarse;
    p.periodic[axis] = a.periodic;
    p.axes[axis] = {array_of<std::int32_t>(a.node), array_of<T>(a.weight), array_of<std::int32_t>(a.first),
                    array_of<std::int32_t>(a.reader), array_of<T>(a.reader_weight)};
  }
  return p;
}

template <class T>
Csr<T> to_csr(const GridInterpolation<T>& p) {
  struct Entry {
    std::int64_t column;
    T value;
  };
  // The coarse nodes of one fine row, ascending and without zeros.
  const auto nodes_of = [&](std::int64_t fine, int r) {
    const std::array<std::int64_t, 3> at{fine % p.fine[0], fine / p.fine[0] % p.fine[1],
                                         fine / p.fine[0] / p.fine[1]};
    std::vector<Entry> nodes;
    for (int k = 0; k < 8; ++k) {
      const std::int64_t x = 2 * at[0] + k % 2, y = 2 * at[1] + k / 2 % 2, z = 2 * at[2] + k / 4;
      if (k >= p.corners() && p.weights.size() > 0) break;
      const T weight = p.weights.size() > 0 ? p.weights[k * p.rows() + fine * p.dof + r]
                                            : p.axes[2].weight[z] * p.axes[1].weight[y] * p.axes[0].weight[x];
      if (weight != 0)
        nodes.push_back(
            {(p.axes[2].node[z] * p.coarse[1] + p.axes[1].node[y]) * p.coarse[0] + p.axes[0].node[x],
             weight});
    }
    std::sort(nodes.begin(), nodes.end(), [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return nodes;
  };
  std::vector<std::int32_t> row_ptr{0}, columns;
  std::vector<T> values;
  to_index32(p.columns(), "columns");
  for (std::int64_t fine = 0; fine < p.rows() / p.dof; ++fine) {
    for (int r = 0; r < p.dof; ++r) {
      for (const Entry& entry : nodes_of(fine, r)) {
        columns.push_back(static_cast<std::int32_t>(entry.column * p.dof + r));
        values.push_back(entry.value);
      }
      row_ptr.push_back(to_index32(static_cast<std::int64_t>(columns.size()), "non-zeros"));
    }
  }
  Csr<T> csr;
  csr.rows = p.rows();
  csr.columns = p.columns();
  csr.row_ptr = array_of<std::int32_t>(row_ptr);
  csr.column = array_of<std::int32_t>(columns);
  csr.value = array_of<T>(values);
  return csr;
}

namespace {

template <class T>
std::unique_ptr<GridTransfer<T>> in_space(GridInterpolation<T> p, SpaceKind space) {
  if (space == SpaceKind::cpu) return std::make_unique<Transfer<T, Host>>(std::move(p));
  return std::make_unique<Transfer<T, Device>>(copy_to<Device>(p));
}

}  // namespace

template <class T>
std::unique_ptr<GridTransfer<T>> make_grid_transfer(const std::array<AxisInterpolation, 3>& axes, int dof,
                                                    SpaceKind space) {
  return in_space(grid_interpolation<T>(axes, dof), space);
}

std::unique_ptr<GridTransfer<double>> make_weighted_transfer(const std::array<AxisInterpolation, 3>& axes,
                                                             int dof, Array<double> weights,
                                                             SpaceKind space) {
  GridInterpolation<double> p = grid_interpolation<double>(axes, dof);
  if (weights.size() != p.corners() * p.rows())
    throw FormatError("an interpolation of " + std::to_string(p.rows()) + " rows has " +
                      std::to_string(p.corners() * p.rows()) + " weights, not " +
                      std::to_string(weights.size()));
  p.weights = std::move(weights);
  return in_space(std::move(p), space);
}

#define QUADRILLE_INSTANTIATE(T)                                                                             \
  template GridInterpolation<T> grid_interpolation(const std::array<AxisInterpolation, 3>&, int);            \
  template Csr<T> to_csr(const GridInterpolation<T>&);                                                       \
  template std::unique_ptr<GridTransfer<T>> make_grid_transfer(const std::array<AxisInterpolation, 3>&, int, \
                                                               SpaceKind);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille
