// PETSc for the whole test program.
#include <gtest/gtest.h>

#include <memory>

#include "kernels/petsc/session.hpp"

namespace {

class PetscEnvironment : public testing::Environment {
 public:
  void SetUp() override { session_ = std::make_unique<quadrille::petsc::Session>(); }
  void TearDown() override { session_.reset(); }

 private:
  std::unique_ptr<quadrille::petsc::Session> session_;
};

const auto* const environment = testing::AddGlobalTestEnvironment(new PetscEnvironment);

}  // namespace
