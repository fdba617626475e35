#include "drivers/support/product_check.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "assembly/pde/counter_hash.hpp"

namespace quadrille {
namespace {

constexpr int slabs_between = 14;
constexpr std::int64_t rows_wanted = 1 << 20, entries_wanted = 1 << 25;

// PETSc computes in double; `largest` is the largest number of the arithmetic under test.
template <class T>
petsc::Reference reference_of(const Csr<T>& csr, const std::vector<double>& x) {
  if constexpr (std::is_same_v<T, double>)
    return petsc::Reference(csr, x.data());
  else
    return petsc::Reference(cast<double>(csr), x.data(), std::numeric_limits<T>::max());
}

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
  const std::int64_t places =
      lines / count;  // slabs start at multiples of count, the last one ends at the end
  if (places <= between + 2) return {{0, lines}};
  std::set<std::int64_t> starts{0, lines - count};
  for (std::uint64_t i = 0; starts.size() < static_cast<std::size_t>(between) + 2; ++i)
    starts.insert(static_cast<std::int64_t>(counter_hash(seed, i) % static_cast<std::uint64_t>(places - 1)) *
                  count);
  std::vector<LineRange> slabs;
  for (const std::int64_t start : starts) slabs.push_back({start, count});
  return slabs;
}

template <class T>
ProductCheck<T>::ProductCheck(const Options& options, const OperatorSource<T>& op, const std::vector<T>& x) {
  std::vector<double> converted;
  const std::vector<double>* in_double = nullptr;
  if constexpr (std::is_same_v<T, double>) {
    in_double = &x;
  } else {
    converted.assign(x.begin(), x.end());
    in_double = &converted;
  }
  if (op.source.csr) {
    parts_.push_back({0, reference_of(*op.source.csr, *in_double)});
    return;
  }
  const std::int64_t lines = all_lines(options.grid).count,
                     rows_per_line = options.grid.extents[0] * options.grid.dof;
  const std::int64_t per_slab =
      std::min(rows_wanted, entries_wanted / std::max<std::int64_t>(1, op.nnz / op.rows)) /
      (slabs_between + 2) / rows_per_line;
  const std::vector<LineRange> slabs = random_slabs(lines, per_slab, slabs_between, options.seed);
  const std::vector<Csr<T>> csr = load_rows<T>(options, slabs);
  std::int64_t rows = 0;
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    parts_.push_back({slabs[i].first * rows_per_line, reference_of(csr[i], *in_double)});
    rows += csr[i].rows;
  }
  rows_checked_ =
      std::to_string(rows) + " rows in slabs of lines " + lines_text(slabs) + " of " + std::to_string(lines);
}

template <class T>
petsc::CheckResult ProductCheck<T>::compare(const T* y) const {
  petsc::CheckResult worst;
  for (const Part& part : parts_) {
    petsc::CheckResult check = part.reference.compare(y + part.first_row);
    if (check.worst_row < 0 || (worst.worst_row >= 0 && !(check.error_over_bound > worst.error_over_bound)))
      continue;
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
