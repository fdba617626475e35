// Multigrid in GPU memory: a thread for each element, one launch after the other on one stream, and whole
// cycles as CUDA graphs. Internal to kernels/multigrid.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/cuda/compact_from_hub.hpp"
#include "kernels/cuda/invert_blocks.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/multigrid/coarsest.cuh"
#include "kernels/multigrid/dense_inverse.cuh"
#include "kernels/multigrid/entry_rows.cuh"
#include "kernels/multigrid/inner_row.cuh"
#include "kernels/multigrid/joined_after.cuh"
#include "kernels/multigrid/joined_before.cuh"
#include "kernels/multigrid/line_tiles.cuh"
#include "kernels/multigrid/node_blocks.cuh"
#include "kernels/multigrid/plane_solve.cuh"
#include "kernels/multigrid/small_levels.cuh"
#include "kernels/multigrid/step_kernels.cuh"

namespace quadrille::multigrid {

class OnDevice {
 public:
  using Space = Device;
  static constexpr bool on_gpu = true;
  // Unknowns of a level that every rank has all of: sharing them takes longer than doing them everywhere.
  static constexpr std::int64_t gathered = std::int64_t{1} << 18;
  static constexpr std::int64_t coarsest = 1024;  // unknowns whose inverse is made in about a millisecond
  // Where coefficients jump, coarse grids help the less the coarser they are, and those with less than a node
  // in each region may not help at all. So what takes a few milliseconds to factor is solved directly, and
  // what stands about eight nodes apart along an axis, as long as its factors are a small part of the memory
  // and made in about a tenth of a second, or, of large grids, in the time of some dozens of cycles. Where
  // they jump less (`hard` is false), as in many a step of Newton's method, only of large grids.
  static bool few_by_operator(const GridSize& s, const std::array<std::int64_t, 3>& finest, bool hard) {
    if (s.rows() <= 4096) return true;
    const std::int64_t finest_rows = finest[0] * finest[1] * finest[2] * s.dof;
    if (!hard &&
        (finest_rows < std::int64_t{1} << 22 || s.rows() > std::max<std::int64_t>(32768, finest_rows / 448)))
      return false;
    const PlaneOrder order(s.n, s.wraps, s.dof);
    double apart = 1;
    for (int axis = 0; axis < 3; ++axis)
      apart = std::max(apart, static_cast<double>(finest[axis]) / s.n[axis]);
    const double affordable = apart > 4.5 ? std::max(2e12, 7e4 * static_cast<double>(finest_rows)) : 2e10;
    return order.flops() <= affordable && has_planes(order);
  }
  // What its factors take to make, and cycles with them in a solve, in iterations of half a millisecond: on
  // an H200 80 us and the operations for every 128 rows of a block, and in a cycle a step and its bytes.
  static double iterations_of_exact(const GridSize& s, const std::array<std::int64_t, 3>&) {
    const PlaneOrder order(s.n, s.wraps, s.dof);
    if (!has_planes(order)) return std::numeric_limits<double>::infinity();
    constexpr double seconds = 80e-6, flops = 13.5e12, step = 3.5e-6, bytes = 4e12, solves = 15,
                     iteration = 5e-4;
    const double rows = std::ceil(static_cast<double>(order.size) / inverse_block) * order.blocks,
                 of_rows = 2.0 * inverse_block * order.size * order.size,
                 of_solve = std::max(2 * order.blocks * step,
                                     2.0 * static_cast<double>(order.inverse_bytes()) / bytes);
    return (rows * (seconds + of_rows / flops) + solves * of_solve) / iteration;
  }
  static bool has_planes(const PlaneOrder& order) {
    constexpr int most_blocks = 512, most_in_block = 4096;
    return order.blocks <= most_blocks && order.size <= most_in_block &&
           order.inverse_bytes() <= memory_bytes() / 8;
  }

