#include "drivers/support/measure.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace quadrille {
namespace {

// Waits, and counts how often it is applied.
class Waiting : public SpmvOperator<double> {
 public:
  explicit Waiting(std::chrono::milliseconds time) : time_(time) {}
  std::int64_t rows() const override { return 1; }
  std::int64_t columns() const override { return 1; }
  SpaceKind space() const override { return SpaceKind::cpu; }
  Traffic traffic() const override { return {}; }
  void multiply(Queue, const double*, const Output<double>&) const override {
    ++applied_;
    std::this_thread::sleep_for(time_);
  }
  Csr<double> to_csr() const override { return {}; }
  int applied() const { return applied_; }

 private:
  std::chrono::milliseconds time_;
  mutable int applied_ = 0;
};

Timing time(const Waiting& op, const Repetitions& repetitions) {
  double x = 0, y = 0;
  return time_products<double>(op, Product{}, &x, &y, repetitions);
}

TEST(TimeProducts, TimesAsManyAsAskedAfterTwoThatWarmUp) {
  const Waiting op(std::chrono::milliseconds(1));
  const Timing timing = time(op, {.most = 8});
  EXPECT_EQ(timing.repetitions, 8);
  EXPECT_EQ(op.applied(), 10);
  EXPECT_GE(timing.min_ms, 1);
  EXPECT_LE(timing.min_ms, timing.median_ms);
  EXPECT_LE(timing.median_ms, timing.max_ms);
}

TEST(TimeProducts, StopsWhenTimeIsSpentButNotBelowTheLeast) {
  const Waiting op(std::chrono::milliseconds(2));
  EXPECT_EQ(time(op, {.most = 30, .least = 5, .enough_s = 1e-3}).repetitions, 5);
  EXPECT_EQ(time(op, {.most = 3, .least = 5, .enough_s = 1e-3}).repetitions, 3);
  const int some = time(op, {.most = 1000, .least = 5, .enough_s = 30e-3}).repetitions;
  EXPECT_GE(some, 5);
  EXPECT_LE(some, 15);
}

}  // namespace
}  // namespace quadrille
