// The values of a matrix on a grid, in host memory and, from the first time that they are wanted there, in GPU memory. Changed on
// one side, they are copied when the other side asks for them. Internal to kernels/petsc/matrix_type.
#pragma once

#include <memory>

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"
#include "kernels/petsc/matrix_type/structure.hpp"

namespace quadrille::petsc {

class GridValues {
 public:
  // Zeros. Couplings to ghosts only where `with_ghosts`.
  GridValues(const GridStructure& structure, bool with_ghosts);
  // A copy of both sides' newest values, in host memory alone.
  void copy_from(GridValues& other);

  // Before the host's values are read, or changed in part.
  void bring_to_host();
  void changed_on_host() { newest_ = gpu_hub_ ? Newest::host : Newest::both; }
  // Before the GPU's are read, or changed in part; or, without `keep`, before all of them are written.
  void bring_to_gpu(bool keep = true);
  void changed_on_gpu() { newest_ = Newest::gpu; }
  // All zero. Where the GPU has them too, the host's follow when they are asked for.
  void zero();

  // The arrays stay where they are. `ghost` is null on one rank, the GPU's before bring_to_gpu().
  const std::shared_ptr<BlockDiagonals<double>>& hub() const { return hub_; }
  const std::shared_ptr<Csr<double>>& ghost() const { return ghost_; }
  const std::shared_ptr<BlockDiagonals<double, Device>>& gpu_hub() const { return gpu_hub_; }
  const std::shared_ptr<Csr<double, Device>>& gpu_ghost() const { return gpu_ghost_; }

 private:
  void zero_host();

  std::shared_ptr<BlockDiagonals<double>> hub_;
  std::shared_ptr<Csr<double>> ghost_;
  std::shared_ptr<BlockDiagonals<double, Device>> gpu_hub_;
  std::shared_ptr<Csr<double, Device>> gpu_ghost_;
  enum class Newest { both, host, gpu, zero_on_gpu } newest_ = Newest::both;
};

}  // namespace quadrille::petsc
