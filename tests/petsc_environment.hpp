// PETSc for a whole test program, with options of its own: testing::AddGlobalTestEnvironment(new PetscEnvironment({...})).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/petsc/session.hpp"

namespace quadrille {

class PetscEnvironment : public testing::Environment {
 public:
  explicit PetscEnvironment(std::vector<std::string> arguments = {}) : arguments_(std::move(arguments)) {}
  void SetUp() override { session_ = std::make_unique<petsc::Session>(arguments_); }
  void TearDown() override { session_.reset(); }

 private:
  std::vector<std::string> arguments_;
  std::unique_ptr<petsc::Session> session_;
};

}  // namespace quadrille
