// A format by hand, without PETSc: block diagonals of 2 unknowns a node on a line, of which every other
// format is made by its name; all of them give the same product.
#include <cstdio>
#include <quadrille/products.hpp>
using namespace quadrille;

int main() {
  // -1 C -1 on a line of nodes, C = (4 1; 0 3): values[(diagonal * dof + column) * rows + row].
  BlockDiagonals<double> a;
  a.extents = {6, 1, 1};
  a.dof = 2;
  a.offsets = {{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}};
  const std::int64_t rows = a.rows();
  a.values = Array<double>(a.diagonals() * a.dof * rows, 0.0);
  const auto entry = [&](int diagonal, int column, std::int64_t node, int r) -> double& {
    return a.values[(diagonal * a.dof + column) * rows + node * a.dof + r];
  };
  for (std::int64_t node = 0; node < a.nodes(); ++node) {
    for (int r = 0; r < 2; ++r) {
      if (node > 0) entry(0, r, node, r) = -1;
      if (node + 1 < a.nodes()) entry(2, r, node, r) = -1;
    }
    entry(1, 0, node, 0) = 4, entry(1, 1, node, 0) = 1, entry(1, 1, node, 1) = 3;
  }
  validate(a);

  const std::vector<double> x(static_cast<std::size_t>(rows), 1.0);
  const FormatInput<double> input = input_of(std::move(a));
  for (const FormatTraits& format : format_traits()) {
    std::vector<double> y(x.size());
    const auto op = make_operator(format.name, SpaceKind::cpu, input);
    op->apply(x.data(), y.data());
    double sum = 0;
    for (const double number : y) sum += number;
    std::printf("%-7s %5d bytes, sum of A x = %g\n", format.name.c_str(),
                static_cast<int>(op->traffic().stored_bytes), sum);
  }
  try {
    make_operator("cdz", SpaceKind::cpu, input);
  } catch (const FormatError& error) {
    std::puts(error.what());
  }
}
