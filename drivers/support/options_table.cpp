#include "drivers/support/options_table.hpp"

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <sstream>

#include "assembly/generated_matrices.hpp"
#include "assembly/operators.hpp"
#include "drivers/support/options.hpp"
#include "drivers/support/options_matrices.hpp"
#include "drivers/support/options_pdes.hpp"
#include "drivers/support/options_values.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/registry.hpp"

namespace po = boost::program_options;

namespace quadrille {

namespace {

constexpr unsigned help_width = 110;

std::vector<OptionSpec> experiment_options() {
  std::vector<std::string> names;
  for (const ExperimentSpec& experiment : experiment_table()) names.push_back(experiment.name);
  return {{"experiment", "NAME", "Experiment", for_bench, true,
           listed(names) + "; the name alone, without --experiment, does as well"}};
}

Words linear_names() {
  Words names;
  for (const Pde& pde : linear_pdes()) names.push_back(pde.name);
  return names;
}

std::vector<OptionSpec> pde_options() {
  const std::string group = "PDE";
  return {
      {"pde", "PDE", group, for_solve, true,
       listed(pde_names()) + "; the name alone, without --pde, does as well"},
      {"manufactured", "", group, for_solve, true,
       "solve for a smooth function that fulfils the boundary, and report the errors against it"},
      {"parameter", "NAME=VALUE", group, for_solve, true,
       "a constant of the PDE, of those that stand with it above: lambda=7; as often as wanted, or with "
       "commas between; where it says so a formula in x, y and z or a dataset, too, as for --coefficient: "
       "v_x=sin(pi*y),d=flow.h5:d",
       ","},
      {"coefficient", "log_normal | FORMULA | FILE.h5:DATASET", group, for_solve, true,
       "a of " + all_of(pdes_with_coefficient()) + ": log_normal draws one of " + all_of(pdes_that_draw()) +
           ", with jumps of 1e6; a formula in x, y and z, in m from the first node, as "
           "'1 + 9*(x > 20)', is muParser's; a dataset [z][y][x] or [y][x], or a field that this program "
           "wrote "
           "(its last step), gives one, and the grid; where it is 0 nothing flows, and u of diffusion is 0; "
           "it may be a tensor, of 3 numbers a node in 2D (Kxx, Kxy, Kyy) and 6 in 3D (Kxx, "
           "Kxy, "
           "Kxz, Kyy, Kyz, Kzz), with commas between or along the last axis of a dataset (default "
           "log_normal, "
           "of heat 1)"},
      {"coefficient-ratio", "X | X,Y[,Z]", group, for_solve, true,
       "times what the coefficient is along each axis: 1,1,0.1 for a tenth along z (default 1)"},
      {"reaction", "NUMBERS | FILE.h5:DATASET", group, for_solve, true,
       "R of " + all_of(pdes_with_reaction()) +
           ", a number for each two unknowns of a node, in 1/s, row by row with commas between: "
           "1,0,-1,0.5; or a dataset with a row and a column for each (default a chain of decays, by k)"},
      {"source", "unit | FORMULA | FILE.h5:DATASET", group, for_solve, true,
       "f, or what stands beside on the right of each equation: unit is 1 everywhere or, where no face holds "
       "a value, 1 in the lower half along x and -1 in the upper (default of " +
           all_of(linear_names()) +
           "; of others the PDE's own); formulas in x, y and z, in m from the first node, of PDEs in time "
           "with the time t in s, one for all unknowns or, with commas between, one for each, as '0, 0, "
           "-9810'; or a dataset as for --coefficient, which may have the unknowns of a node, or one for "
           "each with commas between"},
      {"initial", "zero | noise | hill | FORMULA | FILE.h5:DATASET", group, for_solve, true,
       "what " + all_of(pdes_with_initial()) +
           " begin with: zero; noise, drawn from -0.05 to 0.05 at each node; a hill of height 1 in the "
           "middle; formulas or datasets as for --source, without t, as '1 - 2*(x < 1), 0.25*sin(pi*y)' "
           "(default the PDE's own)"},
  };
}

std::vector<OptionSpec> time_options() {
  const std::string group = "Time, of " + all_of(pdes_in_time());
  return {
      {"steady", "", group, for_solve, true,
       "the steady problem, with u_t = 0, of " + all_of(pdes_also_steady())},
      {"steps", "N", group, for_solve, true, "so many steps, all of --dt"},
      {"until", "T", group, for_solve, true,
       "the end, in s; steps follow the estimate of their error (-ts_rtol, -ts_atol after the bare --), and "
       "the "
       "last one hits it (default " +
           usual_ends_of_pdes() + ")"},
      {"dt", "T", group, for_solve, true,
       "the step in s, without --steps the first one (default a thousandth of the way to the end)"},
      {"output-every", "N | Ts", group, for_solve, true,
       "what --output gets beside the beginning and the end: every N-th step, or, as 0.5s, the state every "
       "so "
       "many seconds, which steps then hit (default nothing)"},
      {"checkpoint-every", "N | Nmin", group, for_solve, true,
       "keeps the state every N-th step, or every 10min (90s, 2h) of the clock, as NAME.checkpoint-STEP.h5 "
       "beside --output NAME.h5, without which NAME is the PDE's; the last two stay; methods of several "
       "steps, such as bdf, begin anew there (default not)"},
      {"wall-time", "MINUTES", group, for_solve, true,
       "ends the run after so many minutes, or 90s or 2h, after the step that it is in, with a checkpoint, "
       "and exits 1 where it was not at its end; so do SIGTERM and SIGINT where --checkpoint-every, "
       "--wall-time or --restart is given (default never)"},
      {"restart", "FILE.h5 | auto", group, for_solve, true,
       "goes on from a checkpoint of the same problem, on any number of ranks, and with the --output that "
       "it is of; a damaged one is left out for the one before; auto: the newest whole one, and where there "
       "is none the run starts; --steps and --until count from the beginning"},
  };
}

std::vector<OptionSpec> grid_options() {
  const std::string group = "Grid";
  const unsigned to = for_grids;
  return {
      {"grid", "NXxNY[xNZ]", group, to, true, "nodes along x, y and z (default 64x64x64)"},
      {"grid", "GRID,GRID,...", group, for_bench, true,
       "each NXxNY or NXxNYxNZ, nodes along x, y and z (default " + std::string(bench_grids) +
           "; of experiments that take matrices none, unless --dofs is given)"},
      {"dofs", "LIST", group, for_bench, true,
       "unknowns per node, numbers and ranges with commas between, 1 to 64 (default " +
           std::string(bench_dofs) + "; of experiments that take matrices " + usual_dofs_of_operators() +
           ")"},
      {"spacing", "H | HX,HY[,HZ]", group, to, true,
       "distance of neighbouring nodes in m, one for all axes or one per axis (default 1)"},
      {"dof", "N", group, for_operators, true,
       "unknowns per node, 1 to 64 (default " + usual_dofs_of_operators() + ")"},
      {"dof", "N", group, for_solve, true,
       "unknowns per node, 1 to 64, each solved for by itself (default " + usual_dofs_of_pdes() + ")"},
      {"stencil", "star | box", group, for_solve, true,
       "star: neighbours along the axes; box: diagonal ones too, of " + all_of(pdes_with_box()) +
           " (default " + usual_stencils_of_pdes() + ")"},
      {"stencil", "star | box | FILE", group, for_formats, true,
       "star: neighbours along the axes; box: diagonal ones too; FILE: one offset 'dx dy [dz]' a line "
       "(default " +
           usual_stencils_of_operators() + ")"},
      {"radius", "R", group, for_formats, true, "reach of star and box in nodes, 1 to 4 (default 1)"},
      {"radius", "R", group, for_solve, true,
       "reach of the star in nodes, 1 to 4; more than 1 is for " + all_of(pdes_with_wide_star()) +
           ": order 4 by 2; 3 and 4 gain on periodic grids (default 1)"},
      {"boundary", "KIND | LIST", group, for_formats, true,
       "what lies beyond a face: drop, periodic, value:X, clamp, outflow, flux:X (q = X half a spacing "
       "beyond the last node) or robin:A,B,C (A u + B q = C there; q = a du/dn outwards); one for all "
       "faces, or one per face as x-,x+,y-,y+[,z-,z+]; of each unknown its own with slashes between: "
       "value:0/clamp (default drop)"},
      {"boundary", "KIND | LIST", group, for_solve, true,
       "value:X (u = X one spacing beyond the last node; drop is value:0), periodic, and half a spacing "
       "beyond the last node flux:X (q = a du/dn outwards is X), robin:A,B,C (A u + B q = C) or clamp and "
       "outflow (no flux); one for all faces, or one per face as x-,x+,y-,y+[,z-,z+]; of each unknown its "
       "own with slashes between: value:0/robin:1,2,0; for X and C there may be formulas in braces, of x, y, "
       "z in m and, in time, t in s: value:{sin(pi*y)}; with --manufactured the exact solution gives the "
       "data of flux and robin (default " +
           usual_faces_of_pdes() + ")"},
  };
}

std::vector<OptionSpec> operator_options() {
  const std::string group = "Operator";
  const unsigned to = for_operators;
  const std::string kinds = listed(generated_usages());
  return {
      {"operator", "NAME", group, for_formats, true, listed(operator_names()) + " (default random)"},
      {"seed", "N", group, for_formats, true,
       "seed of everything random, an unsigned 64-bit number (default 1)"},
      {"seed", "N", group, for_solve, true,
       "of the coefficients of " + all_of(pdes_that_draw()) + ", an unsigned 64-bit number (default 1)"},
      {"matrix", "FILE.mtx | KIND:ROWS", group, to, true,
       "instead of a grid and its operator, a Matrix Market file, or a generated matrix: " + kinds},
      {"matrices", "DIR | LIST", group, for_bench, true,
       "a set of matrices, with commas between: Matrix Market files; folders of them (*.mtx, *.mtx.gz); "
       "generated matrices: " +
           kinds + "; and 'generated' or 'generated:ROWS' for one of each kind (default " +
           small_generated_set + " where there is no grid either)"},
      {"block-size", "N", group, for_formats, true,
       "unknowns per node of a matrix, 1 to 64 (default those of generated blocks, else 1; on a grid --dof "
       "says it)"},
  };
}

std::vector<OptionSpec> run_options() {
  const std::string group = "Run";
  return {
      {"format", "all | auto | LIST", group, for_operators, true,
       "all, auto (the fastest, as predicted for the operator), or names with commas between: " +
           joined(format_names(petsc::all_products()), ", ") + " (default all)"},
      {"format", "all | LIST", group, for_bench, true,
       "all, or names with commas between, as spmv has them (default all; of experiments on grids alone " +
           joined(bench_formats(), ",") + ")"},
      {"format", "NAME", group, for_solve, true,
       "of the operator, one that spmv has, or auto, the fastest as predicted; petsc_aij is PETSc's own "
       "matrix, AIJ or aijcusparse, to "
       "compare with (default auto)"},
      {"tune", "", group, for_spmv | for_solve, true,
       "with --format auto: measure the best few, unless an earlier run did so for this sparsity, GPU and "
       "version; $QUADRILLE_CACHE is the folder that remembers (default ~/.cache/quadrille)"},
      {"retune", "", group, for_spmv | for_solve, true,
       "the same, and forget what is remembered of this operator"},
      {"predict", "", group, for_inspect, true,
       "the predicted time of each format's product, on a GPU (an H200 where there is none) and on this CPU"},
      {"space", "auto | cpu | cuda", group, for_solve, true,
       "where products and vectors are; with a PETSc without CUDA vectors stay in host memory, and cuda "
       "copies x and y at every "
       "product (default auto: the GPU where PETSc has CUDA and there is one, else the CPU where the format "
       "is there)"},
      {"precision", "fp64", group, for_solve, true, "PETSc's own (default fp64)"},
      {"space", "auto | cpu | cuda", group, for_spmv, true,
       "where to apply the formats (default auto: every space there is)"},
      {"space", "auto | cpu | cuda", group, for_bench, true,
       "where to apply the formats (default auto: the GPU where there is one, else the CPU)"},
      {"precision", "fp64 | fp32", group, for_operators, true, "of values and arithmetic (default fp64)"},
      {"precision", "both | fp64 | fp32", group, for_bench, true,
       "of values and arithmetic (default both, one after the other)"},
      {"repetitions", "N", group, for_spmv, true,
       "timed products per format, at least 1; below 20 is for trials only (default 30)"},
      {"repetitions", "N", group, for_bench, true,
       "timed products per line, at least 1; on the CPU at least 5 of them, until 2 s are over (default 30)"},
      {"device", "N", group, for_products | for_solve, true,
       "index of the GPU, as 'quadrille info' counts them (default 0)"},
      {"threads", "N", group, for_runs, true, "CPU threads; 0 leaves it to OpenMP (default 0)"},
      {"products", "N", group, for_products, true,
       "how many products the operator is for: auto counts what comes before the first one (conversion, "
       "plan, copy to the "
       "GPU), and csr and csc leave out a plan that does not pay; of bench, for auto alone; 0 is many "
       "(default 0)"},
      {"transpose", "", group, for_products, true, "y = A^T x, of the formats that have it"},
      {"vectors", "K", group, for_products, true, "Y = A X with K vectors at once, 1 to 64 (default 1)"},
      {"check", "all | slabs", group, for_products, true,
       "rows compared with PETSc: all, or about a million in random slabs of an operator on a grid, which "
       "spares "
       "CSR and host memory; operators too large for CSR have slabs in any case (default all)"},
      {"input", "random | ones | sine", group, for_products, true,
       "the vector x of y = A x (default random)"},
  };
}

// The names of the formats that have this option.
std::string formats_with(const std::string& option) {
  std::vector<std::string> names;
  for (const FormatTraits& format : format_traits())
    if (std::find(format.options.begin(), format.options.end(), option) != format.options.end())
      names.push_back(format.name);
  return joined(names, ", ");
}

std::vector<OptionSpec> format_options() {
  const std::string group = "Format parameters";
  const unsigned to = for_runs;
  return {
      {"kernel", "ours | paper", group, to, true,
       "on the GPU: our kernels, or the one that the format's paper describes, for " +
           formats_with("kernel") + " (default ours)"},
      {"x-cache", "read-only | l1 | l2", group, to, true,
       "how the papers' kernels read x, past L1 with l2; those of csr and csc read-only in any case (default "
       "read-only)"},
      {"value-precision", "own | fp32 | bf16", group, to, true,
       "how cds and compact store values, beside vectors and sums of --precision: own rounds none, fp32 to "
       "2^-24 "
       "of each and bf16 to 2^-8, by which the check's bound grows; what solve then solves is a nearby "
       "system "
       "(default own)"},
      {"csr-lanes", "N", group, to, true,
       "csr on the GPU, our kernel: lanes per row, 1, 2, 4, 8, 16 or 32, each with several entries in "
       "flight; 0 takes rows of any length (default 0)"},
      {"ellr-threads", "T", group, to, true,
       "ellr_t: threads per row, 1, 2, 4, 8, 16 or 32; 0 chooses by the rows (default 0)"},
      {"ellr-block", "N", group, to, true,
       "ellr_t: threads per block on the GPU, 64, 128, 256, 512 or 1024; 0 chooses by the rows (default 0)"},
      {"ellr-model", "ours | paper", group, to, true,
       "ellr_t: which model chooses threads per row and per block, where they are 0 (default that of "
       "--kernel)"},
      {"rgcsr-group", "N", group, to, true, "rg_csr: rows per group, 32 to 256 (default 64)"},
      {"rgcsr-ordering", "ORDER", group, to, true,
       "rg_csr: order of the rows, none, descending (by length), rcm (reverse Cuthill-McKee) or amd "
       "(approximate minimum degree, of builds with SuiteSparse); the last two of square matrices (default "
       "none)"},
      {"rgcsr-threads", "T", group, to, true,
       "rg_csr, our kernel on the GPU: threads per row, 1, 2, 4, 8, 16 or 32, or what a block holds; 0 "
       "chooses by the rows (default 0)"},
      {"cmrs-height", "N", group, to, true,
       "cmrs: rows per strip, 1 to 16; 0 takes 2 where half a million rows and more are short and alike, "
       "else 1, which is CSR (default 0)"},
      {"cmrs-reorder", "", group, to, true, "cmrs: sort the entries of a strip by column"},
      {"cmrs-block", "N", group, to, true,
       "cmrs on the GPU: threads per block, 64, 128 or 256, or a multiple of 32 of the paper's kernel; 0 is "
       "128 and "
       "256 (default 0)"},
      {"cmrs-aligned", "on | off", group, to, true,
       "cmrs, the paper's kernel: long strips are read from a whole line of 128 bytes on (default on)"},
      {"cmrs-split", "driver | l1 | shared", group, to, true,
       "cmrs, the paper's kernel: what has most of a multiprocessor's memory (default driver, which "
       "decides)"},
  };
}

std::vector<OptionSpec> plot_options() {
  const std::string group = "Picture";
  return {
      {"file", "FILE.h5", group, for_plot, true,
       "what --output wrote; the name alone, without --file, does as well"},
      {"field", "NAME", group, for_plot, true,
       "which one; of one with several unknowns a node, NAME_2 is unknown 2, as ParaView has it (default "
       "solution, result, or the first by the alphabet)"},
      {"slice", "z=0.5", group, for_plot, true,
       "of a 3D grid: x, y or z, and where in m; the nearest layer of nodes is drawn (default the middle one "
       "of z)"},
      {"step", "N", group, for_plot, true, "of those in the file, from 0 (default the last)"},
      {"movie", "", group, for_plot, true,
       "all steps as a film, with the same colours: .mp4 where there is ffmpeg, else .gif"},
      {"out", "FILE.png | .mp4 | .gif", group, for_plot, true,
       "the file to write, also .svg or .pdf; .mp4 and .gif are films (default beside FILE.h5)"},
  };
}

std::vector<OptionSpec> output_options() {
  const std::string group = "Output";
  return {
      {"output", "FILE.h5", group, for_spmv, true,
       "write x and y = A x as the fields input and result (of several vectors input_0, ... and result_0, "
       "...), "
       "HDF5 with an .xdmf beside; of a matrix, over its rows"},
      {"output", "FILE.h5", group, for_solve, true,
       "write the fields solution and right_side, and exact and error with --manufactured, HDF5 with an "
       ".xdmf "
       "beside"},
      {"probe", "X,Y[,Z]", group, for_solve, true,
       "the values of all unknowns at the node that is nearest to this point, in m, after each step, in "
       "NAME.probe.csv beside --output NAME.h5 (without one NAME is the PDE's); as often as wanted, or "
       "points with / between",
       "/"},
      {"plot", "PREFIX", group, for_bench, true,
       "draw the figure into PREFIX.png and PREFIX.svg, by Python with matplotlib"},
      {"plot", "PREFIX", group, for_solve, true,
       "draw the residual over the iterations and over time into PREFIX.png and PREFIX.svg, by Python with "
       "matplotlib; of poisson, diffusion and elasticity"},
      {"json", "FILE", group, for_all, true, "write the results as JSON"},
      {"csv", "FILE", group, for_formats | for_info, true, "write the results as CSV, one line per format"},
      {"csv", "FILE", group, for_solve | for_plot, true, "write the result as CSV, one line"},
      {"quiet", "", group, for_all, true, "nothing on the screen but errors"},
      {"no-progress", "", group, for_runs, true, "no progress line (it shows on a terminal only)"},
  };
}

std::vector<OptionSpec> common_options() {
  const std::string group = "Common";
  return {
      {"config", "FILE", group, for_all, false,
       "read 'name = value' lines, names as here without the dashes, with # or ; before comments; lines "
       "after "
       "[spmv], [bench], ... are for that subcommand alone and win over the others, any other [section] is "
       "a heading; an empty value is the default; the command line wins"},
      {"validate", "", group, for_all, false, "check and print the options as a --config file; run nothing"},
      {"help", "", group, for_all, false, "this text; also -h"},
      {"version", "", group, for_all, false, "the version of the program"},
  };
}

std::vector<OptionSpec> make_table() {
  std::vector<OptionSpec> table;
  for (const auto& part :
       {experiment_options(), pde_options(), time_options(), grid_options(), operator_options(),
        run_options(), format_options(), plot_options(), output_options(), common_options()})
    table.insert(table.end(), part.begin(), part.end());
  return table;
}

void add(po::options_description& into, const OptionSpec& option) {
  if (option.value_name.empty())
    into.add_options()(option.name.c_str(), option.help.c_str());
  else
    into.add_options()(option.name.c_str(), po::value<std::string>()->value_name(option.value_name),
                       option.help.c_str());
}

}  // namespace

std::vector<std::string> bench_formats() {
  const std::vector<std::string> known = format_names(petsc::all_products());
  std::vector<std::string> names;
  for (const char* name : {"cds", "dia", "ell", "bcsr", "csr", "cusparse_csr", "cusparse_sell",
                           "cusparse_bsr", "petsc_aij", "petsc_aijcusparse"})
    if (std::find(known.begin(), known.end(), name) != known.end()) names.push_back(name);
  return names;
}

const std::vector<OptionSpec>& option_table() {
  static const std::vector<OptionSpec> table = make_table();
  return table;
}

const std::vector<CommandSpec>& command_table() {
  static const std::vector<CommandSpec> table{
      {"spmv",
       for_spmv,
       "assemble an operator, apply it in each format, check against PETSc, time, write fields",
       "quadrille spmv [options] [-- PETSc options]",
       {"quadrille spmv --grid 128x128x128 --dof 4",
        "quadrille spmv --grid 1024x1024 --operator laplacian --boundary periodic --format csr,cds --output "
        "y.h5",
        "quadrille spmv --matrix cant.mtx --block-size 3 --precision fp32 --json cant.json"}},
      {"bench",
       for_bench,
       "the papers' experiments: one figure from many operators, checked like spmv's",
       "quadrille bench NAME [options] [-- PETSc options]",
       {"quadrille bench dof-scaling --json dof.json --plot dof",
        "quadrille bench bandwidth --grid 512x512,100x100x100 --dofs 1,2,4,8 --precision fp64 --csv gbps.csv",
        "quadrille bench matrices --matrices cant.mtx,more/,power_law:100000,banded:100000:4 --plot set"},
       "experiment",
       "NAME",
       "experiment"},
      {"solve",
       for_solve,
       "a PDE on a grid, by PETSc: CG with multigrid in any format, or what follows the bare --",
       "quadrille solve PDE [options] [-- PETSc options]",
       {"quadrille solve poisson --grid 64x64x64 --manufactured --output u.h5",
        "quadrille solve diffusion --coefficient field.h5:permx --spacing 50,50,8 --coefficient-ratio "
        "1,1,0.1 --output p.h5",
        "quadrille solve poisson --grid 128x128 --format ell -- -ksp_type gmres -pc_type pbjacobi -ksp_rtol "
        "1e-10"},
       "pde",
       "PDE",
       "PDE"},
      {"inspect",
       for_inspect,
       "what an operator looks like: size, blocks, fill and bytes per format",
       "quadrille inspect [FILE.mtx] [options] [-- PETSc options]",
       {"quadrille inspect cant.mtx --block-size 3",
        "quadrille inspect --grid 64x64x64 --operator elasticity",
        "quadrille inspect --grid 512x512 --dof 5 --stencil box --format cds,csr --csv bytes.csv"},
       "matrix",
       "FILE.mtx",
       "file"},
      {"plot",
       for_plot,
       "a field that --output wrote as a picture, a series as a film, by Python with matplotlib",
       "quadrille plot FILE.h5 [options]",
       {"quadrille plot u.h5", "quadrille plot u.h5 --field error --slice x=0.25 --out error.png",
        "quadrille plot gray_scott.h5 --field v --movie"},
       "file",
       "FILE.h5",
       "file"},
      {"info",
       for_info,
       "versions of the build and its libraries, GPUs, memory and formats",
       "quadrille info [options]",
       {"quadrille info", "quadrille info --json machine.json --quiet", "quadrille info --validate"}},
  };
  return table;
}

const std::vector<ExperimentSpec>& experiment_table() {
  static const std::vector<ExperimentSpec> table{
      {"dof-scaling", "GFLOP/s of each format over the unknowns per node (Godwin et al. 2012, Figure 7)",
       false},
      {"bandwidth",
       "GB/s of each format over the unknowns per node, under the memory's (Godwin et al. 2012, Figure 8)",
       false},
      {"matrices", "every format on a set of matrices: who is fastest, how often and by how much"},
      {"ellr-t",
       "every T and block size of ELLR-T by either kernel, and what its models choose, among the formats of "
       "the paper (Vazquez et al. 2011, Tables 1 to 3, Figures 5 and 6)"},
      {"cmrs", "every height, order and kernel of CMRS, the paper's and ours (Koza et al. 2012, Table 2)"},
      {"auto", "what --format auto chooses, by prediction and by --tune, against every format measured"},
      {"rgcsr",
       "RgCSR's group sizes, row orderings, kernels and threads a row, artificial zeros, against CSR, HYB "
       "and cuSPARSE (Oberhuber et al. 2010, Tables 1, 2 and 4 to 7)"},
      {"transpose",
       "A x and A^T x from CSR and CSC: naive, ours with a plan and without, cuSPARSE's and by conversion, "
       "whole and multiplication "
       "only "
       "(Steinberger et al. 2016, Figure 3)"},
  };
  return table;
}

const OptionSpec* find_option(const std::string& name, unsigned commands) {
  for (const OptionSpec& option : option_table())
    if (option.name == name && (option.commands & commands)) return &option;
  return nullptr;
}

const CommandSpec* find_command(const std::string& name) {
  for (const CommandSpec& command : command_table())
    if (command.name == name) return &command;
  return nullptr;
}

const ExperimentSpec* find_experiment(const std::string& name) {
  for (const ExperimentSpec& experiment : experiment_table())
    if (experiment.name == name) return &experiment;
  return nullptr;
}

po::options_description describe(unsigned commands) {
  po::options_description all;
  for (const OptionSpec& option : option_table())
    if (find_option(option.name, commands) == &option) add(all, option);
  return all;
}

std::string version_text() {
  return std::string("quadrille ") + QUADRILLE_VERSION + "\n";
}

std::string program_help() {
  std::ostringstream text;
  text << "quadrille " << QUADRILLE_VERSION
       << ": stencil operators with many unknowns per node, in exact sparse formats, on CPUs and NVIDIA "
          "GPUs\n\n"
       << "Usage: quadrille SUBCOMMAND [options] [-- PETSc options]\n\nSubcommands:\n";
  for (const CommandSpec& command : command_table())
    text << "  " << command.name << std::string(9 - command.name.size(), ' ') << command.summary << "\n";
  text << "\n'quadrille SUBCOMMAND --help' lists the options of a subcommand; everything after a bare -- "
          "goes to PETSc.\n"
       << "\nExamples:\n";
  for (const CommandSpec& command : command_table()) text << "  " << command.examples.front() << "\n";
  text << "\nExit codes: 0 all well, 1 a result failed its check, 2 bad usage or input, 3 the machine could "
          "not do it\n";
  return text.str();
}

std::string command_help(const CommandSpec& command) {
  po::options_description all(help_width, help_width / 2);
  std::vector<std::string> groups;
  for (const OptionSpec& option : option_table())
    if ((option.commands & command.bit) &&
        std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  for (const std::string& group : groups) {
    po::options_description part(group, help_width, help_width / 2);
    for (const OptionSpec& option : option_table())
      if ((option.commands & command.bit) && option.group == group) add(part, option);
    all.add(part);
  }
  std::ostringstream text;
  text << "quadrille " << command.name << ": " << command.summary << "\n\nUsage: " << command.usage << "\n";
  if (command.bit == for_bench) {
    text << "\nExperiments:\n";
    for (const ExperimentSpec& experiment : experiment_table())
      text << "  " << experiment.name << std::string(13 - experiment.name.size(), ' ') << experiment.summary
           << "\n";
  }
  if (command.bit == for_solve) {
    text << "\nPDEs:\n";
    for (const Pde& pde : pdes())
      text << "  " << pde.name << std::string(13 - std::min<std::size_t>(12, pde.name.size()), ' ')
           << pde.equation << "\n"
           << parameters_help(pde);
  }
  text << all << "\nExamples:\n";
  for (const std::string& example : command.examples) text << "  " << example << "\n";
  return text.str();
}

}  // namespace quadrille