  // For the joined steps. Restricting wants two lines of a thread; after the coarser grids twice as many
  // threads hide more of what each of them waits for.
  template <class T>
  static Tiles tiles_before(const Couplings& s, bool vary) {
    return tiles_of(s, rows_together<T>, 3, processors(), 2, threads_before<T>(vary));
  }
  template <class T>
  static Tiles tiles_after(const Couplings& s, bool vary) {
    return tiles_of(s, rows_together<T>, 2, processors(), 1, threads_after<T>(vary));
  }
  // Whether a block has the shared memory for them.
  template <class T>
  static bool joins(bool vary) {
    constexpr int fewest = 256;
    return threads_before<T>(vary) >= fewest && threads_after<T>(vary) >= fewest;
  }

  OnDevice() = default;
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() {
    if (recorded_ != nullptr) (void)cudaGraphExecDestroy(recorded_);
  }

  template <class F>
  void for_each(std::int64_t n, const F& f) {
    if (n == 0) return;
    constexpr int block = device::elements_of_thread<F>() * cuda::threads_per_block;
    device::each_kernel<<<cuda::blocks_for(n, block), cuda::threads_per_block, 0, stream_>>>(f, n);
    QUADRILLE_CUDA_LAUNCHED("a step of multigrid");
  }
  // Products with the blocks of nodes.
  template <class F>
  void for_blocks(const F& f) {
    if constexpr (takes_planes<F>)
      if (has_alike_planes(f.s)) return launch_planes(device::block_planes_kernel<F>, f);
    for_each(f.s.rows / F::rows, f);
  }
  // The steps that sum over neighbours.
  template <class F, class T>
  void for_rows(const InnerRows<T>& inner, const F& f) {
    if constexpr (F::by_nodes) {
      for_nodes(f);
    } else {
      if constexpr (!F::all && ((F::dof == 1 && F::rows > 1 && F::count == 26) || F::dof == 3))
        if (inner.there && inner.row.end[2] - inner.row.first[2] >= device::planes_together)
          return for_inner_rows(inner.template of<F::dof>(), f);
      if constexpr (F::rows == 1 && F::dof != 1)
        if (const int parts = parts_of_rows(f.s); parts > 1) return for_parts_of_rows(f, parts);
      for_each(f.s.rows / F::rows, f);
    }
  }
  // Of a few unknowns a thread inverts a block by itself.
  void invert_blocks(std::int64_t nodes, const InvertBlocks& f) {
    if (f.dof <= 3) return for_each(nodes, f);
    cuda::invert_blocks(f.dof, nodes, f.rows, f.blocks, f.inverse, stream_);
  }
  static std::vector<CompactEntry<double>> compact_entries(const BlockDiagonals<double, Device>& a) {
    return cuda::compact_entries(a);
  }
  // P^T A P: of few rows one a call, of all with so many coarse planes as leave threads enough.
  static constexpr int rows_of_call = 1;
  static int galerkin_planes(std::int64_t columns) {
    const std::int64_t threads = std::int64_t{processors()} * 2048;
    return static_cast<int>(std::clamp<std::int64_t>(columns / threads, 1, 8));
  }
  template <class F>
  void for_columns(const F& f) {
    const int along_x = (f.line() + 31) / 32;
    device::column_kernel<<<cuda::blocks_for(along_x * f.lines(), 1), dim3(32, f.offsets()), 0, stream_>>>(
        f, along_x);
    QUADRILLE_CUDA_LAUNCHED("a coarse operator of multigrid");
  }
  template <class F>
  void for_whole_columns(const F& f) {
    const int along_x = (f.line() + 31) / 32;
    constexpr int lines = device::lines_together;
    device::
        whole_columns_kernel<<<along_x * cuda::blocks_for(f.lines(), lines), dim3(32, lines), 0, stream_>>>(
            f, along_x);
    QUADRILLE_CUDA_LAUNCHED("a coarse operator of multigrid");
  }
  // A line a thread where nodes have more unknowns than there are instances for.
  static constexpr bool solves_lines_in_a_step(int dof) { return dof <= 4; }
  template <class T, int Dof, int Count>
  void solve_lines(const LineRight<T, Dof, Count>& right, const LineSolve<T, Dof>& solve) {
    if constexpr (Dof == 0) {
      for_each(right.size(), right);
      for_each(right.lines.colour.size(), solve);
    } else {
      constexpr int most_bytes = 96 << 10;  // of a block, so that two have room on any processor
      const auto step = line_tile_step(right, solve, most_bytes, processors());
      if (step.tiles.teams > 0) device::run_line_tiles(step, most_bytes, stream_);
    }
  }
  // The functors tell their size(), and how many sums they have.
  template <class F>
  std::vector<double> sums(const F& f) {
    const std::int64_t blocks = queue_sums_of<false>(f, partial_);
    return added_up(results_of_blocks(partial_, F::count * blocks), F::count);
  }
  // And the largest of the functor's numbers, which are not negative.
  template <class F>
  std::pair<std::vector<double>, double> sums_and_largest(const F& f) {
    const std::int64_t blocks = queue_sums_of<true>(f, partial_);
    std::vector<double> of_blocks = results_of_blocks(partial_, (F::count + 1) * blocks);
    const double largest = *std::max_element(of_blocks.end() - blocks, of_blocks.end());
    of_blocks.resize(F::count * blocks);
    return {added_up(of_blocks, F::count), largest};
  }
  // Sums, or the largest, of several, whose results are asked for when all are queued: nobody waits for them
  // before.
  template <class F>
  void queue_sums(const F& f) {
    Queued& queued = queued_results_.emplace_back(Queued{{}, 0, F::count});
    queued.blocks = queue_sums_of<false>(f, queued.partial);
  }
  template <class F>
  void queue_largest_of(const F& f) {
    Queued& queued = queued_results_.emplace_back();
    queued.blocks = queue_largest_in(f, queued.partial);
  }
  std::vector<std::vector<double>> queued() {
    std::vector<std::vector<double>> all;
    for (const Queued& each : queued_results_) {
      const auto of_blocks = results_of_blocks(each.partial, std::max(1, each.sums) * each.blocks);
      all.push_back(each.sums > 0 ? added_up(of_blocks, each.sums)
                                  : std::vector<double>{largest_of(of_blocks)});
    }
    queued_results_.clear();
    return all;
  }
  // Of numbers that are not negative.
  template <class F>
  double largest(const F& f) {
    queue_largest(f);
    return queued_largest();
  }
  // The same, asked for before anything else is summed up: the host does something else meanwhile.
  template <class F>
  void queue_largest(const F& f) {
    queued_blocks_ = queue_largest_in(f, partial_);
  }
  double queued_largest() { return largest_of(results_of_blocks(partial_, queued_blocks_)); }

