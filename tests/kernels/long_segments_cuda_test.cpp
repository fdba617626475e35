// Rows and strips of every length on the GPU: what fits a block's tile, what one block takes alone and what
// several share, by CSR, CSC transposed, BCSR of single entries and both kernels of CMRS; and the kernels
// that scatter.
#include <algorithm>
#include <limits>
#include <span>

#include <gtest/gtest.h>

#include "cases.hpp"
#include "formats/bcsr.hpp"
#include "kernels/cpu/spmv.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/spmv.hpp"
#include "kernels/cuda/spmv_paper.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

template <class T, class Multiply>
std::vector<T> device_product(const Multiply& multiply, const Prepared& prepared, std::int64_t rows,
                              const std::vector<T>& x) {
  Array<T> host(static_cast<std::int64_t>(x.size()));
  std::copy(x.begin(), x.end(), host.data());
  const Array<T, Device> x_device = copy_to<Device>(host);
  Array<T, Device> y = copy_to<Device>(Array<T>(rows, std::numeric_limits<T>::quiet_NaN()));
  cuda::Scratch scratch;
  multiply(cuda::Execution{{}, scratch, prepared}, x_device.data(), y.data());
  return to_vector(copy_to<Host>(y));
}

// The bits of the sums when they are exact; else within the bound. The same bits every time, exact or not
// `in_order`.
template <class T, class Multiply>
void expect_right(const Csr<T>& csr, bool integer, const Prepared& prepared, const Multiply& multiply,
                  bool in_order = true) {
  const std::vector<T> x = test_vector<T>(csr.columns, integer, 5);
  const std::vector<double> x_double(x.begin(), x.end());
  const Reference reference = reference_of(cast<double>(csr), x_double.data());
  const std::vector<T> y = device_product<T>(multiply, prepared, csr.rows, x);
  const CheckResult check = reference.compare(y.data());
  EXPECT_LE(check.error_over_bound, integer ? 0 : 1) << "row " << check.worst_row;
  for (int again = 0; again < 3 && (in_order || integer); ++again) {
    const std::vector<T> same = device_product<T>(multiply, prepared, csr.rows, x);
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(y)), std::as_bytes(std::span(same))));
  }
}

// Strips of `height` rows with as many entries as fill so many tiles, or some more or less, with short rows
// between.
template <class T>
Csr<T> around_thresholds(int height, int tile, bool integer) {
  std::vector<std::int64_t> lengths;
  for (const int tiles : {1, 2, 4, 5})
    for (const int more : {-33, -1, 0, 1, 32}) {
      for (int row = 0; row < height; ++row)  // the first row of a strip has what does not divide
        lengths.push_back((tiles * tile + more) / height + (row == 0 ? (tiles * tile + more) % height : 0));
      for (int row = 0; row < height; ++row) lengths.push_back((row * 7 + more + 40) % 11);
    }
  lengths.push_back(3);  // a strip that is cut
  return ragged_matrix<T>(lengths, 12000, integer);
}

template <class T>
void strips_around_thresholds() {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (int height = 1; height <= 16; ++height)
    for (const int block : {64, 128, 256})
      for (const bool integer : {false, true}) {
        SCOPED_TRACE("height " + std::to_string(height) + ", block " + std::to_string(block));
        const Csr<T> csr = around_thresholds<T>(height, block * segment_entries, integer);
        const Cmrs<T> host = cmrs_from_csr(csr, height, height % 2 == 0,
                                           block == 64 ? CmrsRows::separate : CmrsRows::automatic);
        const Cmrs<T, Device> cmrs = copy_to<Device>(host);
        const Prepared prepared{{.block = block}, plan_on_device(host.strip_ptr, block)};
        expect_right(csr, integer, prepared,
                     [&](const auto& on, const T* x, T* y) { cuda::spmv(on, cmrs, x, {y}); });
      }
}

TEST(LongSegments, StripsAroundEveryThreshold_cuda_fp64) {
  strips_around_thresholds<double>();
}

TEST(LongSegments, StripsAroundEveryThreshold_cuda_fp32) {
  strips_around_thresholds<float>();
}

template <class T>
void paper_kernel() {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (int height = 1; height <= 16; ++height)
    for (const bool integer : {false, true}) {
      const Csr<T> csr = around_thresholds<T>(height, 100, integer);
      const Cmrs<T, Device> cmrs = copy_to<Device>(
          cmrs_from_csr(csr, height, integer, height % 3 == 0 ? CmrsRows::separate : CmrsRows::automatic));
      for (const int block : {32, 64, 320, 512, 1024})
        for (const bool aligned : {false, true})
          for (const CachePath cache : {CachePath::read_only, CachePath::l1, CachePath::l2}) {
            SCOPED_TRACE("height " + std::to_string(height) + ", block " + std::to_string(block));
            const Prepared prepared{{.block = block,
                                     .cache = cache,
                                     .aligned = aligned,
                                     .split = static_cast<MemorySplit>(height % 3)}};
            expect_right(csr, integer, prepared,
                         [&](const auto& on, const T* x, T* y) { cuda::spmv_paper(on, cmrs, x, {y}); });
          }
    }
}

TEST(LongSegments, ThePapersKernel_cuda_fp64) {
  paper_kernel<double>();
}

TEST(LongSegments, ThePapersKernel_cuda_fp32) {
  paper_kernel<float>();
}

