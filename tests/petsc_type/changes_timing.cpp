// How long it takes to change the values of a matrix of a star stencil on a DMDA, for matrix types side by
// side; medians in ms:
//
//   changes_timing -n 20 -dof 5 -types aij,baij,quadrille                                    the CPU
//   changes_timing -dim 2 -n 512 -dof 2 -repetitions 20
//   changes_timing -n 128 -dof 3 -types aijcusparse,quadrille -vec cuda                      the GPU, with a
//                                                                                            PETSc with CUDA
//   ... -only MatScale,MatShift                                                              these lines
//                                                                                            alone
//
// A refill is MatZeroEntries(), one call for each node (or "in rows" for each row) with all of its values,
// and the assembly. "+ MatMult" is the change with the product after it, which pays for what the change left
// to be done. The products of all types are compared after every line: exits with 1 where they differ.
#include <array>
#include <cmath>
#include <cstdio>

#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/plugin/register.hpp"
#include "timing.hpp"

namespace quadrille::type_timing {
namespace {

struct Options {
  PetscInt dimension = int_option("-dim", 3), n = int_option("-n", 20), dof = int_option("-dof", 5),
           repetitions = int_option("-repetitions", 9);
  std::string types = text_option("-types", "aij,baij,quadrille"), vectors = text_option("-vec", "standard"),
              only = text_option("-only", "");
};

// Where values come from: block (r, c) of a node and its k-th neighbour stands at data(node)[r][k][c].
class Numbers {
 public:
  explicit Numbers(PetscInt dof) : values_(static_cast<std::size_t>(period + 7 * dof * dof)) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = std::sin(static_cast<double>(i));
  }
  const PetscScalar* of(PetscInt node) const { return values_.data() + node * 37 % period; }

 private:
  static constexpr PetscInt period = 4001;
  std::vector<PetscScalar> values_;
};

// What the calls for a node are given: the node, and its neighbours in the grid.
struct NodeRow {
  MatStencil node{};
  PetscInt number = 0, count = 0;  // in the box with ghosts; of neighbours
  std::array<MatStencil, 7> to{};
  std::array<PetscInt, 7> to_number{};
};

template <class Body>
void for_nodes(DM grid, const Body& body) {
  PetscInt x0, y0, z0, nx, ny, nz, gx, gy, gz, mx, my, mz, dimension, all_x, all_y, all_z;
  QUADRILLE_PETSC(DMDAGetInfo(grid, &dimension, &all_x, &all_y, &all_z, nullptr, nullptr, nullptr, nullptr,
                              nullptr, nullptr, nullptr, nullptr, nullptr));
  QUADRILLE_PETSC(DMDAGetCorners(grid, &x0, &y0, &z0, &nx, &ny, &nz));
  QUADRILLE_PETSC(DMDAGetGhostCorners(grid, &gx, &gy, &gz, &mx, &my, &mz));
  const PetscInt steps[7][3] = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0},
                                {1, 0, 0},  {0, 1, 0},  {0, 0, 1}};
  const auto number = [&](PetscInt x, PetscInt y, PetscInt z) {
    return ((z - gz) * my + y - gy) * mx + x - gx;
  };
  for (PetscInt z = z0; z < z0 + nz; ++z)
    for (PetscInt y = y0; y < y0 + ny; ++y)
      for (PetscInt x = x0; x < x0 + nx; ++x) {
        NodeRow row{{z, y, x, 0}, number(x, y, z)};
        for (const auto& [dx, dy, dz] : steps) {
          const PetscInt i = x + dx, j = y + dy, k = z + dz;
          if (i < 0 || i >= all_x || j < 0 || j >= all_y || k < 0 || k >= all_z) continue;
          row.to[row.count] = {k, j, i, 0};
          row.to_number[row.count++] = number(i, j, k);
        }
        body(row);
      }
}

using Refill = void (*)(Mat, DM, PetscInt, const NodeRow&, const PetscScalar*);

void unknowns_of(const NodeRow& row, PetscInt dof, std::vector<MatStencil>& rows,
                 std::vector<MatStencil>& columns) {
  rows.clear();
  columns.clear();
  for (PetscInt r = 0; r < dof; ++r) rows.push_back({row.node.k, row.node.j, row.node.i, r});
  for (PetscInt k = 0; k < row.count; ++k)
    for (PetscInt c = 0; c < dof; ++c) columns.push_back({row.to[k].k, row.to[k].j, row.to[k].i, c});
}

void by_stencil(Mat m, DM, PetscInt dof, const NodeRow& row, const PetscScalar* values) {
  static std::vector<MatStencil> rows, columns;
  unknowns_of(row, dof, rows, columns);
  QUADRILLE_PETSC(
      MatSetValuesStencil(m, dof, rows.data(), row.count * dof, columns.data(), values, INSERT_VALUES));
}

