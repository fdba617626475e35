// Reading options, for the tests of them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "drivers/support/options.hpp"
#include "grid/error.hpp"

namespace quadrille {

using Words = std::vector<std::string>;

inline Options parse(const Words& words) {
  std::string help;
  const std::optional<Options> options = parse_options(words, help);
  EXPECT_TRUE(options.has_value()) << help;
  return options.value_or(Options{});
}

inline Options spmv(Words words) {
  words.insert(words.begin(), "spmv");
  return parse(words);
}

inline Options bench(Words words) {
  words.insert(words.begin(), {"bench", "dof-scaling"});
  return parse(words);
}

inline std::string help_of(const Words& words) {
  std::string help;
  EXPECT_FALSE(parse_options(words, help).has_value());
  return help;
}

inline std::string error_of(const Words& words) {
  std::string help;
  try {
    parse_options(words, help);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

inline std::map<std::string, std::string> resolved(const Options& options) {
  return {options.resolved.begin(), options.resolved.end()};
}
struct BadValue {
  const char *option, *value, *reason;
};

inline void PrintTo(const BadValue& bad, std::ostream* out) {
  *out << bad.option << " " << bad.value;
}
}  // namespace quadrille
