#include "drivers/support/expression.hpp"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "grid/error.hpp"

namespace quadrille {
namespace {

using Op = FormulaOperation;

// What muParser calls where it knows the numbers already, and by which its byte code names an operation.
template <Op operation>
double of_one(double a) {
  return applied(operation, a, 0, 0);
}
template <Op operation>
double of_two(double a, double b) {
  return applied(operation, a, b, 0);
}
template <Op operation>
double of_all(const double* numbers, int count) {
  if (count == 0) throw mu::ParserError("Too few arguments");
  double result = operation == Op::add ? 0 : numbers[0];
  for (int i = 0; i < count; ++i) result = applied(operation, result, numbers[i], 0);
  return result;
}
double same(double a) {
  return a;
}
double mean(const double* numbers, int count) {
  return of_all<Op::add>(numbers, count) / count;
}

struct Function {
  const char* name;
  Op operation;
  mu::fun_type1 one = nullptr;
  mu::fun_type2 two = nullptr;
  mu::multfun_type all = nullptr;

  mu::erased_fun_type called() const {
    return one != nullptr   ? reinterpret_cast<mu::erased_fun_type>(one)
           : two != nullptr ? reinterpret_cast<mu::erased_fun_type>(two)
                            : reinterpret_cast<mu::erased_fun_type>(all);
  }
};

template <Op operation>
constexpr Function unary(const char* name) {
  return {name, operation, of_one<operation>};
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      unary<Op::sine>("sin"),
      unary<Op::cosine>("cos"),
      unary<Op::tangent>("tan"),
      unary<Op::arc_sine>("asin"),
      unary<Op::arc_cosine>("acos"),
      unary<Op::arc_tangent>("atan"),
      {"atan2", Op::arc_tangent_of_two, nullptr, of_two<Op::arc_tangent_of_two>},
      unary<Op::hyperbolic_sine>("sinh"),
      unary<Op::hyperbolic_cosine>("cosh"),
      unary<Op::hyperbolic_tangent>("tanh"),
      unary<Op::area_sine>("asinh"),
      unary<Op::area_cosine>("acosh"),
      unary<Op::area_tangent>("atanh"),
      unary<Op::exponential>("exp"),
      unary<Op::logarithm>("ln"),
      unary<Op::logarithm>("log"),
      unary<Op::logarithm_2>("log2"),
      unary<Op::logarithm_10>("log10"),
      unary<Op::square_root>("sqrt"),
      unary<Op::absolute>("abs"),
      unary<Op::sign>("sign"),
      unary<Op::nearest>("rint"),
      {"min", Op::smaller, nullptr, nullptr, of_all<Op::smaller>},
      {"max", Op::larger, nullptr, nullptr, of_all<Op::larger>},
      {"sum", Op::add, nullptr, nullptr, of_all<Op::add>},
      {"avg", Op::divide, nullptr, nullptr, mean}};
  return all;
}

// Infix operators.
constexpr Function minus = unary<Op::negate>("-"), plus{"+", Op::number, same};

// The operations of muParser's byte code, which works with a stack.
class Steps {
 public:
  // variables: x, y, z, t.
  Steps(const mu::ParserByteCode& code, const std::array<double, 4>& variables) : variables_(variables) {
    for (const mu::SToken* token = code.GetBase(); token->Cmd != mu::cmEND; ++token) add(*token);
    formula_.numbers = stack_;
  }
  Formula formula() && { return std::move(formula_); }

 private:
  void add(const mu::SToken& token) {
    switch (token.Cmd) {
      case mu::cmVAL:
        return push(formula_.add(token.Val.data2));
      case mu::cmVAR:
        return push(variable(token));
      case mu::cmVARPOW2:
        return push(power(token, 2));
      case mu::cmVARPOW3:
        return push(power(token, 3));
      case mu::cmVARPOW4:
        return push(power(token, 4));
      case mu::cmVARMUL:
        return push(formula_.add(Op::add,
                                 formula_.add(Op::multiply, variable(token), formula_.add(token.Val.data)),
                                 formula_.add(token.Val.data2)));
      case mu::cmIF:
        return conditions_.push_back(pop());
      case mu::cmELSE:
        return firsts_.push_back(pop());
      case mu::cmENDIF:
        return choose();
      case mu::cmFUNC:
        return call(token);
      default:
        return operate(token.Cmd);
    }
  }

  void operate(mu::ECmdCode code) {
    static constexpr std::pair<mu::ECmdCode, Op> all[] = {
        {mu::cmLE, Op::less_or_equal}, {mu::cmGE, Op::greater_or_equal},
        {mu::cmNEQ, Op::unequal},      {mu::cmEQ, Op::equal},
        {mu::cmLT, Op::less},          {mu::cmGT, Op::greater},
        {mu::cmADD, Op::add},          {mu::cmSUB, Op::subtract},
        {mu::cmMUL, Op::multiply},     {mu::cmDIV, Op::divide},
        {mu::cmPOW, Op::power},        {mu::cmLAND, Op::both},
        {mu::cmLOR, Op::either}};
    for (const auto& [theirs, ours] : all)
      if (theirs == code) return two(ours);
    not_known();
  }

