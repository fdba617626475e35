// Chosen elements of a vector of several ranks in a vector of one rank alone, and what is added back to them.
// Internal to kernels/petsc.
#pragma once

#include <petscvec.h>

#include <memory>
#include <optional>
#include <vector>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/gpu_ranks.hpp"

namespace quadrille::petsc {

class Gathering {
 public:
  // For vectors with the layout of `model`. `blocks`: numbers of blocks of `block_size` elements, counted
  // over all ranks, each once, in the order in which local() has them. Collective.
  Gathering(Vec model, const std::vector<PetscInt>& blocks, PetscInt block_size);

  // This rank's vector: in GPU memory where that is allowed and the vector `like` is one that lives there,
  // else in host memory. The same one until that changes.
  Vec local(Vec like, bool may_be_on_gpu);
  Vec local() const { return local_.get(); }
  bool on_gpu() const { return on_gpu_; }

  // local() = from[blocks]; collective, as is the next one. What runs between begin and end may not write to
  // `from`.
  void begin(Vec from);
  void end(Vec from);
  // to[blocks] += local()
  void add(Vec to);

 private:
  // Instead of the scatter, which goes through the host where MPI knows no GPU; null where there is none.
  cuda::PeerExchange* between_gpus();

  PetscInt size_, block_size_;
  Handle<VecScatter> scatter_;
  Handle<Vec> local_;
  bool on_gpu_ = false;
  std::optional<std::unique_ptr<cuda::PeerExchange>> between_gpus_;  // once it was looked for
};

}  // namespace quadrille::petsc
