// random_comparison [--seconds N] [--seed S] [--case K] [--space cpu|cuda|auto]
//
// Draws operators at random until the time is over and applies every registry entry that can hold them, A x
// and A^T x: against PETSc row by row, bitwise on integers, y and what stands behind x and y filled with NaN.
// Case K depends on (S, K) only: `--seed S --case K` repeats one case.
// Ends with 0 when every product was right, 1 after the first wrong one, 2 for bad usage, 77 without the GPU
// that --space cuda asks for.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include "draw_cases.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/host_apply.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/aij/reference.hpp"
#include "kernels/petsc/base/session.hpp"

namespace quadrille {
namespace {

struct Arguments {
  double seconds = 10;
  std::uint32_t seed = 1;
  std::optional<std::uint32_t> only_case;
  std::string space = "auto";
};

// What was done in one space.
struct Tally {
  std::int64_t products = 0, refusals = 0;
  std::map<std::string, std::int64_t> refusals_by_name;
  double worst = 0;  // error over bound
};

// A wrong product, or an error that no format may end with.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One product of one operator: input, what PETSc says, and the check.
template <class T>
class Expected {
 public:
  // y = A x for this A.
  Expected(const Csr<T>& csr, bool integer, unsigned seed)
      : rows_(csr.rows), integer_(integer), x_(test_vector<T>(csr.columns, integer, seed)) {
    const std::vector<double> x(x_.begin(), x_.end());
    reference_.emplace(cast<double>(csr), x.data(), std::numeric_limits<T>::max());
    x_.resize(x_.size() + guard, nan);
  }

  // Calls product(x, y) with vectors on the host. Returns the largest error over its bound.
  template <class Apply>
  double check(const Apply& product) const {
    std::vector<T> y(static_cast<std::size_t>(rows_) + guard, nan);
    product(x_, y);
    for (std::size_t i = static_cast<std::size_t>(rows_); i < y.size(); ++i)
      if (!std::isnan(y[i])) throw Failure("writes behind the end of y");
    const CheckResult result = reference_->compare(y.data());
    if (!(result.error_over_bound <= (integer_ ? 0 : 1))) {
      char text[160];
      std::snprintf(text, sizeof text, "is wrong in row %lld: %.17g for %.17g, %.3g times the bound",
                    static_cast<long long>(result.worst_row), result.y, result.y_ref,
                    result.error_over_bound);
      throw Failure(text);
    }
    return result.error_over_bound;
  }

 private:
  static constexpr std::size_t guard = 64;
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  std::int64_t rows_;
  bool integer_;
  std::vector<T> x_;
  std::optional<petsc::Reference> reference_;
};

class Comparison {
 public:
  explicit Comparison(const Arguments& arguments)
      : arguments_(arguments),
        end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>(arguments.seconds))) {
    if (arguments.space != "cuda") tallies_[SpaceKind::cpu];
    if (arguments.space != "cpu" && cuda::device_count() > 0) tallies_[SpaceKind::cuda];
  }

  bool has_a_space() const { return !tallies_.empty(); }

  // The exit code.
  int run() {
    std::uint32_t number = arguments_.only_case.value_or(0);
    do {
      std::seed_seq sequence{arguments_.seed, number};
      std::mt19937 random(sequence);
      const bool is_double = draw(random, 0, 1) == 0;
      try {
        if (!(is_double ? compare<double>(random, number) : compare<float>(random, number))) return 1;
      } catch (const std::exception& error) {
        std::cerr << "random_comparison: cannot make case " << number << " of seed " << arguments_.seed
                  << ": " << error.what() << "\n";
        return 1;
      }
      ++number;
    } while (!arguments_.only_case && !time_is_over());
    print(arguments_.only_case ? 1 : number);
    return 0;
  }

 private:
  bool time_is_over() const { return !arguments_.only_case && std::chrono::steady_clock::now() >= end_; }

  // One case; false after a failure. The time may end it early.
  template <class T>
  bool compare(std::mt19937& random, std::uint32_t number) {
    const bool integer = draw(random, 0, 1) == 0;
    const Case<T> c =
        draw(random, 0, 3) == 0 ? draw_matrix_case<T>(random, integer) : draw_grid_case<T>(random, integer);
    const unsigned seed = random();
    const Expected<T> plain(*c.source.csr, integer, seed);
    const Expected<T> transpose(transposed(*c.source.csr), integer, seed + 1);
    vectors_ = draw(random, 2, 9);
    place_ = draw(random, 0, vectors_ - 1);
    for (const FormatEntry& entry : petsc::all_products()) {
      if (!tallies_.contains(entry.space) || !entry.make<T>() || time_is_over()) continue;
      std::string what = "construction";
      try {
        compare(entry, c, plain, transpose, tallies_[entry.space], what);
      } catch (const std::exception& error) {
        std::cerr << "random_comparison: " << entry.name << " on " << to_string(entry.space)
                  << (sizeof(T) == 8 ? " fp64, " : " fp32, ") << what << ": " << error.what() << "\n"
                  << "  " << c.name << (integer ? ", integers" : ", random values") << "; "
                  << describe(c.options) << "\n"
                  << "  to repeat: random_comparison --seed " << arguments_.seed << " --case " << number
                  << " --space " << to_string(entry.space) << "\n";
        return false;
      }
    }
    return true;
  }

