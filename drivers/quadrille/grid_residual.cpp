#include "quadrille/grid_residual.hpp"

#include <petscvec.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "assembly/residual_promises.hpp"
#include "grid/error.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/few_rows.hpp"
#include "kernels/petsc/base/check.hpp"
#include "kernels/petsc/base/device_work.hpp"
#include "kernels/petsc/base/node_exchange.hpp"
#include "kernels/petsc/base/vector_arrays.hpp"

namespace quadrille {
// What this rank needs of u: the vector itself on one rank, and else a copy of what stands in the window. In
// the memory where it is asked for.
class GridResidual::Ghosts {
 public:
  explicit Ghosts(std::shared_ptr<const GridLayout> layout)
      : window(window_around(layout->grid, layout->box())), layout_(std::move(layout)) {}

  const NodeWindow window;

  // [place in the window][unknown]. On the GPU in the default stream. Collective.
  const double* bring(const double* own, bool on_gpu) {
    if (layout_->partition.ranks() == 1) return own;
    return on_gpu ? on_gpu_.bring(*layout_, window, own) : on_host_.bring(*layout_, window, own);
  }

 private:
  template <class Space>
  struct Copy {
    Array<double, Space> values;
    std::unique_ptr<NodeExchange> exchange;

    const double* bring(const GridLayout& layout, const NodeWindow& window, const double* own) {
      if (!exchange) make(layout, window);
      exchange->run(own, values.data(), nullptr);
      return values.data();
    }
    void make(const GridLayout& layout, const NodeWindow& window) {
      const Partition& p = layout.partition;
      std::vector<NodeBox> boxes;
      for (int rank = 0; rank < p.ranks(); ++rank) boxes.push_back(box_of(p, rank));
      const auto window_of = [&](int rank) {
        return transfers(p, window_around(layout.grid, boxes[rank]).box, boxes);
      };
      values = Array<double, Space>(checked_product(window.nodes(), layout.grid.dof, "values around a box"));
      exchange = petsc::make_node_exchange(layout.comm, window_of, layout.box().nodes(), layout.grid.dof,
                                           std::is_same_v<Space, Device>);
    }
  };

