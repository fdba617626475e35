#include "kernels/petsc/base/node_exchange.hpp"

#include <petscsf.h>

#include <algorithm>
#include <iterator>

#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/gpu_ranks.hpp"
#include "kernels/petsc/base/indices.hpp"

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

class ByForest final : public NodeExchange {
 public:
  ByForest(Handle<PetscSF> forest, int dof, bool on_gpu)
      : doubles_(dof, MPI_DOUBLE),
        floats_(dof, MPI_FLOAT),
        forest_(std::move(forest)),
        memory_(on_gpu ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST),
        on_gpu_(on_gpu) {}

  void run(const double* from, double* to, void* stream) override {
    bring(doubles_.type(), from, to, stream);
  }
  void run(const float* from, float* to, void* stream) override { bring(floats_.type(), from, to, stream); }
  bool can_be_recorded() const override { return false; }

 private:
  // The forest works on PETSc's stream.
  template <class T>
  void bring(MPI_Datatype unit, const T* from, T* to, void* stream) {
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
};

// What a rank has itself, which may be most of its nodes, is copied as boxes.
class BetweenGpus final : public NodeExchange {
 public:
  BetweenGpus(std::vector<BoxTransfer> own, std::unique_ptr<cuda::PeerExchange> others, int dof)
      : own_(std::move(own)), others_(std::move(others)), dof_(dof) {}
  void run(const double* from, double* to, void* stream) override { bring(from, to, stream); }
  void run(const float* from, float* to, void* stream) override { bring(from, to, stream); }
  bool can_be_recorded() const override { return true; }

 private:
  template <class T>
  void bring(const T* from, T* to, void* stream) {
    const std::int64_t bytes = dof_ * static_cast<std::int64_t>(sizeof(T));
    for (const BoxTransfer& own : own_)
      cuda::copy_box(from, own.from, to, own.to, static_cast<int>(bytes / 4), {stream});
    others_->run(from, to, bytes, {stream});
  }

  std::vector<BoxTransfer> own_;
  std::unique_ptr<cuda::PeerExchange> others_;
  int dof_;
};

std::unique_ptr<NodeExchange> between_gpus(std::shared_ptr<cuda::Peers> peers, const TransfersTo& transfers,
                                           int ranks, int rank, int dof) {
  const auto units = [](const std::vector<BoxTransfer>& all, int of_rank, BoxWithin BoxTransfer::*side) {
    std::vector<BoxWithin> boxes;
    for (const BoxTransfer& each : all)
      if (each.rank == of_rank) boxes.push_back(each.*side);
    return cuda::places_of(boxes);
  };
  const std::vector<BoxTransfer> to_this = transfers(rank);
  std::vector<BoxTransfer> own;
  std::copy_if(to_this.begin(), to_this.end(), std::back_inserter(own),
               [=](const BoxTransfer& each) { return each.rank == rank; });
  std::vector<cuda::PeerUnits> sent, received;
  for (int other = 0; other < ranks; ++other) {
    if (other == rank) continue;
    sent.push_back({other, units(transfers(other), rank, &BoxTransfer::from)});
    received.push_back({other, units(to_this, other, &BoxTransfer::to)});
  }
  return std::make_unique<BetweenGpus>(
      std::move(own),
      cuda::make_peer_exchange(std::move(peers), std::move(sent), std::move(received),
                               dof * static_cast<std::int64_t>(sizeof(double))),
      dof);
}

Handle<PetscSF> forest_of(MPI_Comm comm, const std::vector<BoxTransfer>& transfers, std::int64_t from_nodes) {
  std::vector<PetscInt> leaves;
  std::vector<PetscSFNode> roots;
  for (const BoxTransfer& each : transfers)
    for (std::int64_t node = 0; node < each.to.nodes(); ++node) {
      leaves.push_back(to_petsc_int(each.to.place(node), "nodes of all ranks"));
      roots.push_back({each.rank, to_petsc_int(each.from.place(node), "nodes of all ranks")});
    }
  Handle<PetscSF> forest =
      make<PetscSF>("PetscSFCreate", [=](PetscSF* made) { return PetscSFCreate(comm, made); });
  QUADRILLE_PETSC(PetscSFSetFromOptions(forest.get()));
  QUADRILLE_PETSC(PetscSFSetGraph(forest.get(), to_petsc_int(from_nodes, "nodes of all ranks"),
                                  static_cast<PetscInt>(leaves.size()), leaves.data(), PETSC_COPY_VALUES,
                                  roots.data(), PETSC_COPY_VALUES));
  QUADRILLE_PETSC(PetscSFSetUp(forest.get()));
  return forest;
}

}  // namespace

std::unique_ptr<NodeExchange> make_node_exchange(MPI_Comm comm, const TransfersTo& transfers,
                                                 std::int64_t from_nodes, int dof, bool on_gpu) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  if (on_gpu)
    if (std::shared_ptr<cuda::Peers> peers = gpu_ranks(comm))
      return between_gpus(std::move(peers), transfers, ranks, rank, dof);
  return std::make_unique<ByForest>(forest_of(comm, transfers(rank), from_nodes), dof, on_gpu);
}

}  // namespace quadrille::petsc
