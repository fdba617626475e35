// What operators and PDEs declare, in options and their help. Internal to the options.
#pragma once

#include "assembly/pdes.hpp"
#include "drivers/support/options.hpp"
#include "drivers/support/options_values.hpp"

namespace quadrille {

// For help, as in "(default star; elasticity: box)": what most have, and the others by name.
std::string usual_stencils_of_operators();
std::string usual_stencils_of_pdes();
std::string usual_dofs_of_operators();
std::string usual_dofs_of_pdes();
std::string usual_faces_of_pdes();
std::string usual_ends_of_pdes();
// A line for each parameter; and what a run has, on one.
std::string parameters_help(const Pde& pde);
std::string parameters_text(const Pde& pde, const ParameterValues& values);

// The PDEs that take a box, or a star wider than radius 1; that take a coefficient.
Words pdes_in_time();
// Whether the solve that is asked for makes steps: of a PDE in time, without --steady.
bool makes_steps(const Settings& settings, const Pde& pde);
Words pdes_also_steady();
Words pdes_with_reaction();
Words pdes_with_box();
Words pdes_with_wide_star();
Words pdes_with_coefficient();
Words pdes_that_draw();  // a coefficient, where none is given
bool takes_initial_values(const Pde& pde);
Words pdes_with_initial();
// "a, b and c"
std::string all_of(const Words& words);

// On every face.
Boundary usual_boundary(const Pde& pde);
// Options that are these PDEs', and not the one's that was asked for: refused on the command line, and left
// out where a configuration file has them.
void leave_to(const Words& pdes, Settings& settings, const Words& names);
// Where no spacing is given: the PDE's length over the intervals between faces along x.
double usual_spacing_m(const Pde& pde, const Grid& grid, const Boundary& boundary);
// Those of a configuration file are of the PDE that it names, and the command line wins over each by itself.
void settle_parameters(Settings& settings, Settings& of_file);
// --parameter. Throws InputError for what the PDE does not take.
void read_parameters(Settings& settings, Options& options);
// --steps, --until, --dt, --output-every and those of checkpoints.
void read_time_options(Settings& settings, Options& options);

// The PDE that the options name or, where its coefficient is a tensor, what it is then.
const Pde& pde_of(const Options& options);

// Refuses what the options name and their PDE does not take.
void check_pde_options(const Settings& settings, const Options& options);

}  // namespace quadrille
