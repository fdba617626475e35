// The error of everything a user can get wrong: an option, a file, a size. The program ends with exit code 2.
#pragma once

#include <stdexcept>

namespace quadrille {

struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace quadrille
