// How long MatMult takes where the unknowns of a node react with each other and spread each by itself: blocks
// with a dense centre and diagonal neighbours, of a star stencil on a DMDA. For AIJ with DMDASetBlockFills,
// for AIJ without, which stores the zeros of the neighbours, and for formats of the type quadrille:
//
//   OMP_NUM_THREADS=1 fills_timing -n 64 -dof 3 -formats csr,dia,cds,bcsr
//
// Rounds of one product of each, medians and shortest times in ms; the products are compared: exits with 1
// where they differ.
#include <cmath>
#include <cstdio>
#include <exception>

#include "kernels/petsc/base/session.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/plugin/register.hpp"
#include "timing.hpp"

namespace quadrille::type_timing {
namespace {

struct Line {
  std::string name;
  Handle<Mat> matrix;
  std::vector<double> ms{};
};

// Row and column say the value.
double value_at(PetscInt row, PetscInt column) {
  return std::sin(1e-3 * static_cast<double>(row)) + std::cos(1.0 + static_cast<double>(column));
}

// The values that couple; MatGetRow of a matrix with the fill tells where they are.
void set_values(Mat m, const std::vector<std::vector<PetscInt>>& places, PetscInt first) {
  std::vector<double> values;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PetscInt row = first + static_cast<PetscInt>(i);
    values.clear();
    for (const PetscInt column : places[i]) values.push_back(value_at(row, column));
    QUADRILLE_PETSC(MatSetValues(m, 1, &row, static_cast<PetscInt>(values.size()), places[i].data(),
                                 values.data(), INSERT_VALUES));
  }
  QUADRILLE_PETSC(MatAssemblyBegin(m, MAT_FINAL_ASSEMBLY));
  QUADRILLE_PETSC(MatAssemblyEnd(m, MAT_FINAL_ASSEMBLY));
}

std::vector<std::vector<PetscInt>> places_of(Mat m) {
  PetscInt first = 0, last = 0;
  QUADRILLE_PETSC(MatGetOwnershipRange(m, &first, &last));
  std::vector<std::vector<PetscInt>> places;
  for (PetscInt row = first; row < last; ++row) {
    PetscInt count = 0;
    const PetscInt* columns = nullptr;
    QUADRILLE_PETSC(MatGetRow(m, row, &count, &columns, nullptr));
    places.emplace_back(columns, columns + count);
    QUADRILLE_PETSC(MatRestoreRow(m, row, &count, &columns, nullptr));
  }
  return places;
}

Line make_line(DM grid, const std::string& name, const std::string& format) {
  QUADRILLE_PETSC(DMSetMatType(grid, format.empty() ? MATAIJ : "quadrille"));
  if (!format.empty())
    QUADRILLE_PETSC(PetscOptionsSetValue(nullptr, "-mat_quadrille_format", format.c_str()));
  return {name, make<Mat>("DMCreateMatrix", [&](Mat* m) { return DMCreateMatrix(grid, m); })};
}

int run() {
  const PetscInt n = int_option("-n", 64), dof = int_option("-dof", 3),
                 repetitions = int_option("-repetitions", 21);
  petsc::register_matrix_type();
  std::vector<PetscInt> centre(static_cast<std::size_t>(dof * dof), 1), beside(centre.size(), 0);
  for (PetscInt r = 0; r < dof; ++r) beside[static_cast<std::size_t>(r * dof + r)] = 1;
  const Handle<DM> plain = make_grid(3, n, dof, VECSTANDARD), grid = make_grid(3, n, dof, VECSTANDARD);
  QUADRILLE_PETSC(DMDASetBlockFills(grid.get(), centre.data(), beside.data()));
  std::vector<Line> lines;
  lines.push_back(make_line(grid.get(), "AIJ with block fills", ""));
  lines.push_back(make_line(plain.get(), "AIJ without", ""));
  for (const std::string& format : words_of(text_option("-formats", "csr,dia,cds,bcsr")))
    lines.push_back(make_line(grid.get(), format, format));
  PetscInt first = 0;
  QUADRILLE_PETSC(MatGetOwnershipRange(lines[0].matrix.get(), &first, nullptr));
  const auto places = places_of(lines[0].matrix.get());
  double off = 0;
  Handle<Vec> expected;
  for (const Line& line : lines) {
    set_values(line.matrix.get(), places, first);
    Handle<Vec> y = product_of(line.matrix.get());
    if (!expected)
      expected = std::move(y);
    else
      off = std::max(off, off_by(y.get(), expected.get()));
  }
  const Handle<Vec> y = make<Vec>("VecDuplicate", [&](Vec* v) { return VecDuplicate(expected.get(), v); });
  for (PetscInt i = 0; i < repetitions; ++i)
    for (Line& line : lines)
      line.ms.push_back(ms_of([&] { QUADRILLE_PETSC(MatMult(line.matrix.get(), expected.get(), y.get())); }));
  double of_first = 0;
  for (Line& line : lines) {
    std::sort(line.ms.begin(), line.ms.end());
    const double median = line.ms[line.ms.size() / 2];
    if (of_first == 0) of_first = median;
    QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD,
                                "%-22s %8.3f ms (shortest %8.3f), %5.2f times the first, %12lld bytes\n",
                                line.name.c_str(), median, line.ms[0], median / of_first,
                                static_cast<long long>(petsc::stored_bytes(line.matrix.get()))));
  }
  if (off <= 1e-13) return 0;
  QUADRILLE_PETSC(PetscPrintf(PETSC_COMM_WORLD, "the products differ by %g\n", off));
  return 1;
}

}  // namespace
}  // namespace quadrille::type_timing

int main(int argc, char** argv) {
  try {
    const quadrille::petsc::Session session({argv + 1, argv + argc});
    return quadrille::type_timing::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fills_timing: %s\n", error.what());
    return 3;
  }
}