  // One of the two.
  struct Coarsest {
    DenseInverse<Device> inverse;
    PlaneFactors<Device> planes;
    InverseWork<Device> work;  // from begin_coarsest() to finish_coarsest()
    std::int64_t bytes() const { return inverse.bytes() + planes.bytes(); }
    std::int64_t flops() const { return inverse.flops() + planes.flops(); }
  };
  // An inverse takes a multiprocessor or a few: it is made beside what is queued next, and waited for by the
  // second call. A block's pivots follow one another.
  void begin_coarsest(Coarsest& made, const Couplings& s, const double* values, bool singular);
  void finish_coarsest(Coarsest& made);
  template <class T>
  void solve_coarsest(Coarsest& made, const T* b, T* x) {
    if (made.planes.there()) return solve_by_planes(made.planes, b, x);
    device::dense_kernel<<<static_cast<unsigned>(rows_of_coarsest_), 128, 0, stream_>>>(
        rows_of_coarsest_, made.inverse.values.data(), b, x);
    QUADRILLE_CUDA_LAUNCHED("the coarsest grid");
  }
  void invert_block(const double* a, std::int64_t stride, int size, double* inverse) {
    device::invert_block_kernel<<<1, device::threads_of_inverse, 0, stream_>>>(a, stride, size, inverse);
    QUADRILLE_CUDA_LAUNCHED("inverting a block");
  }
  template <class F>
  void multiply(const F& f) {
    const auto tiles = [](std::int64_t n) { return cuda::blocks_for(n, device::tile); };
    device::
        product_kernel<<<dim3(tiles(f.rows()), tiles(f.columns())), cuda::threads_per_block, 0, stream_>>>(f);
    QUADRILLE_CUDA_LAUNCHED("inverting the coarsest grid");
  }

