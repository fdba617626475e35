// PETSc for a whole test program, with options of its own: testing::AddGlobalTestEnvironment(new
// PetscEnvironment({...})).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/session.hpp"

namespace quadrille {

class PetscEnvironment : public testing::Environment {
 public:
  explicit PetscEnvironment(std::vector<std::string> arguments = {}) : arguments_(std::move(arguments)) {}
  void SetUp() override {
    if (!all_skipped()) session_ = std::make_unique<petsc::Session>(arguments_);
  }
  void TearDown() override { session_.reset(); }

 private:
  // Tests of a GPU that is not there: each is a process by itself in CTest, and need not start MPI to say so.
  static bool all_skipped() {
    if (cuda::device_count() > 0) return false;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i)
      for (int k = 0; k < all.GetTestSuite(i)->total_test_count(); ++k) {
        const testing::TestInfo& test = *all.GetTestSuite(i)->GetTestInfo(k);
        if (test.should_run() && std::string_view(test.name()).find("cuda") == std::string_view::npos)
          return false;
      }
    return true;
  }

  std::vector<std::string> arguments_;
  std::unique_ptr<petsc::Session> session_;
};

}  // namespace quadrille
