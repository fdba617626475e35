// What a solve reads before it assembles: fields of the user's.
#pragma once

#include <iosfwd>
#include <optional>
#include <span>
#include <vector>

#include "assembly/device_formula.hpp"
#include "assembly/pde/problem.hpp"
#include "drivers/support/options.hpp"
#include "kernels/spmv_operator.hpp"

namespace quadrille {

// Every rank reads the files and holds their fields as a whole. Throws InputError and MemoryError.
PdeInput pde_input(const Options& options);

// [row of the box], of --initial and, of a PDE by its residual, of a --source that does not depend on t.
// Every rank reads the file. Throws as pde_input().
std::vector<double> initial_values(const Options& options, const NodeBox& box);
std::vector<double> source_values(const Options& options, const NodeBox& box);

// --source where it depends on t; and its numbers, [row of the box], in memory of that space: the GPU's where
// fits_device() takes it. Throws as pde_input(), where a number is not finite, too.
std::optional<Formula> source_in_time(const Options& options);
void write_source(const Options& options, const Formula& formula, const NodeBox& box, double t_s,
                  SpaceKind space, std::span<double> values);

// Of what pde_input() holds, on this rank.
std::int64_t input_bytes(const Options& options);

// What its coefficient is like, in a line or two; nothing where there is none.
void print_coefficient(std::ostream& out, const Options& options, const PdeInput& input);
// What its parameters are, on a line; likewise.
void print_parameters(std::ostream& out, const Options& options, const PdeInput& input);

}  // namespace quadrille