  const std::shared_ptr<const GridLayout> layout_;
  Copy<Host> on_host_;
  Copy<Device> on_gpu_;
};

GridResidual::GridResidual(MPI_Comm comm, const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                           const AnyResidual& residual, const OperatorOptions& options)
    : residual_(residual), structure_(block_structure(grid, stencil, boundary, residual.fill)) {
  if (stencil.radius > 1)
    throw InputError("a residual asks for nodes beside its own alone: give the star or the box of radius 1");
  shape_ = jacobian_shape(structure_);
  const bool corners = stencil.offsets.size() > star_stencil(grid.dimension, 1).offsets.size();
  faces_ = std::make_unique<FaceValues>(grid, boundary, corners);
  const std::shared_ptr<const GridLayout> layout = share_grid(comm, grid, boundary);
  Boundary without_functions = boundary;
  without_functions.data = {};
  plain_faces_ = std::make_unique<FaceValues>(grid, without_functions, corners);
  OperatorOptions wish = options;
  if (wish.format == "auto" && !structure_.fill.said()) wish.format = "cds";  // its values say nothing yet
  wish.products = residual.linear ? 8 : 4;  // about as many come before the next values
  wish.options.few_rows = gives_few_rows(*layout);
  known_to_fit_ = by_few_rows_ = residual_.tested && wish.options.few_rows;
  jacobian_ = std::make_unique<GridOperator>(layout, stencil, boundary, rows_at_first(*layout, wish), wish);
  ghosts_ = std::make_unique<Ghosts>(layout);
}

// What the Jacobian is until differentiate(): the rows that will be all of it; or zeros where the fill says
// what couples; where it does not, the values decide, and any may be there. Those that are made in GPU memory
// need no copy there.
petsc::GridRows GridResidual::rows_at_first(const GridLayout& layout, const OperatorOptions& wish) const {
  if (by_few_rows_) return {structure_, {}, {}, few_rows(layout, 0, 1)};
  BlockStructure part = structure_;
  part.extents = layout.box().size;
  const std::int64_t size = value_bytes(part, 8) / 8;
  const bool zeros = structure_.fill.said(), on_one_rank = layout.partition.ranks() == 1;
  if (!on_one_rank || !residual_.differentiate_on_device || cuda::device_count() == 0 ||
      petsc::space_of(petsc::with_options(wish)) != SpaceKind::cuda)
    return {structure_, Array<double>(size, zeros ? 0.0 : 1.0)};
  Array<double, Device> values(size);
  cuda::fill_memory({}, values.data(), size, zeros ? 0 : 1);
  return {structure_, {}, std::move(values)};
}

void GridResidual::use(const AnyResidual& residual) {
  if (!(residual.fill == residual_.fill))
    throw FormatError("the residuals do not couple the same unknowns: make another GridResidual");
  residual_ = residual;
  known_to_fit_ = by_few_rows_ = residual_.tested && gives_few_rows(layout());
  ++functors_;
}

void GridResidual::precondition_by(GridResidual near) {
  if (near.structure_.extents != structure_.extents || near.structure_.dof != structure_.dof)
    throw FormatError("the residual to precondition by is of another grid or of other unknowns");
  near_ = std::make_unique<GridResidual>(std::move(near));
}

GridResidual::~GridResidual() = default;
GridResidual::GridResidual(GridResidual&&) noexcept = default;

// body(state), with arrays in the memory where it evaluates; on the GPU in the default stream.
template <class Body>
void GridResidual::with_state(double t_s, Vec u, Vec rate, bool on_gpu, const Body& body) const {
  const SpaceKind space = on_gpu ? SpaceKind::cuda : SpaceKind::cpu;
  const petsc::ReadArray own(u, space), rates(rate, space);
  const petsc::DefaultQueue order(on_gpu);
  const double* const around = ghosts_->bring(own.data(), on_gpu);
  faces_->ask(t_s);
  body(ResidualState{layout().grid, on_gpu ? faces_->on_device() : faces_->on_host(), layout().box(),
                     ghosts_->window, around, rates.data(), t_s});
}

bool GridResidual::evaluates_on_gpu(Vec u) const {
  if (!residual_.evaluate_on_device || jacobian_->space() != SpaceKind::cuda) return false;
  PetscMemType type = PETSC_MEMTYPE_HOST;
  const PetscScalar* data = nullptr;
  QUADRILLE_PETSC(VecGetArrayReadAndMemType(u, &data, &type));
  QUADRILLE_PETSC(VecRestoreArrayReadAndMemType(u, &data));
  return PetscMemTypeDevice(type);
}

void GridResidual::evaluate(double t_s, Vec u, Vec rate, Vec f) const {
  const bool on_gpu = evaluates_on_gpu(u);
  {
    const petsc::WriteArray to(f, on_gpu ? SpaceKind::cuda : SpaceKind::cpu);
    with_state(t_s, u, rate, on_gpu, [&](const ResidualState& at) {
      (on_gpu ? residual_.evaluate_on_device : residual_.evaluate)(at, to.data());
    });
  }
  if (!source_) return;
  if (source_->at && source_->t_s != t_s) {
    source_->at(t_s, source_->values);
    source_->t_s = t_s;
  }
  QUADRILLE_PETSC(VecAXPY(f, -1, source_->values.vec()));
}

namespace {
[[noreturn]] void throw_not_uniform() {
  throw InputError("the residual says that it is uniform, and its coefficients change from node to node");
}
}  // namespace

// False where that is not to be seen, for u is such that derivatives are no numbers.
bool GridResidual::fits(unsigned misfit) const {
  unsigned of_all = 0;
  MPI_Allreduce(&misfit, &of_all, 1, MPI_UNSIGNED, MPI_BOR, layout().comm);
  if (of_all != 0) {
    Vector sums = vector();
    jacobian_->multiply(vector().set(1), sums);
    if (!std::isfinite(sums.norm())) return false;
  }
  if ((of_all & Misfit::of_stencil) != 0)
    throw InputError("the residual asks for a neighbour that its stencil has not: give it box_stencil()");
  if ((of_all & Misfit::of_fill) != 0)
    throw FormatError("the residual couples unknowns that its couples() says do not");
  if ((of_all & Misfit::of_places) != 0) throw_not_uniform();
  return true;
}

void GridResidual::require_as_said(double t_s, double shift) const {
  faces_->ask(t_s);
  const BrokenPromises here =
      broken_promises(residual_, layout().grid, faces_->on_host(), layout().box(), shape_, t_s, shift);
  int mine[3] = {here.linear, here.symmetric, here.uniform}, anywhere[3] = {};
  MPI_Allreduce(mine, anywhere, 3, MPI_INT, MPI_MAX, layout().comm);
  if (anywhere[0] != 0)
    throw InputError("the residual says that it is linear, and its Jacobian changes with u or t");
  if (anywhere[1] != 0) throw InputError("the residual says that it is symmetric, and its Jacobian is not");
  if (anywhere[2] != 0) throw_not_uniform();
}

// What functions say at faces has no part in them.
FewRows GridResidual::few_rows(const GridLayout& layout, double t_s, double shift) const {
  FewRows rows = few_rows_of(structure_);
  fill_few_rows(residual_, layout.grid, plain_faces_->on_host(), t_s, shift, shape_, rows);
  return rows;
}

// Whether its functor does, and they are less than all. Ranks make theirs of all.
bool GridResidual::gives_few_rows(const GridLayout& layout) const {
  return residual_.rows_by_blocks && layout.partition.ranks() == 1 && !few_rows_of(structure_).stored.all;
}

// Whether they are those of the Jacobian that was made of all rows.
bool GridResidual::has_few_rows(double t_s, double shift) const {
  if (!gives_few_rows(layout())) return false;
  constexpr double rounding = 1e-10;  // of the largest value
  const FewRows rows = few_rows(layout(), t_s, shift);
  const Mat matrix = jacobian_->mat();
  double largest = 0;
  for (const double value : rows.a.values) largest = std::max(largest, std::abs(value));
  const double difference =
      petsc::values_are_on_gpu(matrix)
          ? cuda::largest_difference(rows, petsc::own_block_diagonals_on_device(matrix)->values.data())
          : largest_difference(rows, petsc::own_block_diagonals(matrix)->values.data());
  if (!(difference <= rounding * largest)) throw_not_uniform();
  return true;
}

void GridResidual::differentiate(double t_s, Vec u, Vec rate, double shift) {
  if (by_few_rows_) by_few_rows_ = petsc::refill(jacobian_->mat(), few_rows(layout(), t_s, shift));
  if (by_few_rows_) return;
  unsigned misfit = 0;
  const bool first = !known_to_fit_, all = first && !residual_.tested;
  const auto on_device = [&](double* values) {
    with_state(t_s, u, rate, true, [&](const ResidualState& at) {
      Array<unsigned, Device> found(all ? 1 : 0);
      if (all) cuda::zero_memory({}, found.data(), found.bytes());
      residual_.differentiate_on_device(at, shift, shape_, all ? found.data() : nullptr, values);
      if (all) memory::copy_to_host(&misfit, found.data(), found.bytes());
    });
  };
  const auto on_host = [&](double* values) {
    with_state(t_s, u, rate, false, [&](const ResidualState& at) {
      misfit = residual_.differentiate(at, shift, shape_, all, values);
    });
  };
  const Mat matrix = jacobian_->mat();
  if (!evaluates_on_gpu(u) || !petsc::refill_on_gpu(matrix, structure_, on_device))
    petsc::refill(matrix, structure_, on_host);
  if (!first || (all && !fits(misfit))) return;
  if (all) require_as_said(t_s, shift);
  known_to_fit_ = true;
  by_few_rows_ = has_few_rows(t_s, shift);
  jacobian_->choose_format_again(by_few_rows_);
  if (by_few_rows_) by_few_rows_ = petsc::refill(matrix, few_rows(layout(), t_s, shift));
}

void GridResidual::evaluate(double t_s, const Vector& u, const Vector& rate, Vector& f) const {
  evaluate(t_s, u.vec(), rate.vec(), f.vec());
}

void GridResidual::differentiate(double t_s, const Vector& u, const Vector& rate, double shift) {
  differentiate(t_s, u.vec(), rate.vec(), shift);
}

}  // namespace quadrille
