// The values of a matrix on a grid, in host memory and, from the first time that they are wanted there, in
// GPU memory. Changed on one side, they are copied when the other side asks for them. Those of which few rows
// are all wait there, until somebody asks for the block diagonals. Internal to kernels/petsc/matrix_type.
#pragma once

#include <memory>

#include "formats/block_diagonals.hpp"
#include "formats/csr.hpp"
#include "formats/few_rows.hpp"
#include "kernels/petsc/matrix/structure.hpp"

namespace quadrille::petsc {

class GridValues {
 public:
  // Zeros. Couplings to ghosts only where `with_ghosts`.
  GridValues(const GridStructure& structure, bool with_ghosts);
  // The values of the block diagonals, [diagonal][column][row], and zeros of the ghosts.
  GridValues(const GridStructure& structure, bool with_ghosts, Array<double> values);
  // The same in GPU memory alone.
  GridValues(const GridStructure& structure, bool with_ghosts, Array<double, Device> values);
  // A copy of the newest values of another one with the same structure, in the memory where they are.
  void copy_from(GridValues& other);

  // Without couplings to ghosts: from now on these rows are all of the values, wanted there. Those of block
  // diagonals in GPU memory that nobody asked for yet are given up.
  void set(std::shared_ptr<const FewRows> rows, bool on_gpu);
  // They, as long as they are the newest values, or null.
  const std::shared_ptr<const FewRows>& few_rows() const { return few_rows_; }

  // Whether the newest values are in GPU memory, and perhaps in host memory as well: they are changed there.
  bool on_gpu() const { return newest_ != Newest::host; }
  // The same, before they are read or changed in part, there.
  bool bring_where_newest() {
    if (wait_) bring_few_rows(on_gpu());
    return on_gpu();
  }
  // Before the host's values are read, or changed in part.
  void bring_to_host() {
    if (wait_)
      bring_few_rows(false);
    else if (newest_ == Newest::gpu)
      copy_to_host();
  }
  void changed_on_host() { changed(Newest::host); }
  // Before the GPU's are read, or changed in part; or, without `keep`, before all of them are written.
  void bring_to_gpu(bool keep = true);
  void changed_on_gpu() { changed(Newest::gpu); }
  // All zero. Where the GPU has them too, the host's follow when they are asked for.
  void zero();

  // The arrays stay where they are. `ghost` is null on one rank, the GPU's before bring_to_gpu().
  const std::shared_ptr<BlockDiagonals<double>>& hub() const { return hub_; }
  const std::shared_ptr<Csr<double>>& ghost() const { return ghost_; }
  const std::shared_ptr<BlockDiagonals<double, Device>>& gpu_hub() const { return gpu_hub_; }
  const std::shared_ptr<Csr<double, Device>>& gpu_ghost() const { return gpu_ghost_; }
  // Which of this rank's rows those of `ghost` are.
  const Array<std::int32_t>& ghost_rows() const { return ghost_rows_; }
  const Array<std::int32_t, Device>& gpu_ghost_rows() const { return gpu_ghost_rows_; }

 private:
  enum class Newest { both, host, gpu };

  void changed(Newest where) {
    newest_ = where;
    zero_ = wait_ = false;
    few_rows_ = nullptr;
  }
  void bring_few_rows(bool to_gpu);
  void copy_to_host();
  void make_on_gpu();
  void make_ghosts_on_gpu();
  void zero_host();
  void zero_gpu();

  std::shared_ptr<BlockDiagonals<double>> hub_;
  std::shared_ptr<Csr<double>> ghost_;
  Array<std::int32_t> ghost_rows_;
  std::shared_ptr<BlockDiagonals<double, Device>> gpu_hub_;
  std::shared_ptr<Csr<double, Device>> gpu_ghost_;
  Array<std::int32_t, Device> gpu_ghost_rows_;
  std::shared_ptr<const FewRows> few_rows_;
  Newest newest_ = Newest::host;
  bool zero_ = true;     // all of the newest ones: the other side's need no copy
  bool wait_ = false;    // few_rows_ are the newest ones, and no block diagonals have them yet
  bool wanted_ = false;  // some had to have them
};

}  // namespace quadrille::petsc
