#include "kernels/petsc/matrix/vector_product.hpp"

#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/base/vector_sums.hpp"

namespace quadrille::petsc {
namespace {

void multiply(const SpmvOperator<double>& op, Queue queue, const double* x, const Output<double>& y,
              bool transposed) {
  if (transposed)
    op.multiply_transposed(queue, x, y);
  else
    op.multiply(queue, x, y);
}

// y.to and what of y.from is read, as arrays in `space` where the vectors are there.
struct OutputArrays {
  OutputArrays(const VecOutput& y, SpaceKind space)
      : in_place(y.beta != 0 && y.from == y.to),
        from(y.beta != 0 && !in_place ? y.from : nullptr, space),
        to(in_place ? nullptr : y.to, space),
        both(in_place ? y.to : nullptr, space) {}
  bool in_place;
  ReadArray from;
  WriteArray to;
  ReadWriteArray both;

  double* data() const { return in_place ? both.data() : to.data(); }
  const double* begin() const { return in_place ? both.data() : from.data(); }  // null where there is none
  SpaceKind space() const { return in_place ? both.space() : to.space(); }
  SpaceKind begin_space() const { return in_place ? both.space() : from.space(); }
};

std::int64_t bytes_of(std::int64_t size) {
  return size * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

void begin_sums(const VecOutput& y) {
  if (y.beta == 0) {
    QUADRILLE_PETSC(VecSet(y.to, 0));
    return;
  }
  if (y.from != y.to) QUADRILLE_PETSC(VecCopy(y.from, y.to));
  if (y.beta != 1) QUADRILLE_PETSC(VecScale(y.to, y.beta));
}

bool VectorProduct::run(const SpmvOperator<double>& op, Vec x, const VecOutput& y, bool transposed,
                        std::int64_t entries, double* dots) {
  const std::int64_t x_size = transposed ? op.rows() : op.columns(),
                     y_size = transposed ? op.columns() : op.rows();
  require_size(x, x_size, "the vector x of the product");
  require_size(y.to, y_size, "the vector y of the product");
  if (y.beta != 0) require_size(y.from, y_size, "the vector that the product is added to");
  const SpaceKind space = op.space();
  const bool on_gpu = space == SpaceKind::cuda;
  const ReadArray from(x, space);
  const OutputArrays to(y, space);
  const bool x_there = from.space() == space, y_there = to.space() == space,
             begin_there = to.begin() == nullptr || to.begin_space() == space;
  const double* const in = x_there ? from.data() : room_for(x_, x_size);
  double* const out = y_there ? to.data() : room_for(y_, y_size);
  const double* const begin = begin_there ? to.begin() : room_for(y_, y_size);
  const Output<double> output{out, begin, y.alpha, y.beta};
  bool has_dots = false;
  if (on_gpu) {
    use_own_sums(x);
    use_own_sums(y.to);
  }
  if (x_there && y_there && begin_there) {
    const GpuTime time(on_gpu);
    const Queue queue = on_gpu ? current_queue() : Queue{};
    has_dots = dots != nullptr && op.multiply_with_dot(queue, in, out, dots);
    if (!has_dots) multiply(op, queue, in, output, transposed);
  } else {
    const DefaultQueue order(true);
    if (!x_there) copy_in(x_, from.data(), x_size);
    if (!begin_there) copy_in(y_, to.begin(), y_size);
    {
      const GpuTime time(true);
      multiply(op, {}, in, output, transposed);
    }
    if (!y_there) {
      memory::copy_to_host(to.data(), out, bytes_of(y_size));
      log_copy(bytes_of(y_size), false);
    }
  }
  log_product(entries, transposed || y.beta != 0 ? 0 : y_size, on_gpu);
  return has_dots;
}

double* VectorProduct::room_for(Array<double, Device>& array, std::int64_t size) {
  if (array.size() < size) array = Array<double, Device>(size);
  return array.data();
}

void VectorProduct::copy_in(Array<double, Device>& array, const double* from, std::int64_t size) {
  memory::copy_to_device(array.data(), from, bytes_of(size));
  log_copy(bytes_of(size), true);
}

}  // namespace quadrille::petsc
