// Where a run in time may go on: the unknowns of all nodes, when that is, and what was done so far.
//
// A checkpoint is a field file (docs/program.md) of one step, written under another name and renamed when it
// is whole; the one before stays: that of run.h5 is run.previous.h5. Among its attributes is a sum over the bits
// of all values, by which a damaged one is known.
#pragma once

#include <string>
#include <vector>

#include "quadrille/field_writer.hpp"

namespace quadrille {

struct RunState {
  double t_s = 0, dt_s = 0;  // where it is, and the next step
  int steps = 0, newton_iterations = 0, krylov_iterations = 0;
};

// `problem`: in words, what a run that goes on must have alike. Collective over PETSC_COMM_WORLD. Throws
// OutputError; the checkpoint before is then still there.
void write_checkpoint(const std::string& path, const std::string& problem, const RunState& state,
                      const std::vector<FieldName>& names, const Vector& u, FieldOrigin origin);

// Into `u`, bit by bit. Where the newest is damaged and the one before is not, that is used, and `warning`
// says so. Collective. Throws InputError where there is no sound one, or it is of another problem.
RunState read_checkpoint(const std::string& path, const std::string& problem,
                         const std::vector<FieldName>& names, Vector& u, std::string& warning);

}  // namespace quadrille
