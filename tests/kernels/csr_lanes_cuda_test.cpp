// CSR on the GPU by every number of lanes: the scalar kernel (1), the vector kernel (32), those between, and
// the one that adapts to the rows (0).
#include <algorithm>
#include <limits>
#include <span>

#include <gtest/gtest.h>

#include "cases.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/spmv.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

template <class T>
std::vector<T> product(const Csr<T, Device>& csr, const Prepared& prepared, const std::vector<T>& x) {
  Array<T> host(static_cast<std::int64_t>(x.size()));
  std::copy(x.begin(), x.end(), host.data());
  const Array<T, Device> x_device = copy_to<Device>(host);
  Array<T> nan(csr.rows, std::numeric_limits<T>::quiet_NaN());
  Array<T, Device> y = copy_to<Device>(nan);
  cuda::Scratch scratch;
  cuda::spmv({{}, scratch, prepared}, csr, x_device.data(), {y.data()});
  return to_vector(copy_to<Host>(y));
}

template <class T>
void agrees_with_petsc() {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  for (const bool integer : {false, true})
    for (const Case<T>& c : matrix_cases<T>(integer)) {
      const Csr<T>& csr = *c.source.csr;
      const Csr<T, Device> on_device = copy_to<Device>(csr);
      const std::vector<T> x = test_vector<T>(csr.columns, integer, 21);
      const std::vector<double> x_double(x.begin(), x.end());
      const Reference reference = reference_of(cast<double>(csr), x_double.data());
      for (const int lanes : {0, 1, 2, 4, 8, 16, 32}) {
        SCOPED_TRACE(c.name + ", " + std::to_string(lanes) + " lanes");
        Prepared prepared{{.lanes = lanes}};
        if (lanes == 0) prepared.segments = plan_on_device(csr.row_ptr);
        const std::vector<T> y = product(on_device, prepared, x), again = product(on_device, prepared, x);
        const CheckResult check = reference.compare(y.data());
        EXPECT_LE(check.error_over_bound, integer ? 0 : 1) << "row " << check.worst_row;
        EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(y)), std::as_bytes(std::span(again))));
      }
    }
}

TEST(CsrLanes, AgreeWithPetscAndRepeat_cuda_fp64) {
  agrees_with_petsc<double>();
}

TEST(CsrLanes, AgreeWithPetscAndRepeat_cuda_fp32) {
  agrees_with_petsc<float>();
}

TEST(CsrLanes, OtherNumbersAreRefused_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Csr<double, Device> csr = copy_to<Device>(paper_matrix<double>());
  for (const int lanes : {-1, 3, 64})
    EXPECT_THROW(product(csr, Prepared{{.lanes = lanes}}, std::vector<double>(5, 1)), FormatError);
}

}  // namespace
}  // namespace quadrille
