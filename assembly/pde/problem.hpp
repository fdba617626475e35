// How a PDE is declared, and what it is discretised: A u = rhs on the nodes of a grid.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assembly/device_operators.hpp"
#include "assembly/few_rows_of.hpp"
#include "assembly/pde/coefficient_field.hpp"
#include "assembly/pde/discretisation.hpp"
#include "assembly/pde/parameter.hpp"
#include "assembly/pde/tensor_field.hpp"
#include "assembly/residual.hpp"
#include "assembly/stencil_operator.hpp"

namespace quadrille {

// What a PDE takes beside grid, stencil and boundary.
struct PdeInput {
  std::uint64_t seed = 1;     // of coefficients that are drawn
  bool manufactured = false;  // with a right side for a known solution
  // Of a PDE that takes a coefficient: in place of a drawn one, and how many times it is along each axis.
  std::shared_ptr<const CoefficientField> coefficient = {};
  std::array<double, 3> coefficient_ratio{1, 1, 1};
  // In place of both, of one that is also `with_tensor`.
  std::shared_ptr<const TensorField> tensor = {};
  // Of one with an `assemble`: f in place of the default, [node] of every unknown alike, or [node][unknown].
  std::shared_ptr<const Array<double>> source = {};
  std::vector<double> source_everywhere = {};  // in place of it, [unknown]: the same at all nodes
  // The values are made in GPU memory, by PDEs that can; of a whole grid.
  bool on_device = false;
  bool steady = false;              // of a PDE in time that is `also_steady`: the problem with u_t = 0
  bool without_source = false;      // of one by its residual: f is 0, and who solves it subtracts another
  ParameterValues parameters = {};  // those that are given
  // Of a PDE that has a `rate`, [row][column] of the unknowns of a node, in 1/s; empty: its own.
  std::vector<double> reaction = {};
  // Of those that `varies` says, in place of a number: [node], and the name.
  std::vector<std::pair<std::string, std::shared_ptr<const Array<double>>>> fields = {};

  double value_of(const PdeParameter& parameter) const;                // the usual one where none is given
  const Array<double>* field_of(const PdeParameter& parameter) const;  // or null
};

// Of a box of nodes.
struct PdePart {
  AssembledBox<double> system;         // its rhs is complete: the source and the data of faces
  std::vector<double> rhs_everywhere;  // or empty, for it has these at all nodes, [unknown]
  std::vector<double> exact;           // [row of the box], of a manufactured problem; else empty
  bool singular = false;               // A maps constants to zero, those of each unknown of a node by itself
  // Where a coefficient has barriers: which closed region each node of the box is in, or -1, and how many
  // there are of all nodes.
  std::vector<std::int32_t> region;
  std::int64_t regions = 0;
};

// A PDE by its residual, of a box of nodes.
struct ResidualProblem {
  AnyResidual residual;
  std::vector<double> initial;  // [row of the box]: at time 0 or, of a steady one, where Newton begins
  // Of a manufactured problem, [row of the box]; else empty.
  std::function<std::vector<double>(double t_s)> exact;
  std::string note{};          // on the discretisation, for people
  std::string initial_note{};  // on `initial`, likewise
  std::string no_solution{};   // why there is none, in a sentence: whoever solves it need not try
  // Unknowns without a rate, of which the residual is u(r) less what the others say: at time 0 they are that,
  // whatever `initial` has for them.
  std::vector<int> follow{};
  // Its Jacobian is what preconditioners are made of, where that of `residual` does not suit them.
  AnyResidual near{};
  // Of other unknowns without a rate, where `initial` lacks them: what holds at time 0, and PETSc's options
  // that it is solved by, which begin with -at_first_.
  AnyResidual at_first{}, near_at_first{};
  std::string at_first_options{};
  // Unknowns whose residual has no source there.
  std::vector<int> at_first_without_source{};
  // Unknowns without a rate whose errors do not decide how long steps are.
  std::vector<int> without_control{};
};

// All kinds of faces.
const std::vector<BoundaryKind>& every_face();

// All that the program, its help and the tests know of a PDE: each has one, in its own file.
struct Pde {
  std::string name;      // of `quadrille solve NAME`
  std::string equation;  // "-div grad u = f"
  std::string about{};   // what the equation does not say, for people
  std::string source_units{}, solution_units = "1";
  Discretisation discretisation;
  std::vector<BoundaryKind> faces = every_face();  // it is solved with; the first is the default, with 0
  std::vector<PdeParameter> parameters{};
  // Why it does not take these, in a sentence, beyond the bounds of each by itself; empty where it does.
  std::string (*refuses)(const PdeInput&) = nullptr;
  bool takes_coefficient = false;  // that of PdeInput and its ratio, drawn by the seed where none is given
  // The PDE that it is where the coefficient is a tensor: other stencils and faces; null: it takes none.
  const Pde& (*with_tensor)() = nullptr;
  // Of the error in h against the manufactured solution, with stencils of radius 1 and each of its faces; 0
  // where it has none.
  int order = 2;
  // The PDE on a box of the nodes of a grid, bit by bit those of the whole: what a rank assembles. Nothing in
  // it is as large as the grid. Grid, stencil and faces are such as the PDE takes.
  PdePart (*assemble)(const Grid&, const Stencil&, const Boundary&, const PdeInput&,
                      const NodeBox&) = nullptr;
  // In place of it, of one that is nonlinear or changes in time.
  ResidualProblem (*residual)(const Grid&, const Boundary&, const PdeInput&, const NodeBox&) = nullptr;
  // The names of their fields, in 3D; empty: one field of all. And their units, where they differ.
  std::vector<std::string> unknowns{}, units{};
  // PETSc's defaults on the CPU, where the library's are not the best there; of one in time, of its steps.
  std::string petsc_options{};
  // The preconditioner takes the unknowns of the axes, and then the others.
  bool preconditions_apart = false;
  // Of one with an `assemble`: without fields its operator is that of assemble_uniform_system().
  bool uniform = false;
  double until_s = 0;          // of one in time: where it ends by default
  bool takes_initial = true;   // by its residual: what it begins with may be given
  const char* rate = nullptr;  // a parameter in whose place PdeInput's reaction may be given
  bool also_steady = false;    // of one in time: its problem with u_t = 0 is solved where it is asked for
  double length_m = 0;         // along x, where no spacing is given; 0: a spacing of 1 m

