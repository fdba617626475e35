// The scripts that draw, run as programs of their own.
#pragma once

#include <string>
#include <vector>

namespace quadrille {

struct PythonScript {
  std::string name;            // of the file
  std::string asked;           // what it is for, as in "--plot"
  std::string modules;         // what it needs, and Debian's packages of it: "matplotlib; install ..."
  std::string otherwise = {};  // what the user could do without it
};

// Its exit codes, beside 0.
enum ScriptExit { script_input_bad = 2, script_modules_missing = 3 };

// Where the script is: beside the installed program, else in the source tree. Throws OutputError.
std::string find_script(const PythonScript& script);

// Runs it by /usr/bin/python3 or else the python3 of PATH, whichever has its modules, with `input` on its
// standard input, and returns the last line that it printed. Throws InputError with its own sentence where it
// exits with script_input_bad, and otherwise OutputError with that or with what was tried.
std::string run_script(const PythonScript& script, const std::vector<std::string>& arguments,
                       const std::string& input = "");

// Draws PREFIX.png and PREFIX.svg by such a script, which reads a report that this program has written: the
// option --plot. check_figure_paths() throws OutputError at once where they could not be written.
void check_figure_paths(const std::string& prefix);
void draw_figure(const std::string& script, const std::string& report, const std::string& prefix);

}  // namespace quadrille