void by_stencil_rows(Mat m, DM, PetscInt dof, const NodeRow& row, const PetscScalar* values) {
  static std::vector<MatStencil> rows, columns;
  unknowns_of(row, dof, rows, columns);
  for (PetscInt r = 0; r < dof; ++r)
    QUADRILLE_PETSC(MatSetValuesStencil(m, 1, &rows[static_cast<std::size_t>(r)], row.count * dof,
                                        columns.data(), values + r * row.count * dof, INSERT_VALUES));
}

void by_blocked_stencil(Mat m, DM, PetscInt, const NodeRow& row, const PetscScalar* values) {
  QUADRILLE_PETSC(
      MatSetValuesBlockedStencil(m, 1, &row.node, row.count, row.to.data(), values, INSERT_VALUES));
}

void by_blocked_local(Mat m, DM, PetscInt, const NodeRow& row, const PetscScalar* values) {
  QUADRILLE_PETSC(
      MatSetValuesBlockedLocal(m, 1, &row.number, row.count, row.to_number.data(), values, INSERT_VALUES));
}

void local_unknowns_of(const NodeRow& row, PetscInt dof, std::vector<PetscInt>& rows,
                       std::vector<PetscInt>& columns) {
  rows.clear();
  columns.clear();
  for (PetscInt r = 0; r < dof; ++r) rows.push_back(row.number * dof + r);
  for (PetscInt k = 0; k < row.count; ++k)
    for (PetscInt c = 0; c < dof; ++c) columns.push_back(row.to_number[k] * dof + c);
}

void by_local(Mat m, DM, PetscInt dof, const NodeRow& row, const PetscScalar* values) {
  static std::vector<PetscInt> rows, columns;
  local_unknowns_of(row, dof, rows, columns);
  QUADRILLE_PETSC(
      MatSetValuesLocal(m, dof, rows.data(), row.count * dof, columns.data(), values, INSERT_VALUES));
}

void by_global(Mat m, DM grid, PetscInt dof, const NodeRow& row, const PetscScalar* values) {
  static std::vector<PetscInt> rows, columns;
  ISLocalToGlobalMapping map = nullptr;
  local_unknowns_of(row, dof, rows, columns);
  const auto count = static_cast<PetscInt>(columns.size());
  QUADRILLE_PETSC(DMGetLocalToGlobalMapping(grid, &map));
  QUADRILLE_PETSC(ISLocalToGlobalMappingApply(map, dof, rows.data(), rows.data()));
  QUADRILLE_PETSC(ISLocalToGlobalMappingApply(map, count, columns.data(), columns.data()));
  QUADRILLE_PETSC(MatSetValues(m, dof, rows.data(), count, columns.data(), values, INSERT_VALUES));
}

