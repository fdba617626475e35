#include "comparison.hpp"

#include <cmath>
#include <random>

namespace quadrille::type_test {

SpaceKind space() {
  char text[16] = "";
  CALL(PetscOptionsGetString(nullptr, nullptr, "-mat_quadrille_space", text, sizeof text, nullptr));
  return std::string(text) == "cuda" ? SpaceKind::cuda : SpaceKind::cpu;
}

// PETSc's type of a function of any kind, which is not the same in all versions.
template <class Function>
struct ArgumentTwo;
template <class One, class Two, class Three>
struct ArgumentTwo<PetscErrorCode(One, Two, Three)> {
  using type = Two;
};

void set_function(MatFDColoring coloring, DifferencedFunction* function, void* context) {
  using AnyFunction = ArgumentTwo<decltype(MatFDColoringSetFunction)>::type;
  CALL(MatFDColoringSetFunction(
      coloring, reinterpret_cast<AnyFunction>(reinterpret_cast<void (*)()>(function)), context));
}

int ranks() {
  int size = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

std::string Case::name() const {
  std::string text;
  for (int axis = 0; axis < dimension; ++axis)
    text += (axis == 0 ? "" : "x") + std::to_string(size[axis]) + (periodic[axis] ? "p" : "");
  return text + " dof " + std::to_string(dof) + (box ? " box " : " star ") + std::to_string(width);
}

std::vector<Case> cases(unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto draw = [&](int from, int to) { return from + static_cast<int>(random() % (to - from + 1u)); };
  std::vector<Case> all;
  for (int i = 0; i < count; ++i) {
    Case c;
    c.dimension = i % 5 == 4 ? 1 : draw(2, 3);
    c.dof = draw(1, 4);
    c.width = draw(1, 2);
    c.box = draw(0, 1) == 1;
    c.size = {1, 1, 1};
    for (int axis = 0; axis < c.dimension; ++axis) {
      c.size[axis] = draw(c.width * ranks(), c.width * ranks() + 4);
      if (c.dimension == 3)
        c.size[axis] = std::min<PetscInt>(c.size[axis], std::max<PetscInt>(7, c.width * ranks()));
      c.periodic[axis] = draw(0, 2) == 0;
    }
    all.push_back(c);
  }
  return all;
}

Grid make_grid(const Case& c, MPI_Comm comm) {
  DM dm = nullptr;
  CALL(DMDACreate(comm, &dm));
  Grid grid(dm);
  CALL(DMSetDimension(dm, c.dimension));
  CALL(DMDASetSizes(dm, c.size[0], c.size[1], c.size[2]));
  CALL(DMDASetDof(dm, c.dof));
  CALL(DMDASetStencilWidth(dm, c.width));
  CALL(DMDASetStencilType(dm, c.box ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR));
  const auto side = [&](int axis) { return c.periodic[axis] ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE; };
  CALL(DMDASetBoundaryType(dm, side(0), side(1), side(2)));
  CALL(DMSetFromOptions(dm));  // -dm_vec_type
  CALL(DMSetUp(dm));
  return grid;
}

Handle<Mat> make_matrix(DM grid, const std::string& format) {
  const bool ours = format != "aij";
  CALL(DMSetMatType(grid, ours ? "quadrille" : MATAIJ));
  if (ours) CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", format.c_str()));
  CALL(PetscOptionsSetValue(nullptr, "-mat_quadrille_verify", "1"));
  return make<Mat>("DMCreateMatrix", [&](Mat* m) { return DMCreateMatrix(grid, m); });
}

double value_at(std::int64_t row, std::int64_t column, unsigned salt) {
  std::uint64_t h = static_cast<std::uint64_t>(row) * 0x9e3779b97f4a7c15ull ^
                    static_cast<std::uint64_t>(column) * 0xc2b2ae3d27d4eb4full ^ salt * 0x165667b19e3779f9ull;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9ull;
  h ^= h >> 32;
  return static_cast<double>(h % 2000001) / 1e6 - 1;
}

namespace {

struct Node {
  PetscInt x = 0, y = 0, z = 0;
};

// Calls body(row node, column nodes) for the nodes of the box, with those of the stencil that lie in the
// grid, each once.
void for_nodes(DM grid, const Case& c, const std::function<void(Node, const std::vector<Node>&)>& body) {
  PetscInt x0, y0, z0, nx, ny, nz;
  CALL(DMDAGetCorners(grid, &x0, &y0, &z0, &nx, &ny, &nz));
  const PetscInt w = c.width, wy = c.dimension > 1 ? w : 0, wz = c.dimension > 2 ? w : 0;
  for (PetscInt z = z0; z < z0 + nz; ++z)
    for (PetscInt y = y0; y < y0 + ny; ++y)
      for (PetscInt x = x0; x < x0 + nx; ++x) {
        std::vector<Node> columns;
        for (PetscInt dz = -wz; dz <= wz; ++dz)
          for (PetscInt dy = -wy; dy <= wy; ++dy)
            for (PetscInt dx = -w; dx <= w; ++dx) {
              if (!c.box && (dx != 0) + (dy != 0) + (dz != 0) > 1) continue;
              const std::array<PetscInt, 3> to{x + dx, y + dy, z + dz};
              bool inside = true;
              for (int axis = 0; axis < 3; ++axis)
                inside = inside && (c.periodic[axis] || (to[axis] >= 0 && to[axis] < c.size[axis]));
              if (inside) columns.push_back({to[0], to[1], to[2]});
            }
        body({x, y, z}, columns);
      }
}

// The index of a node in the box with ghosts.
PetscInt local_index(DM grid, const Node& n) {
  PetscInt x0, y0, z0, nx, ny, nz;
  CALL(DMDAGetGhostCorners(grid, &x0, &y0, &z0, &nx, &ny, &nz));
  return ((n.z - z0) * ny + (n.y - y0)) * nx + n.x - x0;
}

std::vector<PetscInt> unknowns(const std::vector<PetscInt>& nodes, PetscInt dof) {
  std::vector<PetscInt> all;
  for (const PetscInt node : nodes)
    for (PetscInt c = 0; c < dof; ++c) all.push_back(node * dof + c);
  return all;
}

}  // namespace

void fill(Mat matrix, DM grid, const Case& c, Filling how, unsigned salt, InsertMode mode) {
  ISLocalToGlobalMapping map = nullptr;
  CALL(DMGetLocalToGlobalMapping(grid, &map));
  const PetscInt dof = c.dof;
  for_nodes(grid, c, [&](Node row, const std::vector<Node>& neighbours) {
    std::vector<PetscInt> from{local_index(grid, row)}, to;
    std::vector<MatStencil> stencil_to;
    for (const Node& n : neighbours) {
      to.push_back(local_index(grid, n));
      stencil_to.push_back({n.z, n.y, n.x, 0});
    }
    const PetscInt count = static_cast<PetscInt>(to.size());
    std::vector<PetscInt> rows = unknowns(from, dof), columns = unknowns(to, dof), global_rows = rows,
                          global_columns = columns;
    const PetscInt n = static_cast<PetscInt>(columns.size());
    CALL(ISLocalToGlobalMappingApply(map, dof, rows.data(), global_rows.data()));
    CALL(ISLocalToGlobalMappingApply(map, n, columns.data(), global_columns.data()));
    std::vector<double> values;
    for (const PetscInt i : global_rows)
      for (const PetscInt j : global_columns) values.push_back(value_at(i, j, salt) + (i == j ? 3 * dof : 0));
    MatStencil stencil_from{row.z, row.y, row.x, 0};
    switch (how) {
      case Filling::stencil: {
        std::vector<MatStencil> all_from, all_to;
        for (PetscInt r = 0; r < dof; ++r) all_from.push_back({row.z, row.y, row.x, r});
        for (const Node& to_node : neighbours)
          for (PetscInt r = 0; r < dof; ++r) all_to.push_back({to_node.z, to_node.y, to_node.x, r});
        CALL(MatSetValuesStencil(matrix, dof, all_from.data(), n, all_to.data(), values.data(), mode));
        break;
      }
      case Filling::blocked_stencil:
        CALL(MatSetValuesBlockedStencil(matrix, 1, &stencil_from, count, stencil_to.data(), values.data(),
                                        mode));
        break;
      case Filling::local:
        CALL(MatSetValuesLocal(matrix, dof, rows.data(), n, columns.data(), values.data(), mode));
        break;
      case Filling::blocked_local:
        CALL(MatSetValuesBlockedLocal(matrix, 1, from.data(), count, to.data(), values.data(), mode));
        break;
      case Filling::global:
        CALL(MatSetValues(matrix, dof, global_rows.data(), n, global_columns.data(), values.data(), mode));
        break;
      case Filling::blocked: {
        std::vector<PetscInt> global_from = from, global_to = to;
        CALL(ISLocalToGlobalMappingApplyBlock(map, 1, from.data(), global_from.data()));
        CALL(ISLocalToGlobalMappingApplyBlock(map, count, to.data(), global_to.data()));
        CALL(
            MatSetValuesBlocked(matrix, 1, global_from.data(), count, global_to.data(), values.data(), mode));
        break;
      }
      case Filling::off_process: {  // the transpose: this node's column in the rows of its neighbours
        std::vector<double> transposed;
        for (const PetscInt j : global_columns)
          for (const PetscInt i : global_rows)
            transposed.push_back(value_at(j, i, salt) + (i == j ? 3 * dof : 0));
        CALL(
            MatSetValues(matrix, n, global_columns.data(), dof, global_rows.data(), transposed.data(), mode));
        break;
      }
    }
  });
  CALL(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
}

Handle<Vec> random_vector(Mat like, unsigned salt, bool left) {
  Vec v = nullptr;
  CALL(left ? MatCreateVecs(like, nullptr, &v) : MatCreateVecs(like, &v, nullptr));
  PetscInt first = 0, last = 0;
  PetscScalar* data = nullptr;
  CALL(VecGetOwnershipRange(v, &first, &last));
  CALL(VecGetArrayWrite(v, &data));
  for (PetscInt i = first; i < last; ++i) data[i - first] = value_at(i, -1, salt);
  CALL(VecRestoreArrayWrite(v, &data));
  return Handle<Vec>(v);
}

void expect_near(Vec a, Vec b, const std::string& what, double tolerance) {
  const Handle<Vec> difference = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(b, v); });
  PetscReal size = 0, off = 0;
  CALL(VecCopy(a, difference.get()));
  CALL(VecAXPY(difference.get(), -1, b));
  CALL(VecNorm(b, NORM_INFINITY, &size));
  CALL(VecNorm(difference.get(), NORM_INFINITY, &off));
  EXPECT_LE(off, tolerance * (1 + size)) << what;
}

namespace {

bool same_type(Vec a, Vec b) {
  VecType type = nullptr;
  PetscBool same = PETSC_FALSE;
  CALL(VecGetType(b, &type));
  CALL(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(a), type, &same));
  return same;
}

// With vectors as `vectors_of` makes them.
void expect_same_products(Mat ours, Mat theirs, Mat vectors_of) {
  const auto each = [&](const char* what, bool left, const std::function<void(Mat, Vec, Vec, Vec)>& act) {
    const auto done = [&](Mat m, Mat like) {
      const Handle<Vec> x = random_vector(like, 11), z = random_vector(like, 12, true);
      Handle<Vec> y = random_vector(like, 13, left);
      CALL(VecSet(y.get(), std::nan("")));
      act(m, x.get(), z.get(), y.get());
      return y;
    };
    expect_near(done(ours, vectors_of).get(), done(theirs, theirs).get(), what);
  };
  each("MatMult", true, [](Mat m, Vec x, Vec, Vec y) { CALL(MatMult(m, x, y)); });
  each("MatMultAdd", true, [](Mat m, Vec x, Vec z, Vec y) { CALL(MatMultAdd(m, x, z, y)); });
  each("MatResidual", true, [](Mat m, Vec x, Vec z, Vec y) { CALL(MatResidual(m, z, x, y)); });
  each("MatMultTranspose", false, [](Mat m, Vec, Vec z, Vec y) { CALL(MatMultTranspose(m, z, y)); });
  each("MatMultTransposeAdd", false,
       [](Mat m, Vec x, Vec z, Vec y) { CALL(MatMultTransposeAdd(m, z, x, y)); });
}

void expect_same_diagonals(Mat ours, Mat theirs, Mat vectors_of) {
  const Handle<Vec> a = random_vector(vectors_of, 13, true), b = random_vector(theirs, 13, true);
  CALL(VecSet(a.get(), std::nan("")));
  CALL(MatGetDiagonal(ours, a.get()));
  CALL(MatGetDiagonal(theirs, b.get()));
  expect_near(a.get(), b.get(), "MatGetDiagonal");
}

}  // namespace

