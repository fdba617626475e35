// What ends a run: one sentence and the exit code, on one process or on all ranks together.
#pragma once

#include <exception>
#include <functional>
#include <initializer_list>
#include <string>

namespace quadrille {

enum ExitCode { all_well = 0, check_failed = 1, bad_input = 2, machine_failed = 3 };

struct Failure {
  ExitCode code = machine_failed;
  std::string sentence;  // empty where it was said already
};

// Thrown by every rank where one of them failed, which has said why.
struct CommonFailure : std::exception {
  explicit CommonFailure(ExitCode c) : code(c) {}
  const char* what() const noexcept override { return "a rank failed"; }
  ExitCode code;
};

Failure failure_of(const std::exception_ptr& thrown);

// A line for each of PETSc's options that were given and asked for by nobody: after the work, on one rank.
void note_unused_options();

// Prints the sentence, if there is one, on one line, whatever it quotes.
ExitCode complain(const Failure& failure);

// Runs a step that every rank takes part in. Where it throws on some of them, the lowest one prints its
// sentence, before MPI ends and mpiexec stops whoever is left, and all throw CommonFailure. Steps may be
// within steps. On one rank it is body() alone.
void together(const std::function<void()>& body);

// Runs every step, whatever one before it threw, and then throws what the first one did: an output that
// cannot be written costs no other.
void each_of(std::initializer_list<std::function<void()>> steps);

}  // namespace quadrille
