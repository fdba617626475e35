#include "drivers/support/failure.hpp"

#include <algorithm>
#include <iostream>
#include <new>

#include "drivers/fields/atomic_file.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/base/session.hpp"

namespace quadrille {
namespace {

void print(std::string sentence) {
  std::replace_if(
      sentence.begin(), sentence.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  std::cout.flush();
  std::cerr << "quadrille: " + sentence + "\n" << std::flush;
}

}  // namespace

Failure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const CommonFailure& error) {
    return {error.code, {}};
  } catch (const InputError& error) {
    return {bad_input, error.what()};
  } catch (const FormatError& error) {
    return {bad_input, error.what()};
  } catch (const MemoryError& error) {
    return {machine_failed, error.what()};
  } catch (const OutputError& error) {
    return {machine_failed, error.what()};
  } catch (const CudaError& error) {
    return {machine_failed, error.what()};
  } catch (const PetscOptionError& error) {
    return {bad_input, error.what()};
  } catch (const NotConvergedError& error) {
    return {check_failed, error.what()};
  } catch (const PetscError& error) {
    return {machine_failed, error.what()};
  } catch (const std::bad_alloc&) {
    return {machine_failed,
            "not enough memory; use a smaller --grid, fewer names in --format, or --precision fp32"};
  } catch (const std::exception& error) {
    return {machine_failed, std::string("unexpected failure: ") + error.what()};
  }
}

void note_unused_options() {
  for (const std::string& name : petsc::unused_options())
    std::cerr << "quadrille: note: PETSc did not use the option " << name << "\n";
}

ExitCode complain(const Failure& failure) {
  if (!failure.sentence.empty()) print(failure.sentence);
  return failure.code;
}

void together(const std::function<void()>& body) {
  if (petsc::ranks() == 1) return body();
  Failure mine{all_well, {}};
  try {
    body();
  } catch (const CommonFailure&) {
    throw;  // all know
  } catch (...) {
    mine = failure_of(std::current_exception());
  }
  const petsc::Verdict verdict = petsc::verdict(mine.code, [&] { print(mine.sentence); });
  if (verdict.code == all_well) return;
  if (verdict.rank == petsc::rank()) print(mine.sentence);
  throw CommonFailure(static_cast<ExitCode>(verdict.code));
}

void each_of(std::initializer_list<std::function<void()>> steps) {
  std::exception_ptr first;
  for (const std::function<void()>& step : steps) {
    try {
      step();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace quadrille
