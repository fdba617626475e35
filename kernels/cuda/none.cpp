// A build without CUDA: no formats, no devices.
#include "formats/format.hpp"
#include "kernels/conjugate_gradients.hpp"
#include "kernels/cuda/compact_from_hub.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/few_rows.hpp"
#include "kernels/cuda/hub_counts.hpp"
#include "kernels/cuda/invert_blocks.hpp"
#include "kernels/cuda/peer_exchange.hpp"
#include "kernels/cuda/stencil_table_from_hub.hpp"
#include "kernels/gather_sum.hpp"
#include "kernels/grid_interpolation.hpp"
#include "kernels/value_changes.hpp"
#include "kernels/vector_sums.hpp"

namespace quadrille::cuda {
namespace {

[[noreturn]] void refuse() {
  throw CudaError("this build has no CUDA: install the CUDA toolkit and build again, or use --space cpu");
}

}  // namespace

DeviceInfo device_info(int) {
  refuse();
}
std::vector<FreeMemory> free_memory() {
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
int current_device() {
  return 0;
}
void prepare_frees(int) {}

void use_device(int) {
  refuse();
}
void repeat_rows(const FewRows&, double*) {
  refuse();
}
double largest_difference(const FewRows&, const double*) {
  refuse();
}
Compact<double, Device> compact_from_few_rows(const FewRows&, std::vector<CompactEntry<double>>) {
  refuse();
}
std::string bus_id() {
  return "";
}
std::shared_ptr<Peers> reach_peers(int, int, AllGather) {
  return nullptr;
}
void copy_box(const void*, const BoxWithin&, void*, const BoxWithin&, int, Queue) {
  refuse();
}
Array<std::int64_t, Device> places_of(const std::vector<BoxWithin>&) {
  refuse();
}
std::unique_ptr<PeerExchange> make_peer_exchange(std::shared_ptr<Peers>, std::vector<PeerUnits>,
                                                 std::vector<PeerUnits>, std::int64_t) {
  refuse();
}
void synchronize() {}
void wait_for(Queue, Queue) {}
void zero_memory(Queue, void*, std::int64_t) {
  refuse();
}
void fill_memory(Queue, double*, std::int64_t, double, std::int64_t) {
  refuse();
}
void copy_memory(void*, const void*, std::int64_t) {
  refuse();
}
InvertedBlocks inverted_blocks(const BlockDiagonals<double, Device>&) {
  refuse();
}
template <class T>
HubCounts count_hub(const BlockDiagonals<T, Device>&) {
  refuse();
}
template HubCounts count_hub(const BlockDiagonals<float, Device>&);
template HubCounts count_hub(const BlockDiagonals<double, Device>&);
template <class T>
std::vector<CompactEntry<T>> compact_entries(const BlockDiagonals<T, Device>&) {
  refuse();
}
template <class T>
Compact<T, Device> compact_from_hub(const BlockDiagonals<T, Device>&) {
  refuse();
}
template <class T>
Compact<T, Device> compact_from_hub(const BlockDiagonals<T, Device>&, std::vector<CompactEntry<T>>,
                                    ValuePrecision) {
  refuse();
}
template std::vector<CompactEntry<float>> compact_entries(const BlockDiagonals<float, Device>&);
template std::vector<CompactEntry<double>> compact_entries(const BlockDiagonals<double, Device>&);
template Compact<float, Device> compact_from_hub(const BlockDiagonals<float, Device>&);
template Compact<double, Device> compact_from_hub(const BlockDiagonals<double, Device>&);
template Compact<float, Device> compact_from_hub(const BlockDiagonals<float, Device>&,
                                                 std::vector<CompactEntry<float>>, ValuePrecision);
template Compact<double, Device> compact_from_hub(const BlockDiagonals<double, Device>&,
                                                  std::vector<CompactEntry<double>>, ValuePrecision);
template <class T>
StencilTable<T, Device> stencil_table_from_hub(const BlockDiagonals<T, Device>&) {
  refuse();
}
template <class T>
std::int64_t count_stencils(const BlockDiagonals<T, Device>&) {
  refuse();
}
template StencilTable<float, Device> stencil_table_from_hub(const BlockDiagonals<float, Device>&);
template StencilTable<double, Device> stencil_table_from_hub(const BlockDiagonals<double, Device>&);
template std::int64_t count_stencils(const BlockDiagonals<float, Device>&);
template std::int64_t count_stencils(const BlockDiagonals<double, Device>&);
std::unique_ptr<ConjugateGradients> make_conjugate_gradients(std::int64_t) {
  refuse();
}
std::unique_ptr<VectorSums> make_vector_sums() {
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

void scale(double, Array<double, Device>&) {
  refuse();
}
void add(double, const Array<double, Device>&, Array<double, Device>&) {
  refuse();
}
void shift(double, BlockDiagonals<double, Device>&) {
  refuse();
}
void set_diagonal(const double*, bool, BlockDiagonals<double, Device>&) {
  refuse();
}
void get_diagonal(const BlockDiagonals<double, Device>&, double*) {
  refuse();
}
void scale_rows_and_columns(const TwoDiagonals&, BlockDiagonals<double, Device>&) {
  refuse();
}
void scale_rows_and_columns(const TwoDiagonals&, const Array<std::int32_t, Device>&, Csr<double, Device>&) {
  refuse();
}
void copy_first(Queue, const FirstOfNodes&, const double*, double*) {
  refuse();
}
void take_unknowns(const BlockDiagonals<double, Device>&, const UnknownsOfBlocks&,
                   BlockDiagonals<double, Device>&) {
  refuse();
}
void move(const Array<std::int64_t, Device>&, const Array<std::int64_t, Device>&, Array<double, Device>&,
          Array<double, Device>&) {
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
