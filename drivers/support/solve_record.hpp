// The result of a solve, for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assembly/pde/parameter.hpp"
#include "drivers/support/json.hpp"
#include "kernels/petsc/solve/krylov.hpp"

namespace quadrille {

// The fields and their names are those of the command's contract, and two more: method and
// preconditioner.
struct SolveRecord {
  std::string pde, space, format, precision = "fp64", grid;
  int dof = 1;
  int ranks = 1;
  std::int64_t unknowns = 0;
  double h = 0;                        // the largest spacing, in m
  std::string method, preconditioner;  // PETSc's names
  std::string halo;                    // petsc::halo_path(), on several ranks
  int iterations = 0;
  bool converged = false;
  std::string reason;                         // in words
  double residual = 0;                        // |b - A x| / |b|
  std::optional<double> error_l2, error_max;  // against the exact solution: root mean square and largest
  double matmult_ms = 0;
  double value_error = 0;  // by how much of itself a value is off in products, where they are rounded
  // With multigrid; what is not known is null.
  bool multigrid = false;
  std::optional<double> cycle_ms;
  std::optional<double> bytes_per_unknown_iteration;  // that a cycle and a product must move
  // The time a stream takes for them, over that of an iteration. Of a PDE by its residual: for all
  // iterations, residuals and Jacobians, over that of the solve or the run; without multigrid, too.
  std::optional<double> fraction_of_floor;
  std::optional<double> setup_again_ms;  // with new values in the same places
  // Of a PDE that is nonlinear; in time: of all steps.
  bool nonlinear = false, in_time = false;
  int newton_iterations = 0, steps = 0;
  std::optional<double> ms_per_step;
  // One evaluation, and on a GPU the time of a stream that moves what it must, over that.
  double residual_ms = 0, jacobian_ms = 0;
  std::optional<double> residual_fraction_of_floor, jacobian_fraction_of_floor;
  // Of PETSc's monitor, from iteration 0 on: the residual over the first one, and when that was known, in
  // seconds from the beginning of the solve. Where --plot asks for it.
  struct History {
    std::vector<int> iteration;  // some methods tell of every other one
    std::vector<double> residual, seconds;
  };
  std::optional<History> history;
  ParameterValues parameters;  // of a PDE that has some; and those that are fields, as given
  std::vector<std::pair<std::string, std::string>> parameter_fields;
  struct {
    double assembly = 0, setup = 0, solve = 0, output = 0, total = 0;
  } seconds;
};

// Of a nonlinear one, in a part of a sentence: of a product, the Jacobian and the residual, with the floor
// where it is known.
std::string times_text(const SolveRecord& record);

// What multigrid adds to a record, of its times on this rank; collective.
void note_multigrid(SolveRecord& record, const petsc::KrylovTimes& times);
// "a cycle takes 0.3 ms; with a product it moves 321 bytes per unknown", or nothing.
std::string cycle_text(const SolveRecord& record);

// Of values that products round, a line; empty where they round none.
std::string rounding_note(const SolveRecord& record);

// Errors that there are none of are null.
Json to_json(const SolveRecord& record);
// A line of names and one of values; those of the seconds are seconds_assembly, ...
std::string to_csv(const SolveRecord& record);

}  // namespace quadrille
