// The `quadrille` program: reads the command line, runs a subcommand and turns errors into one sentence and a
// code.
#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "drivers/commands.hpp"
#include "drivers/support/atomic_file.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"
#include "kernels/petsc/petsc_error.hpp"

namespace {

enum ExitCode { all_well = 0, check_failed = 1, bad_input = 2, machine_failed = 3 };

int run(const std::vector<std::string>& arguments) {
  std::string help;
  const std::optional<quadrille::Options> options = quadrille::parse_options(arguments, help);
  if (!options) {
    std::cout << help;
    return all_well;
  }
  if (options->validate_only) {
    std::cout << quadrille::config_text(*options);
    return all_well;
  }
  if (options->command == "spmv") return quadrille::run_spmv(*options);
  if (options->command == "bench") return quadrille::run_bench(*options);
  if (options->command == "solve") return quadrille::run_solve(*options);
  if (options->command == "inspect") return quadrille::run_inspect(*options);
  return quadrille::run_info(*options);
}

// One line, whatever the sentence quotes.
int complain(std::string sentence, ExitCode code) {
  std::replace_if(
      sentence.begin(), sentence.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  std::cout.flush();
  std::cerr << "quadrille: " << sentence << std::endl;
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  for (int descriptor = 0; descriptor < 3; ++descriptor)  // a closed one must not become a file of ours
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, with its sentence
  try {
    const int code = run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    if (!std::cout.flush()) return complain("standard output cannot be written", machine_failed);
    return code;
  } catch (const quadrille::InputError& error) {
    return complain(error.what(), bad_input);
  } catch (const quadrille::FormatError& error) {
    return complain(error.what(), bad_input);
  } catch (const quadrille::MemoryError& error) {
    return complain(error.what(), machine_failed);
  } catch (const quadrille::OutputError& error) {
    return complain(error.what(), machine_failed);
  } catch (const quadrille::CudaError& error) {
    return complain(error.what(), machine_failed);
  } catch (const quadrille::PetscOptionError& error) {
    return complain(error.what(), bad_input);
  } catch (const quadrille::PetscError& error) {
    return complain(error.what(), machine_failed);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory; use a smaller --grid, fewer names in --format, or --precision fp32",
                    machine_failed);
  } catch (const std::exception& error) {
    return complain(std::string("unexpected failure: ") + error.what(), machine_failed);
  }
}
