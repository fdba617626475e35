// What a solve reads before it assembles: fields of the user's.
#pragma once

#include <iosfwd>

#include "assembly/pde/problem.hpp"
#include "drivers/support/options.hpp"

namespace quadrille {

// Every rank reads the files and holds their fields as a whole. Throws InputError and MemoryError.
PdeInput pde_input(const Options& options);

// Of what it holds, on this rank.
std::int64_t input_bytes(const Options& options);

// What its coefficient is like, in a line or two; nothing where there is none.
void print_coefficient(std::ostream& out, const Options& options, const PdeInput& input);

}  // namespace quadrille