// One row of a million entries, first, last or amid short ones.
template <class T>
void a_very_long_row() {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const std::size_t place : {0, 700, 1499})
    for (const bool integer : {false, true}) {
      std::vector<std::int64_t> lengths(1500, 3);
      lengths[place] = 1000000;
      lengths[place / 2 + 1] = 5000;
      const Csr<T> csr = ragged_matrix<T>(lengths, 1000000, integer);
      const Csr<T, Device> on_device = copy_to<Device>(csr);
      const Prepared rows{{}, plan_on_device(csr.row_ptr)};
      expect_right(csr, integer, rows,
                   [&](const auto& on, const T* x, T* y) { cuda::spmv(on, on_device, x, {y}); });
      const Bcsr<T, Device> bcsr = copy_to<Device>(bcsr_from_csr(csr, 1));
      expect_right(csr, integer, rows,
                   [&](const auto& on, const T* x, T* y) { cuda::spmv(on, bcsr, x, {y}); });
      for (const int height : {1, 3, 4, 16}) {
        const Cmrs<T> host = cmrs_from_csr(csr, height, true);
        const Cmrs<T, Device> cmrs = copy_to<Device>(host);
        const Prepared strips{{.block = segment_threads}, plan_on_device(host.strip_ptr)};
        expect_right(csr, integer, strips,
                     [&](const auto& on, const T* x, T* y) { cuda::spmv(on, cmrs, x, {y}); });
      }
    }
}

TEST(LongSegments, ARowOfAMillionEntries_cuda_fp64) {
  a_very_long_row<double>();
}

TEST(LongSegments, ARowOfAMillionEntries_cuda_fp32) {
  a_very_long_row<float>();
}

// Segments that begin, end and are missing at and beside the bounds of tiles of 1024 entries and of turns
// over 128 segments.
std::vector<std::vector<std::int64_t>> lengths_to_scatter() {
  std::vector<std::int64_t> long_row(1500, 3), few_entries(5000, 0), gaps, tiles;
  long_row[700] = 1000000;
  for (std::size_t i = 0; i < few_entries.size(); i += 37) few_entries[i] = 1;
  few_entries[1000] = 900;
  for (const std::int64_t empty : {0, 1, 126, 127, 128, 129, 255, 256, 257, 1000}) {
    gaps.push_back(empty % 5 == 0 ? 700 : 1 + empty % 3);
    gaps.insert(gaps.end(), static_cast<std::size_t>(empty), 0);
  }
  for (const std::int64_t length : {1024, 1023, 1, 1025, 1023, 2048, 0, 0, 31, 33, 960, 1, 1})
    tiles.push_back(length);
  return {{1},
          {1024},
          {1025},
          {70000},
          std::vector<std::int64_t>(20000, 28),
          std::vector<std::int64_t>(3000, 1),
          long_row,
          few_entries,
          gaps,
          tiles};
}

// All kernels that scatter: by tiles as planned, by tiles without a plan, and by segments, with any number of
// lanes each.
template <class T>
void expect_scattered(const Csr<T>& csr, bool integer) {
  const Csr<T> expected = transposed(csr);
  const Csr<T, Device> on_device = copy_to<Device>(csr);
  const auto expect_it = [&](const std::string& way, const Prepared& prepared) {
    SCOPED_TRACE(way + ", " + std::to_string(csr.rows) + " rows, " + std::to_string(csr.nnz()) + " entries");
    expect_right(
        expected, integer, prepared,
        [&](const auto& on, const T* x, T* y) { cuda::spmv_transpose(on, on_device, x, {y}); }, false);
  };
  const Prepared planned{{}, plan_on_device(csr.row_ptr, csr.column)};
  ASSERT_GT(planned.segments.group.size(), 0);
  expect_it("by tiles as planned", planned);
  expect_it("without a plan", {});
  for (const int lanes : {1, 2, 4, 8, 16, 32})
    expect_it("by " + std::to_string(lanes) + " lanes a segment", Prepared{{.lanes = lanes}});
  const Csc<T, Device> csc = copy_to<Device>(csc_from_csr(expected));  // whose columns are the segments
  expect_right(
      expected, integer, {}, [&](const auto& on, const T* x, T* y) { cuda::spmv(on, csc, x, {y}); }, false);
}

template <class T>
void scatters() {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const bool integer : {false, true}) {
    expect_scattered(around_thresholds<T>(1, segment_threads * segment_entries, integer), integer);
    for (const std::vector<std::int64_t>& lengths : lengths_to_scatter()) {
      const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
      expect_scattered(ragged_matrix<T>(lengths, longest, integer), integer);
    }
  }
}

TEST(LongSegments, ScatterByTilesAndBySegments_cuda_fp64) {
  scatters<double>();
}

TEST(LongSegments, ScatterByTilesAndBySegments_cuda_fp32) {
  scatters<float>();
}

TEST(LongSegments, AColumnOfAMillionEntries_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Csr<double> csr = ragged_matrix<double>({3, 1000000, 2, 2100, 0, 5}, 1000000, true);
  const Csc<double> host = csc_from_csr(transposed(csr));  // whose columns are the rows
  const Csc<double, Device> csc = copy_to<Device>(host);
  expect_right(csr, true, Prepared{{}, plan_on_device(host.column_ptr)},
               [&](const auto& on, const double* x, double* y) { cuda::spmv_transpose(on, csc, x, {y}); });
}

}  // namespace
}  // namespace quadrille