  bool in_time() const { return until_s > 0; }
};

// What the data of faces add to the right side, which stays empty where they add nothing.
template <class Coefficient>
void add_data(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
              const Coefficient& coefficient, const NodeBox& box, AssembledBox<double>& system) {
  if (!has_data(boundary, grid.dimension)) return;
  system.rhs = zeros(box.nodes() * grid.dof);
  subtract_data(grid, stencil, boundary, coefficient, box, system.rhs);
}

// The operator with what the data of faces add to its right side, in the memory where the input wants it: the
// GPU's for functors that assembly/device_operators.hpp lists, with an empty right side where they add
// nothing.
template <class Coefficient>
AssembledBox<double> assemble_system(const Grid& grid, const Stencil& stencil, const Boundary& boundary,
                                     const PdeInput& input, const Coefficient& coefficient,
                                     const NodeBox& box) {
  if constexpr (requires { values_on_device(grid, stencil, boundary, coefficient, box); })
    if (input.on_device) {
      AssembledBox<double> system;
      system.structure = block_structure(grid, stencil, boundary, fill_of(coefficient, grid.dof));
      system.device_values = values_on_device(grid, stencil, boundary, coefficient, box);
      add_data(grid, stencil, boundary, coefficient, box, system);
      return system;
    }
  return assemble_box<double>(grid, stencil, boundary, coefficient, box);
}

// The same of coefficients that are the same at all nodes but the two next to each face, make(grid): few rows
// are made. They are all of a whole grid that the input wants in GPU memory; on the host each stands at all
// nodes of the box that it stands for.
template <class Make>
AssembledBox<double> assemble_uniform_system(const Grid& grid, const Stencil& stencil,
                                             const Boundary& boundary, const PdeInput& input,
                                             const Make& make, const NodeBox& box) {
  std::optional<FewRows> rows;
  if (!input.on_device || box.nodes() == grid.nodes()) rows = few_rows_of(grid, stencil, boundary, make);
  if (!rows) return assemble_system(grid, stencil, boundary, input, make(grid), box);
  AssembledBox<double> system;
  system.structure = rows->a;
  add_data(grid, stencil, boundary, make(grid), box, system);
  if (input.on_device) {
    system.few_rows = std::move(rows);
    return system;
  }
  if (system.rhs.empty()) system.rhs = zeros(box.nodes() * grid.dof);
  system.values = Array<double>(checked_product(system.structure.diagonals() * grid.dof * grid.dof,
                                                box.nodes(), "the values of a box"));
  repeat_rows(*rows, box.first, box.size, system.values.data());
  return system;
}

// Whether no face fixes a value: all of them are periodic, clamp, outflow, flux, or robin with A = 0. Throws
// InputError where that is so for some unknowns only.
bool fixes_no_value(const Grid& grid, const Boundary& boundary);

// Throws InputError where robin has A and B of different signs and the grid is too coarse for it: |A| h must
// stay below 2 |B| a, with a of the flux q = a du/dn, the least there is.
void require_fine_enough(const Grid& grid, const Boundary& boundary, const std::string& who,
                         const std::function<double(int axis, int unknown)>& least_a);

// Adds source(position, r) to every row of the right side of a box; an empty one is of zeros.
template <class Source>
void add_source(const Grid& grid, const NodeBox& box, std::vector<double>& rhs, const Source& source) {
  if (rhs.empty()) rhs = zeros(box.nodes() * grid.dof);
#pragma omp parallel for schedule(static)
  for (std::int64_t line = 0; line < box.lines(); ++line) {
    const NodePosition first = box.first_of_line(line);
    double* const of_line = rhs.data() + line * box.size[0] * grid.dof;
    for (std::int64_t i = 0; i < box.size[0]; ++i)
      for (int r = 0; r < grid.dof; ++r)
        of_line[i * grid.dof + r] += source(Position{first[0] + i, first[1], first[2]}, r);
  }
}

// The source of a problem that is not manufactured: the one of the input or, without one, 1 everywhere and,
// where the mean of the right side must vanish, 1 in the lower half of the grid along x and -1 in the upper.
void add_usual_source(const Grid& grid, const NodeBox& box, const PdeInput& input, PdePart& problem);
double usual_source(const Grid& grid, const PdeInput& input, bool singular, std::int64_t node, int unknown);

}  // namespace quadrille
