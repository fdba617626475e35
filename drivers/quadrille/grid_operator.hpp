// A stencil operator on a grid that ranks share, from a coefficient functor: a PETSc matrix of the type
// `quadrille`, and its vectors.
//
//   GridOperator a(PETSC_COMM_WORLD, grid, star_stencil(3, 1), faces, model, {.format = "cds"});
//   a.update(model, b);   // new values in place, and the right side that belongs to them
//
// The functor is that of assembly/stencil_operator.hpp: coefficient(node, neighbour, r, c), trivially
// copyable. It may have a source as well,
//
//   constexpr double source(const StencilNode& node, int unknown) const;
//
// which the right side holds beside what the data of the faces move there. Or it is the residual of a linear
// PDE (assembly/linear_residual.hpp), as that of GridResidual is. What couples() says, where it has
// that, stays as it was when the operator was made. Coefficients are evaluated on the host, by all of a
// rank's threads, also where products run on a GPU: the values are then copied there. A source file of nvcc
// may give update() on_device(model), of <quadrille/device_fill.cuh>: they are made in GPU memory then.
#pragma once

#include <petscmat.h>

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "assembly/on_device.hpp"
#include "assembly/stencil_operator.hpp"
#include "grid/boundary.hpp"
#include "grid/partition.hpp"
#include "kernels/petsc/matrix/grid_matrix.hpp"
#include "kernels/petsc/solve/format_choice.hpp"
#include "quadrille/vector.hpp"

namespace quadrille {

// In which format products are made, and where: {.format = "cds", .space = "cpu"}. Without a format it is the
// fastest by prediction, without a space a GPU where PETSc's vectors can be there too; -mat_quadrille_format,
// -mat_quadrille_space and -mat_quadrille_value_precision of the command line win.
using OperatorOptions = petsc::FormatWish;

class GridOperator {
 public:
  // Boxes of the grid for the ranks of `comm`, by make_partition(). Collective, as everything here. Throws
  // InputError where grid, stencil and boundary do not fit each other, FormatError for a format that there is
  // not, is not there in this space or refuses the operator, MemoryError, CudaError and PetscError. What
  // coefficients throw on one rank throws on all.
  template <class Model>
  GridOperator(MPI_Comm comm, const Grid& grid, const Stencil& stencil, const Boundary& boundary,
               const Model& model, const OperatorOptions& options = {})
      : GridOperator(comm, grid, stencil, boundary, fill_of(model, grid.dof)) {
    AssembledBox<double> rows;
    together(comm, [&] { rows = assemble_box<double>(grid, stencil, boundary, model, layout_->box()); });
    make_matrix({std::move(rows.structure), std::move(rows.values)}, options);
  }
  // From rows that are there, of the box of this rank in `layout`, in host memory or the GPU's.
  GridOperator(std::shared_ptr<const GridLayout> layout, const Stencil& stencil, const Boundary& boundary,
               petsc::GridRows rows, const OperatorOptions& options = {});
  GridOperator(GridOperator&&) = default;
  GridOperator& operator=(GridOperator&&) = default;

  // New coefficients, where grid, stencil and boundary stay; a function that gives the data of a face may
  // give others. Values change in place and PETSc is told: products in every format, transposes, and whatever
  // a solver makes of the matrix after it are those of the new values. `b` becomes the right side: the
  // source, where the functor has one, and the data of the faces. Throws InputError where a coefficient is
  // not 0 that couples() leaves out; values and `b` are then of no use until an update without.
  template <class Model>
  void update(const Model& model, Vector& b) {
    require_own(b);
    const HostValues<double> rhs = b.values();
    refill(model, {rhs.begin(), rhs.end()});
  }
  template <class Model>
  void update(const Model& model) {
    refill(model, {});
  }
  // The same with values made in GPU memory, where products run there.
  template <class Model>
  void update(const OnDevice<Model>& model, Vector& b) {
    if (refill_on_gpu(model.fill))
      right_side(model.host, b);
    else
      update(model.host, b);
  }
  template <class Model>
  void update(const OnDevice<Model>& model) {
    if (!refill_on_gpu(model.fill)) update(model.host);
  }
  // The right side alone: faces whose data are new, say, where the matrix stays.
  template <class Model>
  void right_side(const Model& model, Vector& b) const {
    require_own(b);
    const HostValues<double> rhs = b.values();
    begin_right_side(model, {rhs.begin(), rhs.end()});
    subtract_data(layout_->grid, stencil_, boundary_, model, layout_->box(),
                  std::span<double>(rhs.begin(), rhs.end()));
  }