  template <class T>
  void run_before(const StepsBefore<T>& steps, const double* b) {
    with_star<2, 1>(steps.rows, [&]<class Star>() {
      run_tiles(device::before_kernel<T, Star>, steps.tiles, device::before_bytes<T> + Star::bytes_of_thread,
                "the steps before the coarser grids", steps, b);
    });
  }
  template <class T>
  void run_after(const StepsAfter<T>& steps, const double* b, double* x) {
    with_star<1, 0>(steps.rows, [&]<class Star>() {
      run_tiles(device::after_kernel<T, Star>, steps.tiles, device::after_bytes<T, 1> + Star::bytes_of_thread,
                "the steps after the coarser grids", steps, b, x);
    });
  }

  template <class T>
  static bool runs_small() {
    return blocks_for_small<T>() > 0;
  }
  template <class T>
  void run_small(const SmallLevels<T>& levels) {
    device::run_small_levels(levels, blocks_for_small<T>(), stream_);
  }

  // The steps as a graph, recorded once; that of another one of the same steps is given new arguments.
  void take_over(OnDevice& other) {
    std::swap(recorded_, other.recorded_);
    own_stream_ = std::move(other.own_stream_);
  }
  template <class Steps>
  void record(const Steps& steps) {
    const cudaStream_t own = own_stream_.get();
    [[maybe_unused]] const auto queued = queued_on(own);
    cudaGraph_t graph = nullptr;
    QUADRILLE_CUDA(cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal));
    try {
      steps();
    } catch (...) {
      (void)cudaStreamEndCapture(own, &graph);
      throw;
    }
    QUADRILLE_CUDA(cudaStreamEndCapture(own, &graph));
    cudaError_t status = cudaSuccess;
    cudaGraphExecUpdateResultInfo differs{};
    if (recorded_ != nullptr && cudaGraphExecUpdate(recorded_, graph, &differs) != cudaSuccess) {
      (void)cudaGetLastError();
      (void)cudaGraphExecDestroy(std::exchange(recorded_, nullptr));
    }
    if (recorded_ == nullptr) status = cudaGraphInstantiate(&recorded_, graph, 0);
    QUADRILLE_CUDA(cudaGraphDestroy(graph));
    cuda::check(status, "cudaGraphInstantiate");
  }
  template <class Steps>
  void run(const Steps&) {
    QUADRILLE_CUDA(cudaGraphLaunch(recorded_, stream_));
  }

  // While it lives, everything is queued there.
  struct QueuedOn {
    OnDevice& machine;
    ~QueuedOn() { machine.stream_ = nullptr; }
  };
  QueuedOn queued_on(void* stream) {
    stream_ = static_cast<cudaStream_t>(stream);
    return {*this};
  }
  void* stream() const { return stream_; }

  // Has the GPU load the kernels of a file (parts.hpp) before they are launched; steps and rows in fp32.
  static void load_steps();
  static void load_coarsest();
  static void load_setup();
  static void load_rows();

 private:
  template <class Kernel>
  static void load(Kernel kernel) {
    cudaFuncAttributes any{};
    (void)cudaFuncGetAttributes(&any, kernel);
  }
  template <class T>
  void solve_by_planes(PlaneFactors<Device>& planes, const T* b, T* x) {
    solve_planes(
        planes, b, x, [&](const PlaneSolve<T>& f) { device::run_planes(f, processors(), stream_); },
        [&](const auto* of, std::int64_t count, std::int64_t nodes, double* means) {
          device::mean_kernel<<<static_cast<unsigned>(planes.s.dof), 1024, 0, stream_>>>(count, nodes, of,
                                                                                         means);
          QUADRILLE_CUDA_LAUNCHED("means of the coarsest grid");
        },
        [&](std::int64_t n, const auto& f) { for_each(n, f); });
  }

