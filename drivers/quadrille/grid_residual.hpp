// A PDE on a grid that ranks share by its residual F(t, u, u_t) = 0, from one functor: nonlinear and in time.
//
//   GridResidual f(PETSC_COMM_WORLD, grid, star_stencil(2, 1), faces, GrayScott{...});
//
// The functor is that of assembly/residual.hpp; its Jacobian is made from it by automatic differentiation.
// Both are evaluated on the host, by all of a rank's threads, also where products run on a GPU: vectors are
// then copied to and fro. A source file of nvcc gives device_residual(functor, dof), of
// <quadrille/device_residual.cuh>, in place of the functor: it is evaluated where the products are, and
// nothing but what functions of faces say is copied.
//
// The first Jacobian of each functor shows whether it keeps to the stencil (else that is an InputError), to
// what its couples() says (assembly/stencil_operator.hpp; else a FormatError), and whether it is linear and
// symmetric where it says so (else an InputError).
#pragma once

#include <petscmat.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "assembly/residual.hpp"
#include "assembly/stencil_operator.hpp"
#include "quadrille/grid_operator.hpp"
#include "quadrille/vector.hpp"

namespace quadrille {

class GridResidual {
 public:
  // The stencil, of radius 1, has what the functor asks for: the star, or the box for diagonal neighbours.
  // `options` are those of the Jacobian, in cds unless they name a format. Collective, as everything here.
  // Throws as GridOperator, and InputError for a wider stencil.
  template <class Residual>
  GridResidual(MPI_Comm comm, const Grid& grid, const Stencil& stencil, const Boundary& boundary,
               const Residual& residual, const OperatorOptions& options = {})
      : GridResidual(comm, grid, stencil, boundary, any_residual(residual, grid.dof), options) {}
  GridResidual(MPI_Comm comm, const Grid& grid, const Stencil& stencil, const Boundary& boundary,
               const AnyResidual& residual, const OperatorOptions& options = {});
  ~GridResidual();
  GridResidual(GridResidual&&) noexcept;

  // Another functor from now on, with other coefficients, say. Throws FormatError where it says of its
  // unknowns that others couple.
  template <class Residual>
  void use(const Residual& residual) {
    use(any_residual(residual, layout().grid.dof));
  }
  void use(const AnyResidual& residual);

  // F less `source` from now on, in place of F: what depends on neither t nor u, a vector() of this; or what
  // source_at(t in s, vector) writes into such a vector, asked again where t is another one.
  void subtract(Vector source) { source_ = std::make_unique<Source>(std::move(source)); }
  void subtract(std::function<void(double t_s, Vector& source)> source_at) {
    source_ = std::make_unique<Source>(vector(), std::move(source_at));
  }

  // From now on preconditioners that take unknowns apart (PCFIELDSPLIT) are made of the Jacobian of `near`, a
  // residual with this one's vectors, and not of F's own. Throws FormatError where it has others.
  void precondition_by(GridResidual near);
  GridResidual* near() const { return near_.get(); }  // or null

  // f = F(t, u, rate), and jacobian() = dF/du + shift dF/du_t there.
  void evaluate(double t_s, const Vector& u, const Vector& rate, Vector& f) const;
  void differentiate(double t_s, const Vector& u, const Vector& rate, double shift);
  const GridOperator& jacobian() const { return *jacobian_; }
  // What the functor says of itself (assembly/residual.hpp).
  bool linear() const { return residual_.linear; }
  bool symmetric() const { return residual_.symmetric; }
  int functors() const { return functors_; }  // so many were in use() so far

  Vector vector() const { return jacobian_->vector(); }  // of zeros
  const GridLayout& layout() const { return jacobian_->layout(); }

  // The same with PETSc's vectors, for who calls PETSc.
  void evaluate(double t_s, Vec u, Vec rate, Vec f) const;
  void differentiate(double t_s, Vec u, Vec rate, double shift);

 private:
  class Ghosts;
  struct Source {
    Vector values;
    std::function<void(double, Vector&)> at = {};
    std::optional<double> t_s = {};  // of the values, of a source in time
  };
  template <class Body>
  void with_state(double t_s, Vec u, Vec rate, bool on_gpu, const Body& body) const;
  petsc::GridRows rows_at_first(const GridLayout& layout, const OperatorOptions& wish) const;
  bool evaluates_on_gpu(Vec u) const;
  bool fits(unsigned misfit) const;
  void require_as_said(double t_s, double shift) const;
  FewRows few_rows(const GridLayout& layout, double t_s, double shift) const;
  bool gives_few_rows(const GridLayout& layout) const;
  bool has_few_rows(double t_s, double shift) const;

  AnyResidual residual_;
  BlockStructure structure_;  // of the whole grid
  JacobianShape shape_;
  std::unique_ptr<FaceValues> faces_, plain_faces_;  // plain: without functions
  std::unique_ptr<GridOperator> jacobian_;
  std::unique_ptr<Ghosts> ghosts_;
  std::unique_ptr<Source> source_;
  std::unique_ptr<GridResidual> near_;
  bool known_to_fit_ = false;  // the functor that is in use
  bool by_few_rows_ = false;   // few rows are all of its Jacobian
  int functors_ = 0;
};

}  // namespace quadrille
