// What a solve reads before it assembles: fields of the user's.
#pragma once

#include <iosfwd>
#include <vector>

#include "assembly/pde/problem.hpp"
#include "drivers/support/options.hpp"

namespace quadrille {

// Every rank reads the files and holds their fields as a whole. Throws InputError and MemoryError.
PdeInput pde_input(const Options& options);

// [row of the box], of --initial and, of a PDE by its residual, of --source, which may depend on t. Every rank
// reads the file. Throws as pde_input().
std::vector<double> initial_values(const Options& options, const NodeBox& box);
std::vector<double> source_values(const Options& options, const NodeBox& box, double t_s);
bool source_depends_on_time(const Options& options);

// Of what pde_input() holds, on this rank.
std::int64_t input_bytes(const Options& options);

// What its coefficient is like, in a line or two; nothing where there is none.
void print_coefficient(std::ostream& out, const Options& options, const PdeInput& input);
// What its parameters are, on a line; likewise.
void print_parameters(std::ostream& out, const Options& options);

}  // namespace quadrille