  // Of several unknowns a node: so many threads add up a row of a level whose rows are too few for a thread
  // each to keep the GPU busy.
  static int parts_of_rows(const Couplings& s) {
    const std::int64_t threads = std::int64_t{processors()} * 2048;
    int parts = 1;
    while (parts < device::most_parts_of_row && 2 * parts * s.rows <= threads && 2 * parts <= s.count)
      parts *= 2;
    return parts;
  }
  template <class F>
  void for_parts_of_rows(const F& f, int parts) {
    device::parts_kernel<<<cuda::blocks_for(f.s.rows, 32), dim3(32, parts), 0, stream_>>>(f);
    QUADRILLE_CUDA_LAUNCHED("a step of multigrid");
  }

  template <class T, int Dof, class F>
  void for_inner_rows(const InnerRow<T, Dof>& row, const F& f) {
    const device::InnerTiles tiles = device::inner_tiles(f.s, row, F::rows, processors());
    device::inner_kernel<<<tiles.blocks(), cuda::threads_per_block, 0, stream_>>>(f, row, tiles);
    QUADRILLE_CUDA_LAUNCHED("a step of multigrid");
  }
  // Of several unknowns, whose sums are made before one of them is finished.
  template <class F>
  void for_nodes(const F& f) {
    if constexpr (has_entries<F>) {
      device::run_entry_rows(f, stream_);
    } else {
      if constexpr (takes_planes<F>)
        if (has_alike_planes(f.s)) return launch_planes(device::node_planes_kernel<F>, f);
      const device::PartsOfLines lines = device::parts_of_lines(f.s, F::rows);
      device::node_rows_kernel<<<lines.blocks, lines.threads, 0, stream_>>>(f, lines);
      QUADRILLE_CUDA_LAUNCHED("a step of multigrid");
    }
  }
  // Of two or four kinds in the usual precision of a cycle there are kernels for some planes together.
  template <class F>
  static constexpr bool takes_planes = F::rows % 2 == 0 && std::is_same_v<typename F::Number, float>;
  static bool has_alike_planes(const Couplings& s) {
    return !s.stored.all && s.n[2] >= device::planes_of_nodes;
  }
  template <class F>
  void launch_planes(void (*kernel)(F, device::PartsOfLines), const F& f) {
    const device::PartsOfLines lines = device::parts_of_lines(f.s, F::rows, device::planes_of_nodes);
    kernel<<<lines.blocks, lines.threads, 0, stream_>>>(f, lines);
    QUADRILLE_CUDA_LAUNCHED("a step of multigrid");
  }

  // For what is recorded, or done beside all else; made when it is first asked for.
  class OwnStream {
   public:
    OwnStream() = default;
    OwnStream(const OwnStream&) = delete;
    OwnStream& operator=(OwnStream&& other) noexcept {
      std::swap(stream_, other.stream_);
      std::swap(before_, other.before_);
      return *this;
    }
    ~OwnStream() {
      if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
      if (before_ != nullptr) (void)cudaEventDestroy(before_);
    }
    cudaStream_t get() {
      if (stream_ == nullptr) QUADRILLE_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
      return stream_;
    }
    // For what is queued there.
    void wait_for(cudaStream_t other) {
      if (before_ == nullptr) QUADRILLE_CUDA(cudaEventCreateWithFlags(&before_, cudaEventDisableTiming));
      QUADRILLE_CUDA(cudaEventRecord(before_, other));
      QUADRILLE_CUDA(cudaStreamWaitEvent(get(), before_, 0));
    }

   private:
    cudaStream_t stream_ = nullptr;
    cudaEvent_t before_ = nullptr;
  };

