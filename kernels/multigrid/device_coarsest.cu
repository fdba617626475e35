#include "kernels/multigrid/on_device.cuh"

namespace quadrille::multigrid {

void OnDevice::begin_coarsest(Coarsest& made, const Couplings& s, const double* values, bool singular) {
  rows_of_coarsest_ = s.rows;
  if (const PlaneOrder order(s); s.rows > coarsest && has_planes(order))
    return make_plane_factors(*this, s, order, values, singular, made.planes);
  fill_dense(*this, s, values, singular, made.inverse);  // refuses what is too large
  made.work = work_of_inverse<Device>(s.rows);
  own_stream_.wait_for(stream_);
  const QueuedOn queued = queued_on(own_stream_.get());
  invert_dense(*this, s, singular, made.inverse, made.work);
}

void OnDevice::finish_coarsest(Coarsest& made) {
  if (made.work.other.size() == 0) return;
  QUADRILLE_CUDA(cudaStreamSynchronize(own_stream_.get()));
  made.work = {};
}

void OnDevice::load_coarsest() {
  load(device::invert_block_kernel);
}

}  // namespace quadrille::multigrid
