#include "quadrille/grid_residual.hpp"

#include <petscvec.h>

#include <vector>

#include "grid/error.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/indices.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"

namespace quadrille {
namespace {

struct DestroyScatter {
  void operator()(VecScatter s) const { (void)VecScatterDestroy(&s); }
};

}  // namespace

// What this rank needs of u: the vector itself on one rank, and else a copy of what stands in the window.
struct GridResidual::Ghosts {
  NodeWindow window;
  petsc::Handle<Vec> around;  // [place][unknown]; null on one rank
  std::unique_ptr<std::remove_pointer_t<VecScatter>, DestroyScatter> scatter;

  Ghosts(const GridLayout& layout, Vec model) : window(window_around(layout.grid, layout.box())) {
    if (layout.partition.ranks() == 1) return;
    const int dof = layout.grid.dof;
    std::vector<PetscInt> node(static_cast<std::size_t>(window.nodes()));
    for (std::int64_t i = 0; i < window.nodes(); ++i) {
      const Position at = window.position(i);
      node[static_cast<std::size_t>(i)] =
          petsc::to_petsc_int(number_of(layout.partition, {at.x, at.y, at.z}), "nodes of all ranks");
    }
    const PetscInt size = petsc::to_petsc_int(window.nodes() * dof, "values around a rank's box");
    around = petsc::make<Vec>("VecCreateSeq", [=](Vec* v) { return VecCreateSeq(PETSC_COMM_SELF, size, v); });
    IS from = nullptr, to = nullptr;
    QUADRILLE_PETSC(ISCreateBlock(PETSC_COMM_SELF, dof, static_cast<PetscInt>(node.size()), node.data(),
                                  PETSC_COPY_VALUES, &from));
    const petsc::Handle<IS> of_all(from);
    QUADRILLE_PETSC(ISCreateStride(PETSC_COMM_SELF, size, 0, 1, &to));
    const petsc::Handle<IS> here(to);
    VecScatter made = nullptr;
    QUADRILLE_PETSC(VecScatterCreate(model, from, around.get(), to, &made));
    scatter.reset(made);
  }

  Vec bring(Vec u) const {
    if (!around) return u;
    QUADRILLE_PETSC(VecScatterBegin(scatter.get(), u, around.get(), INSERT_VALUES, SCATTER_FORWARD));
    QUADRILLE_PETSC(VecScatterEnd(scatter.get(), u, around.get(), INSERT_VALUES, SCATTER_FORWARD));
    return around.get();
  }
};

GridResidual::GridResidual(MPI_Comm comm, const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                           const AnyResidual& residual, const OperatorOptions& options)
    : residual_(residual),
      boundary_(boundary),
      structure_(block_structure(grid, stencil, boundary, residual.fill)) {
  if (stencil.radius > 1)
    throw InputError("a residual asks for nodes beside its own alone: give the star or the box of radius 1");
  const std::shared_ptr<const GridLayout> layout = share_grid(comm, grid, boundary);
  BlockStructure part = structure_;
  part.extents = layout->box().size;
  OperatorOptions wish = options;
  if (wish.format == "auto") wish.format = "cds";  // of values that change a choice would not know
  const double at_first = structure_.fill.said() ? 0.0 : 1.0;  // the values decide where nothing is said
  jacobian_ = std::make_unique<GridOperator>(
      layout, stencil, boundary,
      petsc::GridRows{structure_, Array<double>(value_bytes(part, 8) / 8, at_first)}, wish);
  const Vector model = vector();
  ghosts_ = std::make_unique<Ghosts>(*layout, model.vec());
}

void GridResidual::use(const AnyResidual& residual) {
  if (!(residual.fill == residual_.fill))
    throw FormatError("the residuals do not couple the same unknowns: make another GridResidual");
  residual_ = residual;
}

GridResidual::~GridResidual() = default;
GridResidual::GridResidual(GridResidual&&) noexcept = default;

template <class Body>
void GridResidual::with_state(double t_s, Vec u, Vec rate, const Body& body) const {
  const petsc::ReadArray around(ghosts_->bring(u)), rates(rate);
  body(ResidualState{layout().grid, &boundary_, layout().box(), ghosts_->window, around.data(), rates.data(),
                     t_s});
}

void GridResidual::evaluate(double t_s, Vec u, Vec rate, Vec f) const {
  const petsc::WriteArray to(f);
  with_state(t_s, u, rate, [&](const ResidualState& at) { residual_.evaluate(at, to.data()); });
}

void GridResidual::differentiate(double t_s, Vec u, Vec rate, double shift) {
  with_state(t_s, u, rate, [&](const ResidualState& at) {
    petsc::refill(jacobian_->mat(), structure_,
                  [&](double* values) { residual_.differentiate(at, shift, structure_, values); });
  });
}

void GridResidual::evaluate(double t_s, const Vector& u, const Vector& rate, Vector& f) const {
  evaluate(t_s, u.vec(), rate.vec(), f.vec());
}

void GridResidual::differentiate(double t_s, const Vector& u, const Vector& rate, double shift) {
  differentiate(t_s, u.vec(), rate.vec(), shift);
}

}  // namespace quadrille
