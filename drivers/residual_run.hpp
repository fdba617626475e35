// A PDE that is solved by its residual, while it is: what the steady solve and the run in time share.
// Internal to `quadrille solve`.
#pragma once

#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assembly/pdes.hpp"
#include "drivers/probe.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/options.hpp"
#include "drivers/support/options_pdes.hpp"
#include "drivers/support/progress.hpp"
#include "drivers/support/solve_input.hpp"
#include "drivers/support/solve_record.hpp"
#include "drivers/support/solve_text.hpp"
#include "kernels/petsc/base/petsc_error.hpp"
#include "kernels/petsc/base/ranks.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"
#include "kernels/petsc/multigrid/grid_multigrid.hpp"
#include "quadrille/field_writer.hpp"
#include "quadrille/grid_residual.hpp"
#include "quadrille/time_solver.hpp"

namespace quadrille {

struct ResidualRun {
  explicit ResidualRun(const Options& given)
      : options(given), pde(pde_of(given)), first(petsc::rank() == 0), progress(given, first) {}

  const Options& options;
  const Pde& pde;
  const bool first;  // of the ranks
  const Progress progress;
  const Clock::time_point start = Clock::now();
  std::shared_ptr<const GridLayout> layout;
  PdeInput input;
  ResidualProblem problem;
  std::optional<Formula> source_in_time;  // of a --source that depends on t
  std::optional<GridResidual> residual;
  std::optional<Vector> u;
  std::vector<FieldName> names;
  std::optional<FieldWriter> out;
  std::optional<ProbeFile> probes;
  std::optional<NonlinearSolver> newton;  // of a steady one
  std::optional<TimeSolver> in_time;
  struct {
    std::int64_t iterations = 0, residuals = 0, jacobians = 0;
  } made;  // by this run, without those before a checkpoint
  double written_s = -1, ended_s = 0;
  int steps_before = 0;  // a checkpoint that it goes on from
  std::string time_method, failure;
  std::string multigrid;  // of the last set-up, for people; empty without
  SolveRecord record;

  void write(double t_s) {
    if (!out || t_s == written_s) return;
    const Clock::time_point start = Clock::now();
    out->write(t_s, *u);
    written_s = t_s;
    record.seconds.output += seconds_since(start);
  }

  void probe(double t_s) {
    if (!probes) return;
    const Clock::time_point start = Clock::now();
    probes->write(record.steps, t_s, *u);
    record.seconds.output += seconds_since(start);
  }

  // A line for people.
  void tell(const std::string& text) const {
    progress.say("");
    if (first && !options.quiet) std::cout << text << std::endl;
  }

  GridResidual grid_residual(const AnyResidual& of, const AnyResidual& near) const {
    GridResidual made = grid_residual(of);
    if (near.evaluate) made.precondition_by(grid_residual(near));
    return made;
  }
  GridResidual grid_residual(const AnyResidual& of) const {
    return {PETSC_COMM_WORLD, options.grid, options.points, options.boundary, of, operator_options()};
  }
  OperatorOptions operator_options() const {
    return {.format = options.formats.front(),
            .space = options.space,
            .options = options.format_options,
            .device = options.device};
  }

  // Options of the PDE's, for steps, or those that begin with a prefix: to a steady state multigrid pays
  // everywhere.
  std::string preset(const std::string& prefix = "") const {
    if (options.steady) return "";
    if (pde.preconditions_apart) return apart(prefix);
    return residual->jacobian().space() == SpaceKind::cpu ? pde.petsc_options : "";
  }
  std::string apart(const std::string& prefix) const {
    std::string of_axes, others;
    for (int unknown = 0; unknown < options.grid.dof; ++unknown) {
      std::string& group = unknown < options.grid.dimension ? of_axes : others;
      group += (group.empty() ? "" : ",") + std::to_string(unknown);
    }
    std::string text;
    for (const auto& [name, value] :
         {std::pair("pc_type", std::string("fieldsplit")),
          std::pair("pc_fieldsplit_block_size", std::to_string(options.grid.dof)),
          std::pair("pc_fieldsplit_type", std::string("multiplicative")),
          std::pair("pc_fieldsplit_0_fields", of_axes), std::pair("pc_fieldsplit_1_fields", others),
          std::pair("fieldsplit_0_pc_type", std::string("quadrille_mg")),
          std::pair("fieldsplit_1_pc_type", std::string("quadrille_mg"))})
      text += "-" + prefix + name + " " + value + " ";
    return text;
  }

  // --source at a time, where one is given. Collective.
  void write_source_at(double t_s, Vector& to) const {
    together([&] {
      if (!source_in_time) {
        to.assign(source_values(options, layout->box()));
        return;
      }
      const petsc::WriteArray array(to.vec(),
                                    fits_device(*source_in_time, t_s) ? SpaceKind::cuda : SpaceKind::cpu);
      write_source(options, *source_in_time, layout->box(), t_s, array.space(),
                   {array.data(), static_cast<std::size_t>(to.layout().rows())});
    });
  }

  template <class Result>
  void count(const Result& result) {
    made.iterations += result.krylov_iterations;
    made.residuals += result.residuals;
    made.jacobians += result.jacobians;
  }

  void note_methods(SNES snes) {
    KSP ksp = nullptr;
    PC pc = nullptr;
    KSPType method = nullptr;
    PCType preconditioner = nullptr;
    if (SNESGetKSP(snes, &ksp) != 0 || KSPGetType(ksp, &method) != 0 || KSPGetPC(ksp, &pc) != 0 ||
        PCGetType(pc, &preconditioner) != 0)
      throw PetscError("PETSc does not say how it solved");
    record.method = method;
    record.preconditioner = preconditioner;
    multigrid = petsc::grid_multigrid_text(pc);
  }
};

// From the beginning or a checkpoint to the end, with outputs and checkpoints; what came of it stands in the
// record. Collective.
void run_in_time(ResidualRun& run);

}  // namespace quadrille
