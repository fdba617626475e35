// A build without CUDA: no formats, no devices.
#include "formats/format.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/gather_sum.hpp"
#include "kernels/grid_interpolation.hpp"

namespace quadrille::cuda {
namespace {

[[noreturn]] void refuse() {
  throw CudaError("this build has no CUDA: install the CUDA toolkit and build again, or use --space cpu");
}

}  // namespace

std::vector<DeviceInfo> devices() {
  return {};
}
int device_count() {
  return 0;
}
std::string versions() {
  return "not built in";
}
GpuProperties gpu_properties() {
  return {};
}
void use_device(int) {
  refuse();
}
void synchronize() {}
void wait_for(Queue, Queue) {}
void zero_memory(Queue, void*, std::int64_t) {
  refuse();
}
double time_ms(const std::function<void()>&) {
  refuse();
}
double empty_kernel_ms() {
  refuse();
}
StreamSpeed stream_speed(std::int64_t, std::int64_t, int) {
  refuse();
}

template <class T>
void interpolate(Queue, const GridInterpolation<T, Device>&, const T*, Output<T>) {
  refuse();
}
template <class T>
void restrict_to(Queue, const GridInterpolation<T, Device>&, const T*, Output<T>) {
  refuse();
}

template <class T>
void gather_sum(Queue, const GatherSum<Device>&, const TwoArrays<T>&, T*, bool) {
  refuse();
}

#define QUADRILLE_INSTANTIATE(T)                                                              \
  template void gather_sum(Queue, const GatherSum<Device>&, const TwoArrays<T>&, T*, bool);   \
  template void interpolate(Queue, const GridInterpolation<T, Device>&, const T*, Output<T>); \
  template void restrict_to(Queue, const GridInterpolation<T, Device>&, const T*, Output<T>);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
