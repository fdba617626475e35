#include "kernels/tuning/ellr_t_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "formats/build_csr.hpp"
#include "formats/ellr_t.hpp"
#include "kernels/prepared.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t largest_group = std::int64_t{1} << (RowGroups::sizes - 1);
constexpr double sector = 32;  // bytes that memory and caches move at least

int log2_of(int power) {
  return std::countr_zero(static_cast<unsigned>(power));
}

// Whether the format refuses the rows for what they take when padded to a multiple of T.
bool refused(const RowGroups& rows, int threads, int value_bytes) {
  const Traffic traffic =
      ellr_t_traffic(rows.rows, rows.columns, rows.nnz, round_up(rows.longest, threads), value_bytes);
  return !absurd_fill("ellr_t", traffic.stored_bytes - 4 * rows.rows,
                      csr_bytes(rows.rows, rows.nnz, value_bytes))
              .empty();
}

// Adds the groups of up to `largest_group` rows from `first` on.
void add_groups(std::span<const std::int32_t> row_ptr, std::int64_t first, RowGroups& total) {
  const std::int64_t rows = std::min(largest_group, static_cast<std::int64_t>(row_ptr.size()) - 1 - first);
  std::array<std::int32_t, largest_group> longest;
  for (std::int64_t i = 0; i < rows; ++i) longest[i] = row_ptr[first + i + 1] - row_ptr[first + i];
  std::int64_t groups = rows;
  for (int size = 0; size < RowGroups::sizes; ++size) {
    for (std::int64_t i = 0; i < groups; ++i)
      for (int d = 0; d < RowGroups::divisors; ++d) total.sum[size][d] += (longest[i] + (1 << d) - 1) >> d;
    if (size + 1 == RowGroups::sizes) break;
    for (std::int64_t i = 0; i < groups / 2; ++i) longest[i] = std::max(longest[2 * i], longest[2 * i + 1]);
    if (groups % 2 == 1) longest[groups / 2] = longest[groups - 1];
    groups = (groups + 1) / 2;
  }
  total.longest = std::max<std::int64_t>(total.longest, longest[0]);
}

// The bounds of one choice, in microseconds.
class Bounds {
 public:
  Bounds(const RowGroups& rows, EllrTChoice choice, int value_bytes, const cuda::GpuProperties& gpu,
         const EllrTConstants& constants)
      : rows_(rows), choice_(choice), value_bytes_(value_bytes), gpu_(gpu), constants_(constants) {
    blocks_ = static_cast<double>((rows.rows * choice.threads + choice.block - 1) / choice.block);
    ahead_ = choice.threads == 1 && 2 * rows.nnz > 9 * rows.rows;
    most_blocks_ = std::ceil(blocks_ / gpu.multiprocessors);
    vectors_ = static_cast<double>((rows.rows + rows.columns) * value_bytes);
    matrix_ = matrix_bytes();
    in_cache_ = std::clamp(2 - (matrix_ + vectors_) / static_cast<double>(gpu.l2_bytes) * 2, 0.0, 1.0);
  }

  double together() const {
    const double p = constants_.sharpness;
    const double sum = std::pow(bandwidth(), p) + std::pow(path() + of_multiprocessor(), p) +
                       std::pow(waves(), p) + std::pow(constants_.dispatch_us * blocks_, p);
    return constants_.launch_us + std::pow(sum, 1 / p);
  }

 private:
  // Sectors that hold an entry, of columns and of values: E entries of each are in one, and T of a row side
  // by side, so that E/T rows share a sector that is read while one of them lasts.
  double sectors(int entry_bytes) const {
    const int entries = static_cast<int>(sector) / entry_bytes;
    const int rows = std::max(1, entries / choice_.threads), of_row = std::min(entries, choice_.threads);
    return static_cast<double>(rows_.sum[log2_of(rows)][log2_of(of_row)]);
  }
  double matrix_bytes() const {
    return sector * (sectors(4) + sectors(value_bytes_)) + 4 * static_cast<double>(rows_.rows);
  }
  double mixed(double cached, double from_memory) const {
    return in_cache_ * cached + (1 - in_cache_) * from_memory;
  }

  double bandwidth() const {
    const double memory = constants_.memory_efficiency * gpu_.memory_gbps;
    return 1e-3 * (matrix_ + vectors_) * mixed(1 / constants_.cache_gbps, 1 / memory);
  }
  // The instructions of the one with the most blocks.
  double of_multiprocessor() const {
    const int rows = 32 / choice_.threads;
    const double warps = static_cast<double>((rows_.rows + rows - 1) / rows);
    const double steps = ahead_ ? 8 * static_cast<double>(rows_.sum[5][3])
                                : static_cast<double>(rows_.sum[log2_of(rows)][log2_of(choice_.threads)]);
    return most_blocks_ / blocks_ * (warps * constants_.warp_us + steps * constants_.step_us);
  }
  double round() const { return mixed(constants_.cache_round_us, constants_.memory_round_us); }
  // Rounds that wait for each other in so many batches of loads.
  double rounds(double batches) const { return batches * (ahead_ ? constants_.ahead_rounds : 1); }
  // Of the longest row.
  double path() const {
    return constants_.start_us +
           round() * rounds(std::ceil(static_cast<double>(rows_.longest) / in_flight()));
  }
  // A multiprocessor works on as many blocks at once as fit; each holds its place until its longest row is
  // done.
  double waves() const {
    const auto batches =
        static_cast<double>(rows_.sum[log2_of(choice_.block / choice_.threads)][log2_of(in_flight())]);
    const double resident =
        std::min(gpu_.blocks_per_multiprocessor, gpu_.threads_per_multiprocessor / choice_.block);
    const double slowest = 1 + constants_.straggle * (log2_of(choice_.block) - 6);
    return slowest * (blocks_ * constants_.start_us + round() * rounds(batches)) /
           (gpu_.multiprocessors * resident);
  }
  // Entries of a row that its threads load at once.
  int in_flight() const { return ahead_ ? 8 : 4 * choice_.threads; }

