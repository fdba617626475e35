#include "drivers/support/product_check.hpp"

#include <algorithm>
#include <limits>

#include "assembly/pde/counter_hash.hpp"
#include "formats/csc.hpp"
#include "kernels/product.hpp"

namespace quadrille {
namespace {

constexpr int slabs_between = 14;
constexpr std::int64_t rows_wanted = 1 << 20, entries_wanted = 1 << 25;

std::string lines_text(const std::vector<LineRange>& slabs) {
  std::string text;
  for (const LineRange& slab : slabs) {
    text += (text.empty() ? "" : ", ") + std::to_string(slab.first);
    if (slab.count > 1) text += "-" + std::to_string(slab.first + slab.count - 1);
  }
  return text;
}

}  // namespace

std::vector<LineRange> random_slabs(std::int64_t lines, std::int64_t count, int between, std::uint64_t seed) {
  count = std::clamp<std::int64_t>(count, 1, lines);
  if (lines / count < between + 2) return {{0, lines}};
  // One slab somewhere in each of `between` equal parts of the lines that the first and the last slab leave.
  const std::int64_t inner = lines - 2 * count;
  std::vector<LineRange> slabs{{0, count}};
  for (int i = 0; i < between; ++i) {
    const std::int64_t begin = count + inner * i / between, end = count + inner * (i + 1) / between;
    const auto starts = static_cast<std::uint64_t>(end - begin - count + 1);
    slabs.push_back({begin + static_cast<std::int64_t>(counter_hash(seed, i) % starts), count});
  }
  slabs.push_back({lines - count, count});
  return slabs;
}

template <class T>
ProductCheck<T>::ProductCheck(const Options& options, const OperatorSource<T>& op, const std::vector<T>& x) {
  const ProductSize size = vector_size(options.product, op.rows, op.columns);
  std::vector<double> converted;
  if constexpr (!std::is_same_v<T, double>) converted.assign(x.begin(), x.end());
  const double* in_double = nullptr;
  if constexpr (std::is_same_v<T, double>)
    in_double = x.data();
  else
    in_double = converted.data();
  const auto add = [&](const Csr<double>& csr, std::int64_t first_row) {
    for (int v = 0; v < options.product.vectors; ++v)
      parts_.push_back({v * size.y, first_row,
                        petsc::Reference(csr, in_double + v * size.x, std::numeric_limits<T>::max())});
  };
  const auto add_rows = [&](const Csr<T>& csr, std::int64_t first_row) {
    if constexpr (std::is_same_v<T, double>)
      add(csr, first_row);
    else
      add(cast<double>(csr), first_row);
  };
  if (op.source.csr) {
    if (options.product.transposed)
      add_rows(transposed(*op.source.csr), 0);
    else
      add_rows(*op.source.csr, 0);
    return;
  }
  if (options.product.transposed)
    throw FormatError(
        "the transposed product of an operator too large for CSR cannot be checked; choose a "
        "smaller grid or fewer DoF");
  const std::int64_t lines = whole_box(options.grid.extents).lines(),
                     rows_per_line = options.grid.extents[0] * options.grid.dof;
  const std::int64_t per_slab =
      std::min(rows_wanted, entries_wanted / std::max<std::int64_t>(1, op.nnz / op.rows)) /
      (slabs_between + 2) / rows_per_line;
  const std::vector<LineRange> slabs = random_slabs(lines, per_slab, slabs_between, options.seed);
  const std::vector<Csr<T>> csr = load_rows<T>(options, slabs);
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    add_rows(csr[i], slabs[i].first * rows_per_line);
    rows += csr[i].rows;
  }
  rows_checked_ =
      std::to_string(rows) + " rows in slabs of lines " + lines_text(slabs) + " of " + std::to_string(lines);
}

template <class T>
CheckResult ProductCheck<T>::compare(const T* y, double value_error) const {
  CheckResult worst;
  for (const Part& part : parts_) {
    CheckResult check = part.reference.compare(y + part.vector_begin + part.first_row, value_error);
    const bool worse = worst.worst_row < 0 || check.error_over_bound > worst.error_over_bound;
    if (check.worst_row < 0 || !worse) continue;
    check.worst_row += part.first_row;
    worst = check;
  }
  return worst;
}

template <class T>
std::int64_t ProductCheck<T>::non_finite_rows() const {
  std::int64_t rows = 0;
  for (const Part& part : parts_) rows += part.reference.non_finite_rows();
  return rows;
}

template class ProductCheck<float>;
template class ProductCheck<double>;

}  // namespace quadrille