  template <class T>
  void compare(const FormatEntry& entry, const Case<T>& c, const Expected<T>& plain,
               const Expected<T>& transpose, Tally& tally, std::string& what) {
    std::unique_ptr<SpmvOperator<T>> op;
    try {
      op = entry.make<T>()(c.source, c.options);
    } catch (const FormatError&) {
    } catch (const MemoryError&) {
    }
    if (!op) {
      ++tally.refusals;
      ++tally.refusals_by_name[entry.name];
      return;
    }
    if (refuses(entry, c)) throw Failure("takes what it must refuse");
    what = "A x";
    const auto forward = [&](const auto& x, auto& y) { host_apply(*op, x, y); };
    tally.worst = std::max(tally.worst, plain.check(forward));
    ++tally.products;
    what = "A X";
    const auto among_others = [&](const auto& x, auto& y) { apply_among_others(*op, x, y); };
    tally.worst = std::max(tally.worst, plain.check(among_others));
    ++tally.products;
    if (!op->has_transpose()) return;
    what = "A^T x";
    const auto backward = [&](const auto& x, auto& y) { host_apply_transpose(*op, x, y); };
    tally.worst = std::max(tally.worst, transpose.check(backward));
    ++tally.products;
  }

  // y = A x as one of several vectors of a product, the others full of NaN.
  template <class T>
  void apply_among_others(const SpmvOperator<T>& op, const std::vector<T>& x, std::vector<T>& y) const {
    const std::int64_t rows = op.rows(), columns = op.columns(),
                       behind = static_cast<std::int64_t>(y.size()) - rows;
    std::vector<T> all_x(static_cast<std::size_t>(vectors_ * columns + behind),
                         std::numeric_limits<T>::quiet_NaN());
    std::vector<T> all_y(static_cast<std::size_t>(vectors_ * rows + behind),
                         std::numeric_limits<T>::quiet_NaN());
    std::copy(x.begin(), x.begin() + columns, all_x.begin() + place_ * columns);
    host_apply_multiple(op, all_x, all_y, vectors_);
    std::copy(all_y.begin() + place_ * rows, all_y.begin() + (place_ + 1) * rows, y.begin());
    std::copy(all_y.end() - behind, all_y.end(), y.begin() + rows);
  }

  void print(std::uint32_t cases) const {
    std::cout << cases << " cases of seed " << arguments_.seed;
    for (const auto& [space, tally] : tallies_) {
      std::cout << "; " << to_string(space) << ": " << tally.products << " products right, worst error "
                << tally.worst << " of its bound, " << tally.refusals << " operators refused";
      for (const auto& [name, count] : tally.refusals_by_name)
        std::cout << (name == tally.refusals_by_name.begin()->first ? " (" : ", ") << name << " " << count;
      std::cout << (tally.refusals > 0 ? ")" : "");
    }
    std::cout << std::endl;
  }

  const Arguments& arguments_;
  int vectors_ = 1, place_ = 0;  // of this case's product with several
  std::chrono::steady_clock::time_point end_;
  std::map<SpaceKind, Tally> tallies_;
};

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    if (i + 1 == count) throw std::invalid_argument(name + " needs a value");
    const std::string value = words[i + 1];
    const auto whole = [&] { return static_cast<std::uint32_t>(std::stoul(value)); };
    if (name == "--seconds")
      arguments.seconds = std::stod(value);
    else if (name == "--seed")
      arguments.seed = whole();
    else if (name == "--case")
      arguments.only_case = whole();
    else if (name == "--space" && (value == "auto" || value == "cpu" || value == "cuda"))
      arguments.space = value;
    else
      throw std::invalid_argument(name + " " + value + " is not understood");
  }
  return arguments;
}

}  // namespace
}  // namespace quadrille

int main(int count, char** words) {
  quadrille::Arguments arguments;
  try {
    arguments = quadrille::parse(count, words);
  } catch (const std::exception& error) {
    std::cerr << "random_comparison: " << error.what()
              << "\nusage: random_comparison [--seconds N] [--seed S] [--case K] [--space cpu|cuda|auto]\n";
    return 2;
  }
  const quadrille::petsc::Session session;
  quadrille::Comparison comparison(arguments);
  if (!comparison.has_a_space()) {
    std::cout << "skipped: no GPU\n";
    return 77;
  }
  return comparison.run();
}