  const RowGroups& rows_;
  EllrTChoice choice_;
  int value_bytes_;
  const cuda::GpuProperties& gpu_;
  const EllrTConstants& constants_;
  bool ahead_;  // the kernel that reads 8 entries of a row at once
  double blocks_, most_blocks_, vectors_, matrix_;
  double in_cache_;  // 1 where half the cache holds everything, 0 where all of it does not
};

}  // namespace

RowGroups row_groups(std::span<const std::int32_t> row_ptr, std::int64_t columns) {
  RowGroups total;
  total.rows = static_cast<std::int64_t>(row_ptr.size()) - 1;
  total.columns = columns;
  total.nnz = row_ptr.back() - row_ptr.front();
#pragma omp parallel
  {
    RowGroups mine;
#pragma omp for schedule(static) nowait
    for (std::int64_t first = 0; first < total.rows; first += largest_group) add_groups(row_ptr, first, mine);
#pragma omp critical
    {
      total.longest = std::max(total.longest, mine.longest);
      for (int s = 0; s < RowGroups::sizes; ++s)
        for (int d = 0; d < RowGroups::divisors; ++d) total.sum[s][d] += mine.sum[s][d];
    }
  }
  return total;
}

RowGroups equal_rows(std::int64_t rows, std::int64_t length) {
  RowGroups all{rows, rows, rows * length, length, {}};
  const auto parts = [](std::int64_t n, int log2) { return (n + (std::int64_t{1} << log2) - 1) >> log2; };
  for (int s = 0; s < RowGroups::sizes; ++s)
    for (int d = 0; d < RowGroups::divisors; ++d) all.sum[s][d] = parts(rows, s) * parts(length, d);
  return all;
}

double ellr_t_ms(const RowGroups& rows, EllrTChoice choice, int value_bytes, const cuda::GpuProperties& gpu,
                 const EllrTConstants& constants) {
  if (rows.rows == 0) return 0;
  return 1e-3 * Bounds(rows, choice, value_bytes, gpu, constants).together();
}

EllrTChoice ellr_t_choice(const RowGroups& rows, int value_bytes, const cuda::GpuProperties& gpu,
                          EllrTChoice wanted, const EllrTConstants& constants) {
  EllrTChoice best;
  double least = -1;
  for (const int threads : ellr_t_threads) {
    if (wanted.threads != 0 ? wanted.threads != threads : threads > 1 && refused(rows, threads, value_bytes))
      continue;
    for (const int block : ellr_t_blocks) {
      if (wanted.block != 0 && wanted.block != block) continue;
      const double ms = ellr_t_ms(rows, {threads, block}, value_bytes, gpu, constants);
      // Of blocks that are about as fast, the smallest: their threads wait less for each other than the model
      // knows (192^3, T = 1: 256 threads 1.2 %, 128 threads 2.3 to 3.8 % less than 512).
      constexpr double noticed = 0.995;
      if (least >= 0 && ms >= (threads == best.threads ? noticed : 1) * least) continue;
      least = ms;
      best = {threads, block};
    }
  }
  return best;
}

template <class T>
EllrTChoice ellr_t_choice(const Csr<T>& csr, EllrTChoice wanted, EllrTModel model) {
  if (wanted.threads != 0 && wanted.block != 0) return wanted;
  const std::span<const std::int32_t> row_ptr(csr.row_ptr.data(), static_cast<std::size_t>(csr.rows + 1));
  const cuda::GpuProperties gpu = cuda::gpu_properties();
  if (model == EllrTModel::ours)
    return ellr_t_choice(row_groups(row_ptr, csr.columns), sizeof(T), gpu, wanted);
  EllrTChoice choice = ellr_t_paper_choice(
      row_ptr, {gpu.multiprocessors, gpu.threads_per_multiprocessor, gpu.blocks_per_multiprocessor},
      {ellr_t_blocks.begin(), ellr_t_blocks.end()}, wanted);
  const RowGroups shape{csr.rows, csr.columns, csr.nnz(), longest_row(csr), {}};
  while (wanted.threads == 0 && choice.threads > 1 && refused(shape, choice.threads, sizeof(T)))
    choice.threads /= 2;
  return choice;
}

template EllrTChoice ellr_t_choice(const Csr<float>&, EllrTChoice, EllrTModel);
template EllrTChoice ellr_t_choice(const Csr<double>&, EllrTChoice, EllrTModel);

}  // namespace quadrille
