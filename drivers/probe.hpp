// What a run writes about single nodes, a line for each step: NAME.probe.csv. Internal to `quadrille solve`.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "drivers/support/options.hpp"
#include "kernels/petsc/base/gathering.hpp"
#include "quadrille/field_writer.hpp"

namespace quadrille {

// The values of all unknowns at the nodes of --probe, gathered by the first rank, which writes. On a GPU only
// these leave its memory.
class ProbeFile {
 public:
  // For vectors like `u`, with these fields. Nothing is written yet. Collective, as what follows.
  ProbeFile(const Options& options, const std::vector<FieldName>& fields, const Vector& u);

  // Keeps the lines up to that step, of a run that goes on from there. Throws InputError where the file there
  // has other columns.
  void go_on(int step);
  // A line, on the disk's way when this returns: a process that is killed keeps it. The first one, unless
  // go_on() kept some, replaces what stood there. Throws OutputError.
  void write(int step, double time_s, const Vector& u);

  // Which nodes these are, for people.
  std::string description() const;

 private:
  void append(const std::string& line);

  const Options& options_;
  std::string path_, header_;
  petsc::Gathering at_nodes_;
  std::ofstream out_;
};

}  // namespace quadrille