  template <class T>
  static int blocks_for_small() {
    static const int blocks = device::blocks_for_small_levels<T>();
    return blocks;
  }
  static std::int64_t memory_bytes() {
    std::size_t free_bytes = 0, all = 0;
    QUADRILLE_CUDA(cudaMemGetInfo(&free_bytes, &all));
    return static_cast<std::int64_t>(all);
  }
  static int processors() { return attribute(cudaDevAttrMultiProcessorCount); }
  static int attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    QUADRILLE_CUDA(cudaGetDevice(&device));
    QUADRILLE_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
  }
  template <class T>
  static int threads_before(bool vary) {
    return vary ? threads_for<device::VaryingStar<2, 1>>(device::before_bytes<T>)
                : threads_for<device::ConstantStar<T, 2>>(device::before_bytes<T>);
  }
  template <class T>
  static int threads_after(bool vary) {
    return vary ? threads_for<device::VaryingStar<1, 0>>(device::after_bytes<T, 1>)
                : threads_for<device::ConstantStar<T, 1>>(device::after_bytes<T, 1>);
  }
  template <class Star>
  static int threads_for(int bytes) {
    const int shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return std::min(Star::most_threads, shared / (bytes + Star::bytes_of_thread));
  }
  template <int lines, int ahead, class T, class Body>
  static void with_star(const StarRows<T>& rows, const Body& body) {
    if constexpr (std::is_same_v<T, float>)
      if (rows.vary) return body.template operator()<device::VaryingStar<lines, ahead>>();
    body.template operator()<device::ConstantStar<T, lines>>();
  }
  // With so many bytes of shared memory for each thread.
  template <class Kernel, class... Args>
  void run_tiles(Kernel kernel, const Tiles& tiles, int bytes_of_thread, const char* name,
                 const Args&... args) {
    const int bytes = bytes_of_thread * tiles.threads();
    QUADRILLE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<tiles.blocks, tiles.threads(), bytes, stream_>>>(args...);
    cuda::check(cudaGetLastError(), name);
  }

  // As many as run beside each other.
  template <class Kernel>
  static int blocks_at_once(Kernel kernel) {
    int of_processor = 0;
    QUADRILLE_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_processor, kernel, cuda::threads_per_block, 0));
    return of_processor * processors();
  }
  static double* room_for(std::int64_t count, Array<double, Device>& partial) {
    if (partial.size() < count) partial = Array<double, Device>(count);
    return partial.data();
  }
  // The blocks.
  template <bool Largest, class F>
  std::int64_t queue_sums_of(const F& f, Array<double, Device>& partial) {
    static const int blocks = blocks_at_once(device::sums_kernel<F, Largest>);
    double* const to = room_for((F::count + (Largest ? 1 : 0)) * blocks, partial);
    device::sums_kernel<F, Largest><<<blocks, cuda::threads_per_block, 0, stream_>>>(f, f.size(), to);
    QUADRILLE_CUDA_LAUNCHED("sums of multigrid's set-up");
    return blocks;
  }
  template <class F>
  std::int64_t queue_largest_in(const F& f, Array<double, Device>& partial) {
    static const int most = blocks_at_once(device::largest_kernel<F>);
    const unsigned needed = cuda::blocks_for(f.size(), cuda::threads_per_block);
    const int blocks = static_cast<int>(std::min<unsigned>(needed, static_cast<unsigned>(most)));
    double* const to = room_for(blocks, partial);
    device::largest_kernel<<<blocks, cuda::threads_per_block, 0, stream_>>>(f, f.size(), to);
    QUADRILLE_CUDA_LAUNCHED("a bound of multigrid's set-up");
    return blocks;
  }
  static double largest_of(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
  }
  static std::vector<double> results_of_blocks(const Array<double, Device>& partial, std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    memory::copy_to_host(values.data(), partial.data(),
                         static_cast<std::int64_t>(values.size() * sizeof(double)));
    return values;
  }
  // [sum][block]
  static std::vector<double> added_up(const std::vector<double>& of_blocks, int count) {
    std::vector<double> sums(static_cast<std::size_t>(count));
    const std::size_t blocks = of_blocks.size() / sums.size();
    for (std::size_t i = 0; i < of_blocks.size(); ++i) sums[i / blocks] += of_blocks[i];
    return sums;
  }

  struct Queued {
    Array<double, Device> partial;  // [sum][block]
    std::int64_t blocks = 0;
    int sums = 0;  // none: the largest
  };

  cudaStream_t stream_ = nullptr;
  OwnStream own_stream_;
  cudaGraphExec_t recorded_ = nullptr;
  Array<double, Device> partial_;
  std::int64_t queued_blocks_ = 0;
  std::vector<Queued> queued_results_;
  std::int64_t rows_of_coarsest_ = 0;
};

}  // namespace quadrille::multigrid
