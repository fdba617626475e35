// Vectors from an HDF5 file that FieldWriter or `quadrille solve` wrote, on any number of ranks.
//
//   FieldReader in("species.h5");
//   in.read(in.steps() - 1, {"a", "b", "c"}, c);   // the last step, to go on from
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "quadrille/vector.hpp"

namespace quadrille {

class FieldReader {
 public:
  // Looks into the file. Collective over `comm`, as everything here; every rank opens the file itself. Throws
  // InputError, on all ranks, where there is no such file, it is cut off or has no fields of a grid.
  explicit FieldReader(const std::string& path, MPI_Comm comm = PETSC_COMM_WORLD);
  ~FieldReader();
  FieldReader(FieldReader&&) noexcept;
  FieldReader& operator=(FieldReader&&) noexcept;

  const Grid& grid() const;  // its dof: unknowns of a node in each field
  std::int64_t steps() const;
  const std::vector<double>& times_s() const;  // [step]
  std::vector<std::string> names() const;      // of the fields, by the alphabet

  // A field for each of the vector's unknowns, in their order, or one field of all of them. Throws
  // InputError, on all ranks, where there is no such step or field, and for a vector of another grid.
  void read(std::int64_t step, const std::vector<std::string>& fields, Vector& into) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quadrille
