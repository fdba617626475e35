// What a solve says of errors: the options are blamed for what others would have avoided, and for
// nothing else.
#include <functional>

#include "kernels/petsc/base/petsc_error.hpp"
#include "shell_cases.hpp"
#include "tests/solve_vectors.hpp"

namespace quadrille {
namespace {

// Twice the identity, without a transposed product; `before` is called before every product.
class Twice final : public SpmvOperator<double> {
 public:
  explicit Twice(std::function<void()> before) : before_(std::move(before)) {}
  std::int64_t rows() const override { return 4; }
  std::int64_t columns() const override { return 4; }
  SpaceKind space() const override { return SpaceKind::cpu; }
  Traffic traffic() const override { return {}; }
  void multiply(Queue, const double* x, const Output<double>& y) const override {
    before_();
    for (int i = 0; i < 4; ++i) y.put(i, 2 * x[i]);
  }
  Csr<double> to_csr() const override {
    return csr_of<double>(4, 4, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2});
  }

 private:
  std::function<void()> before_;
};

// Solves with PETSc's option `name` set to `value`.
petsc::KrylovResult solved(const char* name, const char* value, const std::function<void()>& before) {
  struct Option {
    Option(const char* name, const char* value) : name(name) {
      CALL(PetscOptionsSetValue(nullptr, name, value));
    }
    ~Option() { (void)PetscOptionsClearValue(nullptr, name); }
    const char* name;
  } const option(name, value);
  std::vector<double> b(4, 1.0), x(4);
  const auto matrix = petsc::shared(petsc::make_shell_matrix(std::make_shared<const Twice>(before), "twice"));
  return solve_vectors({.matrix = matrix, .options_are = "what follows the bare --"}, b, x);
}

// The message, and whether it blames the options.
std::string error_of_solve(bool& blamed, const char* name, const char* value,
                           const std::function<void()>& before) {
  try {
    solved(name, value, before);
  } catch (const PetscOptionError& error) {
    blamed = true;
    return error.what();
  } catch (const PetscError& error) {
    blamed = false;
    return error.what();
  }
  ADD_FAILURE() << "no error with " << name << " " << value;
  return "";
}

TEST(Krylov, OptionsAreNotBlamedForWhatTheMachineOrTheOperatorDid) {
  EXPECT_TRUE(solved("-ksp_type", "cg", [] {}).converged);
  const std::pair<const char*, std::function<void()>> failures[] = {
      {"9 GiB are needed", [] { throw MemoryError("9 GiB are needed"); }},
      {"the launch failed", [] { throw CudaError("the launch failed"); }},
      {"the product broke", [] { throw std::runtime_error("the product broke"); }},
  };
  for (const auto& [text, fail] : failures) {
    bool blamed = true;
    const std::string message = error_of_solve(blamed, "-ksp_type", "cg", fail);
    EXPECT_FALSE(blamed) << message;
    EXPECT_NE(message.find(text), std::string::npos) << message;
    EXPECT_EQ(message.find("bare --"), std::string::npos) << message;
  }
}

TEST(Krylov, OptionsAreBlamedForWhatTheyAskFor) {
  // Types that do not exist are tested with the program: PETSc 3.18 itself loses memory where it refuses
  // them.
  for (const auto& [name, value] : {std::pair{"-ksp_type", "bicg"}, {"-pc_type", "lu"}}) {
    bool blamed = false;
    const std::string message = error_of_solve(blamed, name, value, [] {});
    EXPECT_TRUE(blamed) << message;
    EXPECT_NE(message.find("correct what follows the bare --"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace quadrille
