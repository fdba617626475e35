// Conjugate gradients in host memory. Threads take parts of fixed size, whose sums are added up in their
// order; within a part eight sums run side by side, for the registers of a CPU.
#include "kernels/conjugate_gradients.hpp"

#include <algorithm>
#include <vector>

#include "formats/threads.hpp"
#include "kernels/conjugate_gradient_passes.hpp"

namespace quadrille::cpu {
namespace {

using namespace conjugate_gradient;

constexpr std::int64_t part = 8192;
constexpr int side_by_side = 8;

class OnHost final : public ConjugateGradients {
 public:
  explicit OnHost(std::int64_t rows)
      : rows_(rows), of_part_(static_cast<std::size_t>(2 * ((rows + part - 1) / part))) {}

  void begin(Queue) override { sums_ = {}; }
  void make_rz(Queue, const double* r, const double* z) override { run(MakeRz{r, z}); }
  void take_rz(Queue, const double* of_part, std::int64_t count) override {
    double sum[MakeRz::sums] = {};
    for (std::int64_t i = 0; i < count; ++i) sum[0] += of_part[i];
    MakeRz{}.take(sums_, sum);
  }
  void turn(Queue, const double* z, double* p, double* x) override { run(Turn{z, p, x}); }
  void make_pq(Queue, const double* p, const double* q) override { run(MakePq{p, q}); }
  void step(Queue, const double* q, double* r) override { run(Step{q, r}); }
  void finish(Queue, const double* p, double* x) override { run(Finish{p, x}); }
  void draw(Queue, double* p) override { run(Draw{p}); }
  void find_alone(Queue, const double* p, const double* q, double* w) override { run(FindAlone{p, q, w}); }
  void multiply(Queue, const double* w, const double* r, double* p) override { run(Multiply{w, r, p}); }
  double* pq() override { return &sums_.pq; }
  void begin_sums(Queue) override { found_ = sums_; }
  Sums end_sums() override { return found_; }
  void set_sums(Queue, const Sums& sums) override { sums_ = sums; }

 private:
  template <class Pass>
  void run(const Pass& pass) {
    constexpr int count = std::max(1, Pass::sums);
    const auto factor = pass.factor(sums_);
    const std::int64_t parts = (rows_ + part - 1) / part;
#pragma omp parallel for schedule(static) if (rows_ > worth_threads)
    for (std::int64_t which = 0; which < parts; ++which) {
      const std::int64_t end = std::min(rows_, (which + 1) * part);
      std::int64_t i = which * part;
      double together[count][side_by_side] = {}, alone[count][1] = {};
      for (; i + side_by_side <= end; i += side_by_side) pass.run(i, factor, together);
      for (; i < end; ++i) pass.run(i, factor, alone);
      for (int s = 0; s < Pass::sums; ++s) {
        for (const double sum : together[s]) alone[s][0] += sum;
        of_part_[which * count + s] = alone[s][0];
      }
    }
    if constexpr (Pass::sums > 0) {
      double all[Pass::sums] = {};
      for (std::int64_t i = 0; i < parts * count; ++i) all[i % count] += of_part_[i];
      pass.take(sums_, all);
    }
  }

  std::int64_t rows_;
  std::vector<double> of_part_;  // [part][sum]
  Sums sums_, found_;
};

}  // namespace

std::unique_ptr<ConjugateGradients> make_conjugate_gradients(std::int64_t rows) {
  return std::make_unique<OnHost>(rows);
}

}  // namespace quadrille::cpu
