// The Jacobians of the PDEs that are residuals against what PETSc makes of the same residuals by differences,
// of all columns of a color at once (MatFDColoring), on all ranks.
#include <petscmat.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "assembly/pdes.hpp"
#include "drawn.hpp"
#include "model.hpp"
#include "tests/pde_cases.hpp"
#include "tests/sanitized.hpp"

namespace quadrille::library_test {
namespace {

constexpr double time_s = 0.3, shift = 2.5;

enum class Coefficient { usual, field, tensor, parameters };

struct JacobianCase {
  const Pde* pde = nullptr;
  int dimension = 2;
  std::string sides{};
  Coefficient coefficient = Coefficient::usual;
  const Pde& taken() const { return coefficient == Coefficient::tensor ? pde->with_tensor() : *pde; }
};

// One kind all round or, where the displacement of a body has to be held, beside two faces that hold it.
std::string sides_of(const Pde& pde, int dimension, BoundaryKind kind) {
  const std::string one = written(kind, 0);
  if (!pde.discretisation.unknown_per_axis) return one;
  return "value:0,value:0," + one + "," + one + (dimension == 3 ? "," + one + "," + one : "");
}

std::vector<JacobianCase> jacobian_cases() {
  std::vector<JacobianCase> all;
  for (const Pde& pde : pdes())
    for (const int dimension : {2, 3})
      for (const BoundaryKind kind : pde.faces) {
        if (pde.residual == nullptr || (sanitized && kind != pde.faces.front())) continue;
        all.push_back({&pde, dimension, sides_of(pde, dimension, kind)});
        if (pde.takes_coefficient) all.push_back({&pde, dimension, all.back().sides, Coefficient::field});
        if (takes_fields(pde))
          all.push_back({&pde, dimension, sides_of(pde, dimension, kind), Coefficient::parameters});
        if (pde.with_tensor == nullptr) continue;
        const Pde& tensor = pde.with_tensor();
        if (takes(tensor, kind))
          all.push_back({&pde, dimension, sides_of(tensor, dimension, kind), Coefficient::tensor});
      }
  return all;
}

// Numbers that vary between nodes, those on a tensor's diagonal far larger than the others.
void add_coefficient(PdeInput& input, const JacobianCase& c, const Grid& grid, const Boundary& boundary) {
  if (c.coefficient == Coefficient::usual || c.coefficient == Coefficient::parameters) return;
  const int numbers = c.coefficient == Coefficient::field ? 1 : tensor_numbers(c.dimension);
  Array<double> a(grid.nodes() * numbers);
  for (std::int64_t i = 0; i < a.size(); ++i) a[i] = 0.4 * std::sin(static_cast<double>(i));
  for (std::int64_t node = 0; node < grid.nodes(); ++node)
    for (int axis = 0; axis < (numbers == 1 ? 1 : c.dimension); ++axis) {
      const std::int64_t i = node * numbers + (numbers == 1 ? 0 : tensor_place(c.dimension, axis, axis));
      a[i] = 1 + static_cast<double>(i * 37 % 101);
    }
  if (numbers == 1)
    input.coefficient =
        std::make_shared<const CoefficientField>(coefficient_field(grid, boundary, std::move(a), "a"));
  else
    input.tensor = std::make_shared<const TensorField>(tensor_field(grid, std::move(a), "k"));
}

Grid grid_of(const JacobianCase& c) {
  const Discretisation& taken = c.taken().discretisation;
  const bool any_dof = taken.dof == 0 && !taken.unknown_per_axis;
  return {c.dimension,
          {8, 7, c.dimension == 3 ? 6 : 1},
          {0.1, 0.02, 0.3},
          any_dof && taken.coupled ? 3 : default_dof(taken, c.dimension)};
}

// F where u_t moves with u: its derivative is the Jacobian with this shift.
struct Moving {
  const GridResidual& f;
  const Vector& u;
  const Vector& rate;

