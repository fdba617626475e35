// --format auto: what the options ask of the choice, and how it is told.
#pragma once

#include <iosfwd>

#include "drivers/support/options.hpp"
#include "kernels/tuning/choose_format.hpp"

namespace quadrille {

// What is remembered belongs to this commit.
ChoiceWishes wishes_of(const Options& options);

// One line, and one for each note.
void print_choice(std::ostream& out, const FormatChoice& choice);

}  // namespace quadrille