void expect_same_products(Mat ours, Mat theirs) {
  expect_same_products(ours, theirs, theirs);
  if (same_type(random_vector(ours, 1).get(), random_vector(theirs, 1).get())) return;
  SCOPED_TRACE("vectors of the matrix's own type");
  expect_same_products(ours, theirs, ours);
}

Handle<Mat> rounded_copy(Mat aij, ValuePrecision precision, bool ghosts) {
  Handle<Mat> copy = make<Mat>("MatDuplicate", [&](Mat* m) { return MatDuplicate(aij, MAT_COPY_VALUES, m); });
  PetscInt first = 0, last = 0;
  CALL(MatGetOwnershipRange(aij, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    const PetscScalar* values = nullptr;
    CALL(MatGetRow(aij, i, &count, &columns, &values));
    for (PetscInt k = 0; k < count; ++k) {
      if (!ghosts && (columns[k] < first || columns[k] >= last)) continue;
      const double value = precision == ValuePrecision::fp32 ? double{rounded<float>(values[k])}
                                                             : double{rounded<Bf16>(values[k])};
      CALL(MatSetValue(copy.get(), i, columns[k], value, INSERT_VALUES));
    }
    CALL(MatRestoreRow(aij, i, &count, &columns, &values));
  }
  CALL(MatAssemblyBegin(copy.get(), MAT_FINAL_ASSEMBLY));
  CALL(MatAssemblyEnd(copy.get(), MAT_FINAL_ASSEMBLY));
  return copy;
}

void expect_same(Mat ours, Mat theirs) {
  expect_same_products(ours, theirs);
  expect_same_diagonals(ours, theirs, theirs);
  expect_same_diagonals(ours, theirs, ours);
  for (const NormType type : {NORM_1, NORM_FROBENIUS, NORM_INFINITY}) {
    PetscReal a = -1, b = -2;
    CALL(MatNorm(ours, type, &a));
    CALL(MatNorm(theirs, type, &b));
    EXPECT_NEAR(a, b, 1e-12 * (1 + b)) << "norm " << type;
  }
  PetscInt first = 0, last = 0, wrong = 0;
  CALL(MatGetOwnershipRange(theirs, &first, &last));
  for (PetscInt i = first; i < last; ++i) {  // every entry of AIJ, by both ways of asking
    PetscInt count = 0, our_count = 0;
    const PetscInt *columns = nullptr, *our_columns = nullptr;
    const PetscScalar *values = nullptr, *our_values = nullptr;
    CALL(MatGetRow(theirs, i, &count, &columns, &values));
    std::vector<double> seen(static_cast<std::size_t>(count));
    CALL(MatGetValues(ours, 1, &i, count, columns, seen.data()));
    CALL(MatGetRow(ours, i, &our_count, &our_columns, &our_values));
    double sum = 0, our_sum = 0;
    for (PetscInt k = 0; k < count; ++k) {
      wrong += std::abs(seen[k] - values[k]) > 1e-13 * (1 + std::abs(values[k]));
      sum += values[k] * (columns[k] + 1);
    }
    for (PetscInt k = 0; k < our_count; ++k) {
      our_sum += our_values[k] * (our_columns[k] + 1);
      wrong += k > 0 && our_columns[k - 1] >= our_columns[k];
    }
    wrong += std::abs(sum - our_sum) > 1e-9 * (1 + std::abs(sum));
    CALL(MatRestoreRow(ours, i, &our_count, &our_columns, &our_values));
    CALL(MatRestoreRow(theirs, i, &count, &columns, &values));
  }
  EXPECT_EQ(wrong, 0) << "rows";
}

Pair filled_pair(const Case& c, const std::string& format, Filling how, unsigned salt) {
  Pair p;
  p.grid = make_grid(c);
  p.ours = make_matrix(p.grid.get(), format);
  p.theirs = make_matrix(p.grid.get());
  p.both([&](Mat m) { fill(m, p.grid.get(), c, how, salt); });
  return p;
}

}  // namespace quadrille::type_test
