// A thread owns a number of every column: where the one that stands for it is, is found once.
#include "kernels/cuda/few_rows.hpp"

#include <bit>
#include <limits>
#include <utility>

#include "kernels/cuda/launch.cuh"
#include "kernels/divisor.hpp"

namespace quadrille::cuda {
namespace {

// Of columns with `width` numbers a node.
struct Repeated {
  StoredNodes stored;
  Divisor by_width, by_x, by_y;
  int width, n_x, n_y;
  std::int64_t size, few;  // numbers of a column, and those that stand for them

  __device__ std::int64_t place(int number) const {
    const int node = divide(number, by_width), line = divide(node, by_x), z = divide(line, by_y);
    return std::int64_t{stored.index(node - line * n_x, line - z * n_y, z)} * width + number - node * width;
  }
};

Repeated repeated(const FewRows& rows, int width) {
  const auto& n = rows.a.extents;
  const std::int64_t size = to_index32(rows.a.nodes() * width, "rows of few that are all");
  return {rows.stored,
          divisor(width),
          divisor(n[0]),
          divisor(n[1]),
          width,
          static_cast<int>(n[0]),
          static_cast<int>(n[1]),
          size,
          rows.stored_nodes() * width};
}

__global__ void __launch_bounds__(threads_per_block)
    repeat_kernel(const __grid_constant__ Repeated r, const double* __restrict__ few, std::int64_t columns,
                  double* __restrict__ to) {
  const std::int64_t i = global_thread();
  if (i >= r.size) return;
  const std::int64_t place = r.place(static_cast<int>(i));
  for (std::int64_t c = 0; c < columns; ++c) __stcs(to + c * r.size + i, __ldg(few + c * r.few + place));
}

// Numbers that are not negative are in the order of their bits, and those that are none behind them.
__global__ void __launch_bounds__(threads_per_block)
    largest_difference_kernel(const __grid_constant__ Repeated r, const double* __restrict__ few,
                              std::int64_t columns, const double* __restrict__ values,
                              unsigned long long* largest) {
  const std::int64_t i = global_thread();
  if (i >= r.size) return;
  const std::int64_t place = r.place(static_cast<int>(i));
  unsigned long long of_thread = 0;
  for (std::int64_t c = 0; c < columns; ++c) {
    const double difference = fabs(__ldcs(values + c * r.size + i) - __ldg(few + c * r.few + place));
    of_thread = max(of_thread, static_cast<unsigned long long>(__double_as_longlong(difference)));
  }
  if (of_thread > 0) atomicMax(largest, of_thread);
}

void repeat(const FewRows& rows, const Array<double>& few, std::int64_t columns, int width, double* to) {
  const Repeated r = repeated(rows, width);
  if (r.size == 0 || columns == 0) return;
  const Array<double, Device> there = copy_to<Device>(few);
  repeat_kernel<<<blocks_for(r.size), threads_per_block>>>(r, there.data(), columns, to);
  QUADRILLE_CUDA_LAUNCHED("repeating rows");
}

}  // namespace

void repeat_rows(const FewRows& rows, double* values) {
  repeat(rows, rows.a.values, rows.a.diagonals() * rows.a.dof, rows.a.dof, values);
}

double largest_difference(const FewRows& rows, const double* values) {
  const Repeated r = repeated(rows, rows.a.dof);
  if (r.size == 0) return 0;
  const Array<double, Device> there = copy_to<Device>(rows.a.values);
  Array<unsigned long long, Device> largest = copy_to<Device>(Array<unsigned long long>{0});
  largest_difference_kernel<<<blocks_for(r.size), threads_per_block>>>(
      r, there.data(), rows.a.diagonals() * rows.a.dof, values, largest.data());
  QUADRILLE_CUDA_LAUNCHED("comparing rows");
  const double found = std::bit_cast<double>(copy_to<Host>(largest)[0]);
  return found >= 0 ? found : std::numeric_limits<double>::infinity();
}

Compact<double, Device> compact_from_few_rows(const FewRows& rows,
                                              std::vector<CompactEntry<double>> entries) {
  Compact<double, Device> a;
  static_cast<BlockStructure&>(a) = rows.a;
  a.entry = std::move(entries);
  const std::int64_t columns = columns_of(a.entry);
  a.values = Array<double, Device>(checked_product(columns, a.nodes(), "compact"));
  repeat(rows, few_of_columns(rows, a.entry), columns, 1, a.values.data());
  return a;
}

}  // namespace quadrille::cuda
