// The values of a matrix on a grid once more, in AIJ, for what PETSc does with that alone. Internal to
// kernels/petsc/matrix_type.
#pragma once

#include <petscmat.h>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/matrix/grid_blocks.hpp"

namespace quadrille::petsc {

class GridCopy {
 public:
  // Both live as long as this.
  GridCopy(GridValues& values, const GridBlocks& blocks) : values_(values), blocks_(blocks) {}

  // Null before make().
  Mat get() const { return aij_.get(); }
  // Whether somebody keeps it and will read it without asking here.
  bool in_use() const;
  // With the rows of `owner`. Collective, as is refresh().
  void make(Mat owner);
  // From the values to the copy, and back.
  void refresh();
  void take();

 private:
  template <class Body>
  void for_values(const Body& body);

  GridValues& values_;
  const GridBlocks& blocks_;
  std::vector<Block> of_node_;
  Handle<Mat> aij_;
};

}  // namespace quadrille::petsc