void assemble(Mat m) {
  QUADRILLE_PETSC(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
}

void refill(Mat m, DM grid, PetscInt dof, const Numbers& numbers, Refill set) {
  QUADRILLE_PETSC(MatZeroEntries(m));
  PetscInt node = 0;
  for_nodes(grid, [&](const NodeRow& row) { set(m, grid, dof, row, numbers.of(node++)); });
  assemble(m);
}

// A matrix of one type, and what its changes need.
struct Subject {
  Handle<Mat> matrix, other;
  Handle<Vec> left, right, diagonal, x, y;
};

Subject subject(DM grid, const Options& o, const std::string& type, const Numbers& numbers) {
  QUADRILLE_PETSC(DMSetMatType(grid, type.c_str()));
  Subject s;
  s.matrix = make<Mat>("DMCreateMatrix", [&](Mat* m) { return DMCreateMatrix(grid, m); });
  s.other = make<Mat>("DMCreateMatrix", [&](Mat* m) { return DMCreateMatrix(grid, m); });
  refill(s.matrix.get(), grid, o.dof, numbers, by_blocked_local);
  refill(s.other.get(), grid, o.dof, numbers, by_blocked_local);
  for (Handle<Vec>* const v : {&s.left, &s.right, &s.diagonal, &s.x, &s.y}) {
    Vec made = nullptr;
    QUADRILLE_PETSC(MatCreateVecs(s.matrix.get(), &made, nullptr));
    v->reset(made);
    QUADRILLE_PETSC(VecSet(made, v == &s.left ? 0.5 : 2));
  }
  return s;
}

struct Line {
  std::string name;
  std::function<void(const Subject&)> change;
};

std::vector<Line> lines_of(DM grid, const Options& o, const Numbers& numbers) {
  std::vector<Line> lines;
  const auto add_refill = [&](const char* name, Refill set) {
    lines.push_back(
        {name, [=, &numbers](const Subject& s) { refill(s.matrix.get(), grid, o.dof, numbers, set); }});
  };
  add_refill("refill by Stencil", by_stencil);
  add_refill("refill by Stencil in rows", by_stencil_rows);
  add_refill("refill by BlockedStencil", by_blocked_stencil);
  add_refill("refill by Local", by_local);
  add_refill("refill by BlockedLocal", by_blocked_local);
  add_refill("refill by MatSetValues", by_global);
  const auto product = [](const Subject& s) {
    QUADRILLE_PETSC(MatMult(s.matrix.get(), s.x.get(), s.y.get()));
  };
  lines.push_back({"MatMult", product});
  const auto add = [&](const std::string& name, const std::function<void(const Subject&)>& change) {
    lines.push_back({name, change});
    if (name != "MatGetDiagonal" && name != "MatDuplicate")
      lines.push_back({name + " + MatMult", [=](const Subject& s) {
                         change(s);
                         product(s);
                       }});
  };
  add("MatZeroEntries", [](const Subject& s) { QUADRILLE_PETSC(MatZeroEntries(s.matrix.get())); });
  add("MatCopy", [](const Subject& s) {
    QUADRILLE_PETSC(MatCopy(s.other.get(), s.matrix.get(), SAME_NONZERO_PATTERN));
  });
  add("MatScale", [](const Subject& s) { QUADRILLE_PETSC(MatScale(s.matrix.get(), -1)); });
  add("MatShift", [](const Subject& s) { QUADRILLE_PETSC(MatShift(s.matrix.get(), 0.25)); });
  add("MatDiagonalScale", [](const Subject& s) {
    QUADRILLE_PETSC(MatDiagonalScale(s.matrix.get(), s.left.get(), s.right.get()));
  });
  add("MatDiagonalSet",
      [](const Subject& s) { QUADRILLE_PETSC(MatDiagonalSet(s.matrix.get(), s.left.get(), ADD_VALUES)); });
  add("MatAXPY", [](const Subject& s) {
    QUADRILLE_PETSC(MatAXPY(s.matrix.get(), 0.5, s.other.get(), SAME_NONZERO_PATTERN));
  });
  add("MatGetDiagonal",
      [](const Subject& s) { QUADRILLE_PETSC(MatGetDiagonal(s.matrix.get(), s.diagonal.get())); });
  add("MatDuplicate", [](const Subject& s) {
    Mat copy = nullptr;
    QUADRILLE_PETSC(MatDuplicate(s.matrix.get(), MAT_COPY_VALUES, &copy));
    QUADRILLE_PETSC(MatDestroy(&copy));
  });
  return lines;
}

double median_ms(PetscInt repetitions, const std::function<void()>& work) {
  work();
  std::vector<double> ms;
  for (PetscInt i = 0; i < repetitions; ++i) ms.push_back(ms_of(work));
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

bool run() {
  petsc::register_matrix_type();
  const Options o;
  const Handle<DM> grid = make_grid(o.dimension, o.n, o.dof, o.vectors);
  const Numbers numbers(o.dof);
  const std::vector<std::string> types = words_of(o.types), only = words_of(o.only);
  std::vector<Subject> subjects;
  for (const std::string& type : types) subjects.push_back(subject(grid.get(), o, type, numbers));
  QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD,
                              "%d^%d nodes, %d unknowns, vectors %s; medians of %d in ms\n%-34s",
                              static_cast<int>(o.n), static_cast<int>(o.dimension), static_cast<int>(o.dof),
                              o.vectors.c_str(), static_cast<int>(o.repetitions), ""));
  for (const std::string& type : types) QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, "%14s", type.c_str()));
  bool same = true;
  for (const Line& line : lines_of(grid.get(), o, numbers)) {
    if (!only.empty() && std::find(only.begin(), only.end(), line.name) == only.end()) continue;
    QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, "\n%-34s", line.name.c_str()));
    Handle<Vec> expected;
    for (const Subject& s : subjects) {
      const double ms = median_ms(o.repetitions, [&] { line.change(s); });
      QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, "%14.3f", ms));
      Handle<Vec> y = product_of(s.matrix.get());
      if (!expected) {
        expected = std::move(y);
      } else if (const double off = off_by(y.get(), expected.get()); !(off <= 1e-12)) {
        same = false;
        QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, " (off by %g)", off));
      }
    }
  }
  QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  return same;
}

}  // namespace
}  // namespace quadrille::type_timing

int main(int argc, char** argv) {
  try {
    const quadrille::petsc::Session session({argv + 1, argv + argc});
    return quadrille::type_timing::run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "changes_timing: %s\n", error.what());
    return 3;
  }
}
