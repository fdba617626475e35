// The `quadrille` program: reads the command line, runs a subcommand and turns errors into one sentence and a
// code.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "drivers/commands.hpp"
#include "drivers/fields/atomic_file.hpp"
#include "drivers/fields/on_signal.hpp"
#include "drivers/support/failure.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/base/session.hpp"

namespace {

using quadrille::Failure;

int run(const std::vector<std::string>& arguments) {
  std::string help;
  const bool first = quadrille::petsc::rank_by_environment() == 0;
  const std::optional<quadrille::Options> options = quadrille::parse_options(arguments, help);
  if (!options) {
    if (first) std::cout << help;
    return quadrille::all_well;
  }
  if (options->validate_only) {
    if (first) std::cout << quadrille::config_text(*options);
    return quadrille::all_well;
  }
  if (!options->json.empty() || !options->csv.empty() || !options->output.empty() || !options->plot.empty() ||
      options->command == "plot")
    quadrille::outlive_broken_pipes();
  if (options->command == "spmv") return quadrille::run_spmv(*options);
  if (options->command == "bench") return quadrille::run_bench(*options);
  if (options->command == "solve") return quadrille::run_solve(*options);
  if (options->command == "inspect") return quadrille::run_inspect(*options);
  if (!first) return quadrille::all_well;  // of processes without PETSc
  return options->command == "plot" ? quadrille::run_plot(*options) : quadrille::run_info(*options);
}

// Of processes that mpiexec started, each meets by itself what is wrong before PETSc starts. One says it; the
// others give it a second, for mpiexec stops all as soon as one has ended with a code.
int fail(Failure failure) {
  if (quadrille::petsc::rank_by_environment() != 0 && !failure.sentence.empty()) {
    failure.sentence.clear();
    sleep(1);
  }
  return quadrille::complain(failure);
}

}  // namespace

// In the place of the C library's, for the libraries as well: Open MPI ends the process by it when it cannot
// start.
extern "C" void _exit(int code) {
  quadrille::petsc::explain_end_of_start();
  for (;;) syscall(SYS_exit_group, code);
}

int main(int argc, char** argv) {
  for (int descriptor = 0; descriptor < 3; ++descriptor)  // a closed one must not become a file of ours
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, with its sentence
  quadrille::tidy_up_on_signals();
  try {
    const int code = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    quadrille::flush_standard_output();
    return code;
  } catch (...) {
    return fail(quadrille::failure_of(std::current_exception()));
  }
}
