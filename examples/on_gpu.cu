// A coefficient functor whose values are made in GPU memory, by the same code as on the host and with the
// same bits; nvcc compiles it with --expt-relaxed-constexpr -fmad=false.
#include <cstdio>
#include <quadrille/device_fill.cuh>
#include <quadrille/products.hpp>
using namespace quadrille;

struct Layers {
  double high;
  constexpr double operator()(const StencilNode& node, const StencilNeighbour& to, int, int) const {
    const double k = node.position.z % 4 == 0 ? high : 1;
    return to.offset == Offset{} ? 6 * k + 1 / (3.0 + static_cast<double>(node.position.x)) : -k;
  }
};

int main() {
  const Grid grid{.extents = {40, 30, 20}};
  const Stencil star = star_stencil(3, 1);
  const Boundary faces;
  const auto on_host = assemble<double>(grid, star, faces, Layers{100}).hub;
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
    std::puts("no GPU");
    return 77;
  }
  const auto on_gpu = copy_to<Host>(assemble_on_device<double>(grid, star, faces, Layers{100}));
  std::int64_t different = 0;
  for (std::int64_t i = 0; i < on_host.values.size(); ++i) different += on_host.values[i] != on_gpu.values[i];
  std::printf("%d of %d values differ\n", static_cast<int>(different),
              static_cast<int>(on_host.values.size()));
  return different == 0 ? 0 : 1;
}
