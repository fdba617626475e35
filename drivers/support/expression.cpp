#include "drivers/support/expression.hpp"

#include <muParser.h>
#include <omp.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numbers>
#include <span>
#include <string_view>

#include "grid/error.hpp"

namespace quadrille {
namespace {

// A parser of its own for each thread: muParser's keep the numbers of an evaluation.
class Formulas {
 public:
  Formulas(const std::string& text, bool in_time) {
    parser_.DefineVar("x", &x_);
    parser_.DefineVar("y", &y_);
    parser_.DefineVar("z", &z_);
    if (in_time) parser_.DefineVar("t", &t_);
    parser_.DefineConst("pi", std::numbers::pi);
    parser_.SetExpr(text);
  }
  Formulas(const Formulas&) = delete;
  Formulas& operator=(const Formulas&) = delete;

  void set_time(double t_s) { t_ = t_s; }
  bool has_time() { return parser_.GetUsedVar().contains("t"); }
  std::span<const double> at(double x, double y, double z) {
    x_ = x;
    y_ = y;
    z_ = z;
    int count = 0;
    const double* const numbers = parser_.Eval(count);
    return {numbers, static_cast<std::size_t>(count)};
  }

 private:
  mu::Parser parser_;
  double x_ = 0, y_ = 0, z_ = 0, t_ = 0;
};

// muParser's would give another value to x, and most who write one mean a comparison.
void refuse_assignment(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const bool two = i + 1 < text.size() && text[i + 1] == '=';
    const bool compares =
        two || (i > 0 && std::string_view("<>!").find(text[i - 1]) != std::string_view::npos);
    if (!compares)
      throw InputError("'=' at position " + std::to_string(i) + " is no comparison; equality is '=='");
    i += two;
  }
}

// ask(Formulas), with muParser's reason where it does not understand them.
template <class Ask>
auto asked(const std::string& text, bool in_time, const Ask& ask) {
  refuse_assignment(text);
  try {
    Formulas formulas(text, in_time);
    return ask(formulas);
  } catch (const mu::Parser::exception_type& error) {
    std::string reason = error.GetMsg();
    while (!reason.empty() && (reason.back() == '.' || reason.back() == ' ')) reason.pop_back();
    if (reason.find("position") == std::string::npos && error.GetPos() >= 0)
      reason += " at position " +
                std::to_string(std::min(error.GetPos(), static_cast<int>(text.size())));  // it adds a space
    throw InputError(reason);
  }
}

}  // namespace

int count_of_formulas(const std::string& text, bool in_time) {
  return asked(text, in_time, [](Formulas& f) { return static_cast<int>(f.at(0, 0, 0).size()); });
}

bool depends_on_time(const std::string& text) {
  return asked(text, true, [](Formulas& f) { return f.has_time(); });
}

std::vector<double> values_of_formulas(const std::string& text, const Grid& grid, const NodeBox& box,
                                       int unknowns, std::optional<double> t_s) {
  const int count = count_of_formulas(text, t_s.has_value());
  if (count != 1 && count != unknowns)
    throw InputError("gives " + std::to_string(count) + " numbers with commas between; give one, or " +
                     std::to_string(unknowns) + ", one of each unknown of a node");
  std::vector<double> values(static_cast<std::size_t>(box.nodes() * unknowns));
  const auto& h = grid.spacing_m;
#pragma omp parallel
  {
    Formulas formulas(text, t_s.has_value());
    formulas.set_time(t_s.value_or(0));
#pragma omp for schedule(static)
    for (std::int64_t line = 0; line < box.lines(); ++line) {
      const NodePosition first = box.first_of_line(line);
      for (std::int64_t i = 0; i < box.size[0]; ++i) {
        const std::span<const double> numbers =
            formulas.at(static_cast<double>(first[0] + i) * h[0], static_cast<double>(first[1]) * h[1],
                        static_cast<double>(first[2]) * h[2]);
        double* const of_node = values.data() + (line * box.size[0] + i) * unknowns;
        for (int r = 0; r < unknowns; ++r) of_node[r] = numbers[count == 1 ? 0 : static_cast<std::size_t>(r)];
      }
    }
  }
  return values;
}

std::function<double(double, double, double, double)> formula_at(const std::string& text, bool in_time) {
  if (const int count = count_of_formulas(text, in_time); count != 1)
    throw InputError("gives " + std::to_string(count) + " numbers with commas between; give one");
  // A thread's own one is free but where teams of threads are nested.
  struct OfThread {
    Formulas formulas;
    std::mutex busy;
    OfThread(const std::string& text, bool in_time) : formulas(text, in_time) {}
  };
  auto all = std::make_shared<std::vector<std::unique_ptr<OfThread>>>();
  for (int i = 0; i < omp_get_max_threads(); ++i) all->push_back(std::make_unique<OfThread>(text, in_time));
  return [all](double x_m, double y_m, double z_m, double t_s) {
    OfThread& mine = *(*all)[static_cast<std::size_t>(omp_get_thread_num()) % all->size()];
    const std::lock_guard lock(mine.busy);
    mine.formulas.set_time(t_s);
    return mine.formulas.at(x_m, y_m, z_m).front();
  };
}

}  // namespace quadrille
