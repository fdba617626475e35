#include "kernels/multigrid/on_device.cuh"

namespace quadrille::multigrid {

void OnDevice::make_coarsest(Coarsest& made, const Couplings& s, const double* values, bool singular) {
  rows_of_coarsest_ = s.rows;
  if (const PlaneOrder order(s); s.rows > coarsest && has_planes(order))
    make_plane_factors(*this, s, order, values, singular, made.planes);
  else
    make_inverse(*this, s, values, singular, made.inverse);
}

void OnDevice::load_coarsest() {
  load(device::invert_block_kernel);
}

}  // namespace quadrille::multigrid
