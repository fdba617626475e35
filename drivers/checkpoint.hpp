// Where a run in time may go on: the unknowns of all nodes, when that is, and what was done so far.
//
// A checkpoint of NAME after so many steps is NAME.checkpoint-STEP.h5, a field file (docs/program.md) of one
// step, which has its name when it is whole. Among its attributes is a sum over the bits of all that a run
// goes on from, by which a damaged one is known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quadrille/field_writer.hpp"

namespace quadrille {

struct RunState {
  double t_s = 0, dt_s = 0;  // where it is, and the next step
  int steps = 0, newton_iterations = 0, krylov_iterations = 0;
};

std::string checkpoint_path(const std::string& name, int step);

// `problem`: in words, what a run that goes on must have alike. Throws OutputError; other checkpoints are as
// they were. Collective over PETSC_COMM_WORLD, as what follows.
void write_checkpoint(const std::string& name, const std::string& problem, const RunState& state,
                      const std::vector<FieldName>& names, const Vector& u, FieldOrigin origin);

// Those of NAME but of these steps are removed.
void keep_checkpoints(const std::string& name, const std::vector<int>& steps);

struct Restart {
  RunState state;
  std::string path;
};

// Into `u`, bit by bit: from the file, or where that is damaged the newest sound one before it, or, of
// "auto", the newest sound one of NAME. `warning` says what was damaged. Nothing, and `u` is anything then,
// where "auto" finds none. Throws InputError where there is none otherwise, or it is of another problem.
std::optional<Restart> read_checkpoint(const std::string& from, const std::string& name,
                                       const std::string& problem, const std::vector<FieldName>& names,
                                       Vector& u, std::string& warning);

// Whether a path is that of a checkpoint of NAME.
bool is_checkpoint_of(const std::string& name, const std::string& path);

}  // namespace quadrille
