// Vectors to an HDF5 file with an XDMF file beside it, a step at a time: a series that ParaView, VTK, h5py
// and xarray read (docs/program.md says how).
//
//   FieldWriter out("species.h5", grid, {"a", "b", {"c", "concentration of c", "mol m-3"}});
//   out.write(time_s, c);
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quadrille/vector.hpp"

namespace quadrille {

// Of a dataset: what it is called in the file and what it says to people.
struct FieldName {
  FieldName(const char* file_name) : name(file_name), long_name(file_name) {}  // NOLINT: {"a", "b"}
  FieldName(std::string file_name, std::string text, std::string unit)
      : name(std::move(file_name)), long_name(std::move(text)), units(std::move(unit)) {}
  std::string name, long_name, units = "1";
};

// What made the fields, for the attributes of the file: names and values, and a version. PETSc's options are
// there by themselves.
struct FieldOrigin {
  std::vector<std::pair<std::string, std::string>> options = {};
  std::string version = {};
};

class FieldWriter {
 public:
  // A field for each unknown of the grid's nodes, or one field of all of them. The first step replaces what
  // stood at `path`. Collective over `comm`, the ranks of the vectors, as write() is; all of them write,
  // in a folder that they share. Throws InputError for another number of fields, and OutputError at once
  // where the file could not be written.
  FieldWriter(const std::string& path, const Grid& grid, std::vector<FieldName> fields,
              MPI_Comm comm = PETSC_COMM_WORLD, const FieldOrigin& origin = {});
  ~FieldWriter();
  FieldWriter(FieldWriter&&) noexcept;
  FieldWriter& operator=(FieldWriter&&) noexcept;

  // After it both files are whole and closed. Every rank needs room for its numbers of the step once more.
  // Throws OutputError on all ranks, and before anything is written where the disk has no room for the step.
  void write(double time_s, const Vector& values);

  // Before the first step, for a run that goes on: what the file at `path` has of these fields until then
  // stays, and steps come behind it. Returns the time of its last step, or nothing where none stays. Throws
  // InputError, on all ranks, where there is no such file, it cannot be read or is of other fields.
  std::optional<double> go_on(double until_s);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quadrille