  void call(const mu::SToken& token) {
    const mu::erased_fun_type called = token.Fun.cb._pRawFun;
    if (called == plus.called()) return;
    if (called == minus.called()) return one(minus.operation);
    for (const Function& function : functions()) {
      if (function.called() != called) continue;
      if (function.one != nullptr) return one(function.operation);
      if (function.two != nullptr) return two(function.operation);
      return all(function, std::abs(token.Fun.argc));
    }
    not_known();
  }

  // The result so far is the first operand of the next step; sums begin with 0.
  void all(const Function& function, int count) {
    if (count == 0) throw InputError("Too few arguments of " + std::string(function.name));
    const bool is_mean = function.operation == Op::divide, adds = is_mean || function.operation == Op::add;
    const auto first = stack_.end() - count;
    std::int32_t result = adds ? formula_.add(0.0) : *first;
    for (auto i = adds ? first : first + 1; i != stack_.end(); ++i)
      result = formula_.add(adds ? Op::add : function.operation, result, *i);
    stack_.erase(first, stack_.end());
    push(is_mean ? formula_.add(Op::divide, result, formula_.add(static_cast<double>(count))) : result);
  }

  void one(Op operation) { push(formula_.add(operation, pop())); }
  void two(Op operation) {
    const std::int32_t second = pop(), first = pop();
    push(formula_.add(operation, first, second));
  }
  void choose() {
    const std::int32_t second = pop();
    push(formula_.add(Op::choose, conditions_.back(), firsts_.back(), second));
    conditions_.pop_back();
    firsts_.pop_back();
  }

  std::int32_t variable(const mu::SToken& token) {
    static constexpr Op names[] = {Op::x, Op::y, Op::z, Op::t};
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (token.Val.ptr == &variables_[i]) return formula_.add(names[i]);
    not_known();
  }
  std::int32_t power(const mu::SToken& token, int exponent) {
    const std::int32_t x = variable(token);
    std::int32_t result = x;
    for (int i = 1; i < exponent; ++i) result = formula_.add(Op::multiply, result, x);
    return result;
  }

  void push(std::int32_t step) { stack_.push_back(step); }
  std::int32_t pop() {
    const std::int32_t step = stack_.back();
    stack_.pop_back();
    return step;
  }
  [[noreturn]] static void not_known() {
    throw InputError("has an operation of muParser's that this program does not know");
  }

  const std::array<double, 4>& variables_;
  Formula formula_;
  std::vector<std::int32_t> stack_, conditions_, firsts_;
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

Formula parsed(const std::string& text, bool in_time) {
  std::array<double, 4> variables{};
  mu::Parser parser;
  const char* const names[] = {"x", "y", "z", "t"};
  for (std::size_t i = 0; i < (in_time ? 4 : 3); ++i) parser.DefineVar(names[i], &variables[i]);
  parser.DefineConst("pi", std::numbers::pi);
  parser.ClearFun();
  for (const Function& function : functions()) {
    if (function.one != nullptr) parser.DefineFun(function.name, function.one);
    if (function.two != nullptr) parser.DefineFun(function.name, function.two);
    if (function.all != nullptr) parser.DefineFun(function.name, function.all);
  }
  parser.ClearInfixOprt();
  for (const Function& sign : {minus, plus}) parser.DefineInfixOprt(sign.name, sign.one);
  parser.SetExpr(text);
  int count = 0;
  parser.Eval(count);  // makes the code
  return Steps(parser.GetByteCode(), variables).formula();
}

}  // namespace

Formula parsed_formula(const std::string& text, bool in_time) {
  refuse_assignment(text);
  try {
    return parsed(text, in_time);
  } catch (const mu::Parser::exception_type& error) {
    std::string reason = error.GetMsg();
    while (!reason.empty() && (reason.back() == '.' || reason.back() == ' ')) reason.pop_back();
    if (reason.find("position") == std::string::npos && error.GetPos() >= 0)
      reason += " at position " +
                std::to_string(std::min(error.GetPos(), static_cast<int>(text.size())));  // it adds a space
    throw InputError(reason);
  }
}

Formula single_formula(const std::string& text, bool in_time) {
  Formula formula = parsed_formula(text, in_time);
  if (formula.numbers.size() != 1)
    throw InputError("gives " + std::to_string(formula.numbers.size()) +
                     " numbers with commas between; give one");
  return formula;
}

}  // namespace quadrille
