// What --matrix and --matrices name: Matrix Market files and generated matrices. Internal to the options.
#pragma once

#include <string>
#include <vector>

#include "drivers/support/options_values.hpp"

namespace quadrille {

// What --matrices stands for where a set of operators is asked for and none is named.
inline constexpr char small_generated_set[] = "generated:10000";

// A file that is there, or a generated matrix by its full name. Throws InputError.
std::string read_matrix_name(const Setting& setting);

// The matrices of a list with commas between, in its order, each once: files; folders, which stand for the
// *.mtx and *.mtx.gz in them by name; generated matrices; and "generated" or "generated:ROWS", which stands
// for one of each kind. Throws InputError for what is not there or is named twice, and for a folder without
// matrices.
std::vector<std::string> read_matrix_names(const Setting& setting);

// The unknowns per node that a matrix has by its name: those of generated blocks, else 1.
int usual_block_size(const std::string& matrix);

}  // namespace quadrille
