// Expects a typed error whose sentence holds certain words.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quadrille {

template <class Error, class Action>
void expect_refused(const Action& action, const std::vector<std::string>& words) {
  try {
    action();
  } catch (const Error& error) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "'" << word << "' is not in: " << error.what();
    return;
  }
  ADD_FAILURE() << "nothing was refused";
}

}  // namespace quadrille
