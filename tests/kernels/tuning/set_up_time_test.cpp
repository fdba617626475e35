// What comes before the first product, predicted, and what follows for few products.
#include "kernels/tuning/set_up_time.hpp"
#include <gtest/gtest.h>

#include "cases.hpp"
#include "kernels/tuning/predict.hpp"

namespace quadrille {
namespace {

Sparsity of_matrix(Csr<double> csr) {
  FormatInput<double> source;
  source.csr = std::make_shared<const Csr<double>>(std::move(csr));
  return sparsity_of(source, {});
}

Sparsity of_grid(std::int64_t n, int dof) {
  BlockStructure s;
  s.extents = {n, n, n};
  s.dof = dof;
  s.offsets = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  return sparsity_at_most(s, 8);
}

std::vector<Sparsity> operators() {
  std::vector<std::int64_t> lengths(2000, 5);
  lengths[777] = 200000;
  return {of_grid(32, 1), of_grid(16, 3), of_matrix(random_matrix<double>(3000, 2000, 7, -1, false, 3)),
          of_matrix(ragged_matrix<double>(lengths, 200000, false))};
}

std::vector<MachineModel> machines() {
  return {h200_model(), cpu_model(4, 40, 80, 32 << 20)};
}

std::vector<Prediction> for_products(const Sparsity& s, const MachineModel& machine, int products,
                                     bool transposed) {
  FormatOptions options;
  options.products = products;
  return predict(s, machine, options, {transposed, 1});
}

FormatBytes bytes_of(const std::string& format, const Sparsity& s) {
  return format_bytes(format, s, {});
}

TEST(SetUpTime, PlansForManyProductsAndWhereTheyPay) {
  for (const bool gathers : {false, true}) EXPECT_TRUE(plan_pays(1000000, 1, gathers, 0));
  EXPECT_FALSE(plan_pays(1000000, 30, true, 1));
  EXPECT_TRUE(plan_pays(1000000, 30, true, 1000000));
  EXPECT_TRUE(
      plan_pays(1000, 1000000, true, 1));  // one warp would be busy with the long segment for milliseconds
  EXPECT_FALSE(plan_pays(1000, 1000000, false, 1000000000));  // scattering needs none
  Array<std::int32_t> ptr(4);
  for (const std::int32_t middle : {10, 1000000}) {
    ptr[0] = 0, ptr[1] = 5, ptr[2] = middle, ptr[3] = middle + 1;
    for (const int products : {0, 1, 1000})
      EXPECT_EQ(plan_pays(ptr, true, products), plan_pays(3, middle - 5, true, products));
  }
}

// CSR for a matrix, CDS for an operator on a grid; CDS and DIA on the GPU where they are assembled there.
TEST(SetUpTime, IsNothingWhereTheOperatorComesInTheFormat) {
  const MachineModel cpu = cpu_model(4, 40, 80, 32 << 20);
  for (Sparsity s : {of_grid(8, 2), of_matrix(random_matrix<double>(300, 200, 7, -1, false, 3))}) {
    const std::string own = s.cds && !s.cds_from_csr ? "cds" : "csr";
    for (const Prediction& p : predict(s, cpu, {}))
      if (p.refused.empty()) {
        EXPECT_EQ(p.set_up_ms == 0, p.format == own) << p.format;
      }
    for (const Prediction& p : predict(s, h200_model(), {})) EXPECT_GE(p.set_up_ms, 0) << p.format;
    s.assembled_on_device = true;
    for (const Prediction& p : predict(s, h200_model(), {}))
      if (p.refused.empty()) {
        EXPECT_EQ(p.set_up_ms == 0, p.format == "cds" || p.format == "dia") << p.format;
      }
    s.assembled_on_device = false;
    s.hub_on_device = true;
    for (const Prediction& p : predict(s, h200_model(), {}))
      if (p.refused.empty()) {
        EXPECT_EQ(p.set_up_ms == 0, p.format == "cds") << p.format;
      }
  }
}

TEST(SetUpTime, CountsBytesAndSegments) {
  const Sparsity s = of_matrix(random_matrix<double>(300, 200, 7, -1, false, 3));
  const double csr = static_cast<double>(csr_bytes(s.rows, s.nnz, 8));
  const Traffic coo = bytes_of("coo", s).traffic, csc = bytes_of("csc", s).traffic;
  const SetUpWork of_coo = set_up_work(find_format("coo"), s, coo, 0, false, SpaceKind::cuda);
  EXPECT_EQ(of_coo.converted_bytes, csr + static_cast<double>(coo.stored_bytes));
  EXPECT_EQ(of_coo.copied_bytes, static_cast<double>(coo.stored_bytes));
  EXPECT_FALSE(of_coo.planned);
  const SetUpWork of_csc = set_up_work(find_format("csc"), s, csc, 0, false, SpaceKind::cuda);
  EXPECT_EQ(of_csc.planned_segments, 200);
  EXPECT_FALSE(set_up_work(find_format("csc"), s, csc, 1, false, SpaceKind::cuda).planned);
  EXPECT_EQ(set_up_work(find_format("csc"), s, csc, 0, false, SpaceKind::cpu).copied_bytes, 0);
  MachineModel m = h200_model();
  const double ms = set_up_ms(of_csc, m);
  m.copy_gbps *= 2;
  EXPECT_LT(set_up_ms(of_csc, m), ms);
  m = h200_model();
  m.convert_gbps *= 2;
  EXPECT_LT(set_up_ms(of_csc, m), ms);
}

// Of either product, on either machine: more products never make one of them longer, and many give the time
// without a set-up.
TEST(SetUpTime, MoreProductsNeverMakeOneLonger) {
  for (const MachineModel& machine : machines())
    for (const Sparsity& s : operators())
      for (const bool transposed : {false, true}) {
        std::vector<Prediction> before = for_products(s, machine, 1, transposed);
        const std::vector<Prediction> many = for_products(s, machine, 0, transposed);
        for (const int products : {2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10000, 1000000, 1000000000}) {
          const std::vector<Prediction> now = for_products(s, machine, products, transposed);
          for (std::size_t i = 0; i < now.size(); ++i) {
            if (!now[i].refused.empty()) continue;
            EXPECT_LE(now[i].ms, before[i].ms) << now[i].format << " for " << products;
            EXPECT_GE(now[i].ms, many[i].ms) << now[i].format << " for " << products;
            if (products == 1000000000) {
              EXPECT_NEAR(now[i].ms, many[i].ms, 1e-6 * many[i].ms) << now[i].format;
            }
          }
          before = now;
        }
        EXPECT_EQ(ranked(before).front().format, ranked(many).front().format);
      }
}

TEST(SetUpTime, OneProductPrefersTheFormatThatTheOperatorComesIn) {
  for (const MachineModel& machine : machines())
    for (const Sparsity& s : operators()) {
      const std::string own = s.cds && !s.cds_from_csr ? "cds" : "csr";
      EXPECT_EQ(ranked(for_products(s, machine, 1, false)).front().format, own);
    }
}

}  // namespace
}  // namespace quadrille
