// Products in two queues that do not wait for each other, of two operators and of one: the bits of the
// products by themselves.
#include <cuda_runtime_api.h>

#include "cases.hpp"
#include "entry_test.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/host_apply.hpp"
#include "tests/products.hpp"

namespace quadrille {
namespace {

using QueuesTest = RegistryTest;

class Stream {
 public:
  Stream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  Queue queue() const { return {stream_}; }
  void wait() const { EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess); }

 private:
  cudaStream_t stream_ = nullptr;
};

// Rows that several blocks of threads share, among short ones, and rows of every kind between; square.
template <class T>
Case<T> operator_with_long_rows(const FormatEntry& entry, unsigned number) {
  const bool pads = entry.name == "ell" || entry.name == "ellr_t" || entry.name == "rg_csr" ||
                    entry.name == "dia" || entry.name == "cusparse_sell";
  const std::int64_t rows = 24000;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows), 6);
  for (std::size_t i = number; i < lengths.size(); i += 3) lengths[i] = 11;
  if (!pads)
    for (const std::size_t long_row : {100u + number, 9000u, 23999u}) lengths[long_row] = 20000;
  const bool follows = entry.traits != nullptr && entry.traits->follows_values;
  if (entry.name == "cds" || entry.name == "dia" || follows)
    return grid_case<T>({.extents = {20, 20, 30}, .dof = 2}, star_stencil(3, 2), {},
                        RandomBlocks{number, true});
  Case<T> c = matrix_case("long rows", ragged_matrix<T>(lengths, rows, true));
  c.options.block_size = entry.name == "cusparse_bsr" ? 2 : 1;
  c.options.cmrs_height = 3;
  return c;
}

template <class T>
Array<T, Device> on_device(const std::vector<T>& values) {
  Array<T> host(static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), host.data());
  return copy_to<Device>(host);
}

// One operator's products in one queue, one after the other: y(0) = A x, y(k) = y(k-1) - A x in turns, so
// that all of them show.
template <class T>
struct Work {
  Work(const SpmvOperator<T>& op, unsigned seed)
      : op(op),
        start(test_vector<T>(op.rows(), true, seed)),
        x(on_device(test_vector<T>(op.columns(), true, seed + 1))),
        y(on_device(start)) {}
  void queue_one(Queue queue, int number) {
    op.apply(queue, number % 2 == 0 ? 1 : -1, x.data(), 1, y.data());
    if (op.has_transpose() && op.rows() == op.columns() && number % 4 == 3)
      op.apply_transpose(queue, 1, x.data(), number % 8 == 3 ? 1 : -1, y.data());
  }
  std::vector<T> result() const {
    const Array<T> host = copy_to<Host>(y);
    return {host.begin(), host.end()};
  }
  const SpmvOperator<T>& op;
  std::vector<T> start;
  Array<T, Device> x, y;
};

template <class T>
void expect_the_same_in_two_queues(const SpmvOperator<T>& first, const SpmvOperator<T>& second) {
  constexpr int products = 32;
  Work<T> a(first, 3), b(second, 5), a_alone(first, 3), b_alone(second, 5);
  for (int i = 0; i < products; ++i) a_alone.queue_one({}, i);
  for (int i = 0; i < products; ++i) b_alone.queue_one({}, i);
  cuda::synchronize();
  const Stream one, other;
  for (int i = 0; i < products; ++i) {
    a.queue_one(one.queue(), i);
    b.queue_one(other.queue(), i);
  }
  one.wait();
  other.wait();
  EXPECT_EQ(a.result(), a_alone.result());
  EXPECT_EQ(b.result(), b_alone.result());
}

TEST_P(QueuesTest, TwoOperatorsAndOneGiveTheBitsOfProductsAlone) {
  in_precision(GetParam(), []<class T>() {
    const FormatEntry& entry = GetParam().entry();
    const auto make = [&](unsigned number) {
      const Case<T> c = operator_with_long_rows<T>(entry, number);
      return entry.make<T>()(c.source, c.options);
    };
    const auto one = make(1), other = make(2);
    {
      SCOPED_TRACE("two operators");
      expect_the_same_in_two_queues<T>(*one, *other);
    }
    SCOPED_TRACE("one operator");
    expect_the_same_in_two_queues<T>(*one, *one);
  });
}

std::vector<EntryParameter> entries_on_the_gpu() {
  std::vector<EntryParameter> all = all_entries();
  std::erase_if(all, [](const EntryParameter& p) { return p.entry().space == SpaceKind::cpu; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, QueuesTest, testing::ValuesIn(entries_on_the_gpu()), entry_name);

// What is put into a queue after wait_for() sees what was in the other one before.
TEST(Queues, OneWaitsForTheOther_cuda) {
  if (cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  const Case<double> c =
      grid_case<double>({.extents = {100, 100, 100}}, star_stencil(3, 1), {}, RandomBlocks{1, true});
  for (const FormatEntry& entry : tested_products()) {
    if (entry.name != "cds" || entry.space != SpaceKind::cuda) continue;
    const auto op = entry.make<double>()(c.source, {});
    const std::vector<double> x = test_vector<double>(op->columns(), true, 9);
    Array<double, Device> first = on_device(x), second = on_device(x);
    std::vector<double> once(x.size()), twice(x.size());
    host_apply(*op, x, once);
    host_apply(*op, once, twice);
    const Stream one, other;
    for (int i = 0; i < 20; ++i) op->apply(one.queue(), 1, first.data(), 0, second.data());
    cuda::wait_for(one.queue(), other.queue());
    op->apply(other.queue(), 1, second.data(), 0, first.data());
    other.wait();
    const Array<double> result = copy_to<Host>(first);
    EXPECT_TRUE(std::equal(twice.begin(), twice.end(), result.begin()));
  }
}

}  // namespace
}  // namespace quadrille
