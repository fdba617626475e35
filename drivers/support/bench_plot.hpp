// Figures of the experiments, drawn by plot_bench.py.
#pragma once

#include <string>

namespace quadrille {

// Gives plot_bench.py the report `json` and has it write `prefix`.png and `prefix`.svg. The script is looked
// for beside the installed program, then in the source tree; Python is /usr/bin/python3, or else the python3
// of PATH, whichever has matplotlib. Throws OutputError with what was tried, or with the script's own
// sentence.
void draw_bench(const std::string& json, const std::string& prefix);

}  // namespace quadrille