  Mat mat() const { return matrix_.get(); }  // for PETSc's functions; stays this one's
  const petsc::SharedMat& shared_mat() const { return matrix_; }
  Vector vector() const;                            // of zeros, in the memory where this one multiplies
  void multiply(const Vector& x, Vector& y) const;  // y = A x
  void multiply_transposed(const Vector& x, Vector& y) const;  // y = A^T x
  // |b - A x| / |b|, or |b - A x| where b is zero. A is as it was assembled, also where products round its
  // values (FormatOptions::value_precision).
  double residual(const Vector& b, const Vector& x) const;

  const GridLayout& layout() const { return *layout_; }
  const Boundary& boundary() const { return boundary_; }
  const std::string& format() const { return format_.name; }
  SpaceKind space() const { return format_.space; }
  // Of a format that nobody named, on the first rank: lines for people.
  const std::string& why_this_format() const { return why_; }
  std::int64_t stored_bytes() const;  // of this rank's operator in its format

  // Where nobody named a format: the fastest once more, by the values that are there now, where products run
  // already; for an operator that was made before it had values. `few_rows`: whether those that follow are
  // few rows that are all of them. Throws as the constructors do.
  void choose_format_again(bool few_rows);

 private:
  GridOperator(MPI_Comm comm, const Grid& grid, const Stencil& stencil, const Boundary& boundary,
               BlockFill fill);
  // A step of each rank by itself: where it throws on one, it does on all.
  static void together(MPI_Comm comm, const std::function<void()>& step);
  void make_matrix(petsc::GridRows rows, const OperatorOptions& options);
  void choose_format();
  void require_own(const Vector& b) const;
  // Whether `fill` made the values; else they are to be made on the host.
  bool refill_on_gpu(const std::function<void(const Grid&, const Stencil&, const Boundary&,
                                              const BlockStructure&, const NodeBox&, double*)>& fill);

  template <class Model>
  void begin_right_side(const Model& model, std::span<double> rhs) const {
    const NodeBox box = layout_->box();
    const auto& coefficient = coefficients_of(model, layout_->grid, boundary_, box);
    const int dof = layout_->grid.dof;
#pragma omp parallel for schedule(static)
    for (std::int64_t line = 0; line < box.lines(); ++line) {
      const NodePosition first = box.first_of_line(line);
      double* const of_line = rhs.data() + line * box.size[0] * dof;
      for (std::int64_t i = 0; i < box.size[0]; ++i) {
        const Position at{first[0] + i, first[1], first[2]};
        for (int r = 0; r < dof; ++r)
          if constexpr (requires { coefficient.source(StencilNode{}, r); })
            of_line[i * dof + r] = coefficient.source(StencilNode{node_index(layout_->grid, at), at}, r);
          else
            of_line[i * dof + r] = 0;
      }
    }
  }

  template <class Model>
  void refill(const Model& model, std::span<double> rhs) {
    if (!rhs.empty()) begin_right_side(model, rhs);
    petsc::refill(matrix_.get(), structure_, [&](double* values) {
      together(layout_->comm, [&] {
        refill_box(layout_->grid, stencil_, boundary_, model, layout_->box(), structure_, values, rhs);
      });
    });
  }

  std::shared_ptr<const GridLayout> layout_;
  Stencil stencil_;
  Boundary boundary_;
  BlockStructure structure_;  // of the whole grid
  OperatorOptions wish_;
  petsc::GridFormat format_;
  std::string why_;
  petsc::SharedMat matrix_;
};

}  // namespace quadrille
