// The same DMDA and the same calls, once with PETSc's AIJ and once with the type quadrille. The tests run on
// any number of ranks.
#pragma once

#include <gtest/gtest.h>
#include <petscdmda.h>
#include <petscksp.h>

#include <functional>
#include <string>
#include <vector>

#include "formats/value_precision.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/plugin/register.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille::type_test {

using petsc::check;
using petsc::Handle;
using petsc::make;

#define CALL(call) ::quadrille::petsc::check(call, #call)

using Grid = Handle<DM>;

struct Case {
  int dimension = 3;
  std::array<PetscInt, 3> size{5, 4, 4};
  int dof = 1, width = 1;
  bool box = false;
  std::array<bool, 3> periodic{};

  std::string name() const;
};

// Drawn at random, the same on every rank; with at least `width` nodes a rank on every axis.
std::vector<Case> cases(unsigned seed, int count);

Grid make_grid(const Case& c, MPI_Comm comm = PETSC_COMM_WORLD);
// -mat_quadrille_format `format`; "aij" for PETSc's own.
Handle<Mat> make_matrix(DM grid, const std::string& format = "aij");

// A value between -1 and 1 that depends on its place.
double value_at(std::int64_t row, std::int64_t column, unsigned salt);

enum class Filling { stencil, blocked_stencil, local, blocked_local, global, blocked, off_process };
inline constexpr Filling fillings[] = {Filling::stencil,       Filling::blocked_stencil, Filling::local,
                                       Filling::blocked_local, Filling::global,          Filling::blocked,
                                       Filling::off_process};

// Sets every value of the stencil, and adds 3 dof to the diagonal.
void fill(Mat matrix, DM grid, const Case& c, Filling how, unsigned salt, InsertMode mode = ADD_VALUES);

Handle<Vec> random_vector(Mat like, unsigned salt, bool left = false);
void expect_near(Vec a, Vec b, const std::string& what, double tolerance = 1e-12);

inline void assemble(Mat m, MatAssemblyType type = MAT_FINAL_ASSEMBLY) {
  CALL(MatAssemblyBegin(m, type));
  CALL(MatAssemblyEnd(m, type));
}

// Every product, the diagonal, norms and rows.
void expect_same(Mat quadrille, Mat aij);

// A quadrille matrix and AIJ, filled alike.
struct Pair {
  Grid grid;
  Handle<Mat> ours, theirs;
  void both(const std::function<void(Mat)>& change) const {
    for (const Mat m : {ours.get(), theirs.get()}) change(m);
  }
};
Pair filled_pair(const Case& c, const std::string& format, Filling how = Filling::local, unsigned salt = 1);

// -mat_quadrille_value_precision while it lives.
struct ValuesIn {
  explicit ValuesIn(ValuePrecision precision) {
    CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_value_precision", to_string(precision)));
  }
  ~ValuesIn() { (void)PetscOptionsClearValue(nullptr, "-mat_quadrille_value_precision"); }
};
// AIJ with its values in that precision; those of columns that are another rank's only where `ghosts`.
Handle<Mat> rounded_copy(Mat aij, ValuePrecision precision, bool ghosts = true);
// Products alone, in vectors of both.
void expect_same_products(Mat ours, Mat theirs);

// What finite differences by colours are made of.
using DifferencedFunction = PetscErrorCode(void*, Vec x, Vec f, void* context);
void set_function(MatFDColoring coloring, DifferencedFunction* function, void* context);

int ranks();
// -mat_quadrille_space cuda runs everything on the GPU; by itself the CPU is meant.
SpaceKind space();

class MatrixType : public testing::Test {
 protected:
  static void SetUpTestSuite() { petsc::register_matrix_type(); }
  void SetUp() override {
    if (space() == SpaceKind::cuda && cuda::device_count() == 0) GTEST_SKIP() << "no GPU";
  }
};

}  // namespace quadrille::type_test
