#include "quadrille/session.hpp"

#include <errno.h>
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/plugin/register.hpp"

namespace quadrille {
namespace {

// The sentence of one rank is enough: most errors are those of all. The first one speaks, or who is alone in
// it and waited for that.
[[noreturn]] void end_with_sentence() {
  std::string sentence = "ended without a reason";
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    sentence = error.what();
  } catch (...) {
    sentence = "an exception without a sentence";
  }
  const int ranks = petsc::ranks(), rank = petsc::rank();
  if (rank > 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s%s\n", program_invocation_short_name,
               ranks > 1 && rank > 0 ? ("rank " + std::to_string(rank) + ": ").c_str() : "",
               sentence.c_str());
  if (ranks > 1) MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

}  // namespace

Session::Session(int argc, char** argv)
    : session_(argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>{}),
      before_(std::set_terminate(end_with_sentence)) {
  if (cuda::device_count() > 0) cuda::use_device(petsc::gpu_of_rank(0));
  petsc::register_matrix_type();
}

Session::~Session() {
  std::set_terminate(before_);
}

int Session::rank() {
  return petsc::rank();
}

int Session::ranks() {
  return petsc::ranks();
}

}  // namespace quadrille
