#include "kernels/petsc/multigrid/rank_exchange.hpp"

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/gpu_ranks.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/session.hpp"

namespace quadrille::petsc {
namespace {

// The unknowns of a node as one datum of MPI's.
class Unit {
 public:
  Unit(int dof, MPI_Datatype of) {
    MPI_Type_contiguous(dof, of, &type_);
    MPI_Type_commit(&type_);
  }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  ~Unit() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Type_free(&type_);
  }
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class Exchange final : public multigrid::NodeExchange {
 public:
  Exchange(Handle<PetscSF> forest, int dof, bool on_gpu)
      : doubles_(dof, MPI_DOUBLE),
        floats_(dof, MPI_FLOAT),
        forest_(std::move(forest)),
        memory_(on_gpu ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST),
        on_gpu_(on_gpu),
        dof_(dof) {
    if (on_gpu) between_gpus_ = gpu_exchange(forest_.get(), dof * static_cast<std::int64_t>(sizeof(double)));
  }

  void run(const double* from, double* to, void* stream) override {
    bring(doubles_.type(), from, to, stream);
  }
  void run(const float* from, float* to, void* stream) override { bring(floats_.type(), from, to, stream); }
  bool can_be_recorded() const override { return between_gpus_ != nullptr; }

 private:
  // The forest works on PETSc's stream.
  template <class T>
  void bring(MPI_Datatype unit, const T* from, T* to, void* stream) {
    if (between_gpus_)
      return between_gpus_->run(from, to, dof_ * static_cast<std::int64_t>(sizeof(T)), {stream});
    const Queue ours{stream}, theirs = on_gpu_ ? current_queue() : ours;
    if (ours.stream != theirs.stream) cuda::wait_for(ours, theirs);
    QUADRILLE_PETSC(
        PetscSFBcastWithMemTypeBegin(forest_.get(), unit, memory_, from, memory_, to, MPI_REPLACE));
    QUADRILLE_PETSC(PetscSFBcastEnd(forest_.get(), unit, from, to, MPI_REPLACE));
    if (ours.stream != theirs.stream) cuda::wait_for(theirs, ours);
  }

  Unit doubles_, floats_;
  Handle<PetscSF> forest_;  // goes before its units
  PetscMemType memory_;
  bool on_gpu_;
  std::int64_t dof_;
  std::unique_ptr<cuda::PeerExchange> between_gpus_;  // instead of the forest, which goes through the host
};

}  // namespace

std::unique_ptr<multigrid::NodeExchange> PetscRanks::exchange(std::int64_t from_nodes,
                                                              const std::vector<std::int64_t>& to,
                                                              const std::vector<multigrid::NodePlace>& from,
                                                              int dof, bool on_gpu) {
  if (on_gpu && !has_cuda())
    throw FormatError(
        "quadrille_mg on several ranks needs a PETSc with CUDA for operators on the GPU; "
        "-mat_quadrille_space cpu runs without");
  std::vector<PetscInt> leaves = to_petsc_ints(to, "nodes of multigrid");
  std::vector<PetscSFNode> roots;
  roots.reserve(from.size());
  for (const multigrid::NodePlace& node : from)
    roots.push_back({node.rank, to_petsc_int(node.place, "nodes of multigrid")});
  Handle<PetscSF> forest =
      make<PetscSF>("PetscSFCreate", [this](PetscSF* made) { return PetscSFCreate(comm_, made); });
  QUADRILLE_PETSC(PetscSFSetFromOptions(forest.get()));
  QUADRILLE_PETSC(PetscSFSetGraph(forest.get(), to_petsc_int(from_nodes, "nodes of multigrid"),
                                  static_cast<PetscInt>(leaves.size()), leaves.data(), PETSC_COPY_VALUES,
                                  roots.data(), PETSC_COPY_VALUES));
  QUADRILLE_PETSC(PetscSFSetUp(forest.get()));
  return std::make_unique<Exchange>(std::move(forest), dof, on_gpu);
}

void PetscRanks::sum(std::vector<double>& values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, comm_);
}

double PetscRanks::largest(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return value;
}

}  // namespace quadrille::petsc
