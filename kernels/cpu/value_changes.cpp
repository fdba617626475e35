// Changes of stored values on the CPU. Where rows and columns are scaled, a thread takes a run of nodes in
// all block diagonals: its parts of both vectors stay in the first caches.
#include "kernels/value_changes.hpp"

#include "formats/intervals.hpp"
#include "formats/threads.hpp"

namespace quadrille::cpu {
namespace {

constexpr std::int64_t run_rows = 2048;

// body(row, its place on the diagonal)
template <class Body>
void for_diagonal(const BlockStructure& s, const Body& body) {
  const std::int64_t first = first_on_diagonal(s), rows = s.rows(), dof = s.dof;
#pragma omp parallel for schedule(static)
  for (std::int64_t node = 0; node < s.nodes(); ++node)
    for (std::int64_t r = 0; r < dof; ++r) body(node * dof + r, first + r * rows + node * dof + r);
}

void scale_column(double* __restrict values, std::int64_t nodes, std::int64_t dof, const double* left,
                  const double* right) {
  for (std::int64_t node = 0; node < nodes; ++node)
    for (std::int64_t r = 0; r < dof; ++r) {
      double& value = values[node * dof + r];
      if (left != nullptr) value *= left[node * dof + r];
      if (right != nullptr) value *= right[node * dof];
    }
}

}  // namespace

void scale(double factor, Array<double>& values) {
  double* const v = values.data();
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < values.size(); ++i) v[i] *= factor;
}

void add(double factor, const Array<double>& from, Array<double>& to) {
  const double* const a = from.data();
  double* const b = to.data();
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < to.size(); ++i) b[i] += factor * a[i];
}

void shift(double value, BlockDiagonals<double>& a) {
  for_diagonal(a, [=, v = a.values.data()](std::int64_t, std::int64_t place) { v[place] += value; });
}

void set_diagonal(const double* d, bool add, BlockDiagonals<double>& a) {
  for_diagonal(a, [=, v = a.values.data()](std::int64_t row, std::int64_t place) {
    v[place] = add ? v[place] + d[row] : d[row];
  });
}

void get_diagonal(const BlockDiagonals<double>& a, double* d) {
  for_diagonal(a, [=, v = a.values.data()](std::int64_t row, std::int64_t place) { d[row] = v[place]; });
}

void scale_rows_and_columns(const TwoDiagonals& by, BlockDiagonals<double>& a) {
  const std::int64_t rows = a.rows(), dof = a.dof, run = std::max<std::int64_t>(1, run_rows / dof);
#pragma omp parallel for schedule(static)
  for (std::int64_t begin = 0; begin < a.nodes(); begin += run)
    for (std::int64_t d = 0; d < a.diagonals(); ++d)
      for_each_interval(a, a.offsets[d], begin, std::min(a.nodes(), begin + run),
                        [&](std::int64_t first, std::int64_t count, std::int64_t neighbour) {
                          for (std::int64_t c = 0; c < dof; ++c)
                            scale_column(a.values.data() + (d * dof + c) * rows + first * dof, count, dof,
                                         by.left == nullptr ? nullptr : by.left + first * dof,
                                         by.right == nullptr ? nullptr : by.right + neighbour * dof + c);
                        });
}

void scale_rows_and_columns(const TwoDiagonals& by, const Array<std::int32_t>& row_of, Csr<double>& a) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int32_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      if (by.left != nullptr) a.value[k] *= by.left[row_of[i]];
      if (by.right != nullptr) a.value[k] *= by.right[a.column[k]];
    }
}

void copy_first(const FirstOfNodes& of, const double* from, double* to) {
#pragma omp parallel for schedule(static) if (of.nodes > worth_threads)
  for (std::int64_t node = 0; node < of.nodes; ++node)
    for (int i = 0; i < of.count; ++i) {
      double& there = to[node * of.to + i];
      there = of.add ? there + from[node * of.from + i] : from[node * of.from + i];
    }
}

void take_unknowns(const BlockDiagonals<double>& from, const UnknownsOfBlocks& unknowns,
                   BlockDiagonals<double>& to) {
  constexpr int none = UnknownsOfBlocks::no_unknown;
  const std::int64_t columns = to.diagonals() * to.dof, nodes = to.nodes();
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < columns; ++k) {
    const std::int64_t d = k / to.dof, c = unknowns.columns[static_cast<std::size_t>(k - d * to.dof)];
    const double* const all = from.values.data() + (d * from.dof + c) * from.rows();
    double* some = to.values.data() + k * to.rows();
    for (std::int64_t node = 0; node < nodes; ++node)
      for (const int r : unknowns.rows) *some++ = c == none || r == none ? 0 : all[node * from.dof + r];
  }
}

}  // namespace quadrille::cpu
