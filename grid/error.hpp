// The errors of what a user can get wrong, and of files.
#pragma once

#include <stdexcept>

namespace quadrille {

// An option, a file that is read, a size: exit code 2 of the program.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that cannot be written: exit code 3. What stood under its name before is untouched, unless what
// throws says otherwise.
struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace quadrille