  void evaluate(Vec x, Vec result) const {
    Vector moved = rate;
    CALL(VecAXPY(moved.vec(), shift, x));
    CALL(VecAXPY(moved.vec(), -shift, u.vec()));
    f.evaluate(time_s, x, moved.vec(), result);
  }
};

PetscErrorCode moving_of(void*, Vec x, Vec result, void* context) {
  try {
    static_cast<const Moving*>(context)->evaluate(x, result);
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return PETSC_ERR_LIB;
  }
  return 0;
}

// As PETSc takes it: any function in 3.18, one of these arguments in 3.25.
template <class Function>
PetscErrorCode set_function(PetscErrorCode (*set)(MatFDColoring, Function, void*), MatFDColoring differences,
                            Moving* moving) {
  return set(differences, reinterpret_cast<Function>(reinterpret_cast<void (*)()>(moving_of)), moving);
}

// In the places that the Jacobian has.
petsc::Handle<Mat> by_differences(const Moving& moving, Mat jacobian) {
  auto found = petsc::make<Mat>("MatDuplicate",
                                [=](Mat* to) { return MatDuplicate(jacobian, MAT_DO_NOT_COPY_VALUES, to); });
  MatColoring coloring = nullptr;
  CALL(MatColoringCreate(jacobian, &coloring));
  CALL(MatColoringSetType(coloring, MATCOLORINGSL));  // with others, places have to be symmetric
  ISColoring colors = nullptr;
  CALL(MatColoringApply(coloring, &colors));
  CALL(MatColoringDestroy(&coloring));
  MatFDColoring differences = nullptr;
  CALL(MatFDColoringCreate(found.get(), colors, &differences));
  CALL(MatFDColoringSetType(differences, MATMFFD_WP));
  CALL(set_function(MatFDColoringSetFunction, differences, const_cast<Moving*>(&moving)));
  CALL(MatFDColoringSetUp(found.get(), colors, differences));
  CALL(MatFDColoringApply(found.get(), differences, moving.u.vec(), nullptr));
  CALL(MatFDColoringDestroy(&differences));
  CALL(ISColoringDestroy(&colors));
  return found;
}

// Of each row beside its largest number.
double worst_difference(Mat expected, Mat found) {
  double worst = 0;
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(expected, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    PetscInt count = 0;
    const PetscScalar *a = nullptr, *b = nullptr;
    CALL(MatGetRow(expected, row, &count, nullptr, &a));
    CALL(MatGetRow(found, row, nullptr, nullptr, &b));
    double size = 0, apart = 0;
    for (PetscInt i = 0; i < count; ++i) {
      size = std::max(size, std::abs(a[i]));
      apart = std::max(apart, std::abs(a[i] - b[i]));
    }
    worst = std::max(worst, apart / size);
    CALL(MatRestoreRow(found, row, nullptr, nullptr, &b));
    CALL(MatRestoreRow(expected, row, &count, nullptr, &a));
  }
  return worst;
}

// J w by central differences, which see what stands in no place of the Jacobian, too.
double difference_along(const Moving& moving, const Vector& w) {
  const double step = 1e-6;
  Vector product = w, above = w, below = w;
  moving.f.jacobian().multiply(w, product);
  const auto at = [&](double by, Vector& to) {
    Vector x = moving.u;
    moving.evaluate(x.axpy(by, w).vec(), to.vec());
  };
  at(step, above), at(-step, below);
  const double size = product.largest();
  return above.axpy(-1, below).scale(1 / (2 * step)).axpy(-1, product).largest() / size;
}

TEST(PdeJacobians, AreWhatPetscFindsByDifferences) {
  for (const JacobianCase& c : jacobian_cases()) {
    SCOPED_TRACE(c.pde->name + " " + std::to_string(c.dimension) + "D " + c.sides);
    const Grid grid = grid_of(c);
    const Boundary boundary = parse_boundary(c.sides, c.dimension);
    const Stencil stencil = make_stencil(default_stencil(c.taken().discretisation), c.dimension, 1);
    PdeInput input;
    input.parameters = other_parameters(*c.pde);
    add_coefficient(input, c, grid, boundary);
    if (c.coefficient == Coefficient::parameters) add_fields(input, *c.pde, grid);
    const NodeBox box = share_grid(PETSC_COMM_WORLD, grid, boundary)->box();
    GridResidual f(PETSC_COMM_WORLD, grid, stencil, boundary,
                   residual_of_pde(*c.pde, grid, stencil, boundary, input, box).residual, {.space = "cpu"});
    const Vector u = drawn(f, 1), rate = drawn(f, 2);
    f.differentiate(time_s, u, rate, shift);
    const Moving moving{f, u, rate};
    const auto expected = petsc::make<Mat>("MatConvert", [&](Mat* to) {
      return MatConvert(f.jacobian().mat(), MATAIJ, MAT_INITIAL_MATRIX, to);
    });
    EXPECT_LT(worst_difference(expected.get(), by_differences(moving, expected.get()).get()), 5e-7);
    EXPECT_LT(difference_along(moving, drawn(f, 3)), 1e-8);
  }
}

}  // namespace
}  // namespace quadrille::library_test
