// Writes what the Python tests read back.
//   write_fields fields FILE.h5 NXxNY[xNZ] DOF STEPS    field values: see value() here and in field_cases.py
//   write_fields series FILE.h5 NXxNY[xNZ] DOF STEPS    the same, step by step
//   write_fields vectors FILE.h5 ROWS COLUMNS  of a matrix: "result" of its rows, "odd" of its columns
//   write_fields report FILE.json FILE.csv
// Several of these follow one another with a bare -- between them. Started by mpiexec, its ranks write fields
// and series together, a box each.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "drivers/fields/field_file.hpp"
#include "drivers/fields/field_series.hpp"
#include "drivers/support/report.hpp"
#include "grid/error.hpp"
#include "grid/partition.hpp"

using namespace quadrille;

namespace {

// A fraction that needs all digits of a double, different in every row, step and field.
double value(std::int64_t row, std::int64_t step, std::int64_t field) {
  return static_cast<double>(7 * row + 100003 * step + 50021 * field - 11) / 3.0;
}

Field make_field(std::int64_t rows, const std::string& name, std::int64_t step, std::int64_t index) {
  Field field{name, "the \"" + name + "\" <A x> & more", "m s-1", {}};
  for (std::int64_t row = 0; row < rows; ++row) field.values.push_back(value(row, step, index));
  return field;
}

// NaN, infinities, a negative zero and the smallest double in the first rows of "odd".
void make_odd(Field& field) {
  using Limits = std::numeric_limits<double>;
  const double odd[] = {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), -0.0,
                        Limits::denorm_min()};
  for (std::size_t i = 0; i < std::size(odd) && i < field.values.size(); ++i) field.values[i] = odd[i];
}

// Where there are fewer nodes than ranks along every cut, some have none.
NodeBox own_part(const Grid& grid, const Ranks& ranks) {
  int rank = 0, count = 1;
  MPI_Comm_rank(ranks.comm, &rank);
  MPI_Comm_size(ranks.comm, &count);
  try {
    return own_box(make_partition(grid.extents, {}, count, rank));
  } catch (const InputError&) {
    Partition line{grid.extents, {}, {}, rank};
    for (int axis = 0; axis < 3; ++axis)
      line.cuts[axis] = even_cuts(grid.extents[axis], axis == 0 ? count : 1);
    return own_box(line);
  }
}

void keep_part(const Grid& grid, const NodeBox& box, Field& field) {
  std::vector<double> kept;
  for (std::int64_t line = 0; line < box.lines(); ++line)
    for (std::int64_t x = 0; x < box.size[0]; ++x) {
      const NodePosition at = box.first_of_line(line);
      const std::int64_t node = node_index(grid, {at[0] + x, at[1], at[2]});
      for (int r = 0; r < grid.dof; ++r)
        kept.push_back(field.values[static_cast<std::size_t>(node * grid.dof + r)]);
    }
  field.values = std::move(kept);
}

void write_fields(const std::string& path, const std::string& grid_text, int dof, int steps, bool whole,
                  const Ranks& ranks) {
  FieldFile file;
  file.grid = parse_grid(grid_text);
  file.grid.dof = dof;
  file.grid.spacing_m = {0.1, 0.25, 3.0};
  file.options = {
      {"grid", grid_text}, {"comment", "caf\xc3\xa9, \"quoted\""}, {"empty", ""}, {"pc", "a"}, {"pc", "b"}};
  file.version = "1.2.3";
  for (int step = 0; step < steps; ++step) {
    file.steps.push_back(
        {step / 7.0,
         {make_field(file.grid.rows(), "result", step, 0), make_field(file.grid.rows(), "odd", step, 1)}});
    make_odd(file.steps.back().fields[1]);
  }
  if (!ranks.alone()) {
    file.ranks = ranks;
    file.part = own_part(file.grid, ranks);
    for (FieldStep& step : file.steps)
      for (Field& field : step.fields) keep_part(file.grid, *file.part, field);
  }
  if (whole) return write_field_file(path, file);
  std::vector<FieldStep> all = std::move(file.steps);
  file.steps.clear();
  FieldSeries series(path, file);
  for (FieldStep& step : all) series.append(std::move(step), file.part);
}

void write_vectors(const std::string& path, std::int64_t rows, std::int64_t columns) {
  FieldFile file;
  file.matrix = MatrixSize{rows, columns};
  file.version = "1.2.3";
  file.steps.push_back({0, {make_field(rows, "result", 0, 0), make_field(columns, "odd", 0, 1)}});
  make_odd(file.steps.back().fields[1]);
  write_field_file(path, file);
}

void write_report(const std::string& json, const std::string& csv) {
  Report report;
  report.machine = {{"cpu", "a \"quoted\" \\ name"}, {"threads", "2"}};
  report.command = std::string("quadrille spmv\n\t\x01\x7f ") + "caf\xc3\xa9 \xff\xc3";
  report.version = "1.2.3";
  report.date = utc_now();
  report.ceilings = {{"copy", 1.0 / 3.0}, {"read", std::numeric_limits<double>::infinity()}};
  Record measured;
  measured.space = "cpu", measured.device = "core, \"two\"", measured.format = "cds",
  measured.precision = "fp64";
  measured.operator_name = "random", measured.grid = "4x4", measured.dof = 4, measured.stencil = "star";
  measured.boundary = "drop", measured.rows = 64, measured.nnz = 9007199254740993,
  measured.stored_bytes = 8192;
  measured.compulsory_bytes = 9000, measured.ms_median = 0.1, measured.ms_min = 5.0, measured.ms_max = 1e300;
  measured.repetitions = 30, measured.gflops = 2.0 / 3.0, measured.gbps = -0.0,
  measured.ceiling_gbps = 5e-324;
  measured.fraction_of_floor = 0.97, measured.in_cache = true, measured.convert_ms = 1,
  measured.upload_ms = 2;
  measured.checked = true, measured.error_over_bound = 0.25;
  Record refused;
  refused.format = "dia", refused.skipped = "too many diagonals,\nthe \"limit\" is 10";
  Record wrong = measured;
  wrong.error_over_bound = std::numeric_limits<double>::quiet_NaN();
  wrong.ms_max = std::numeric_limits<double>::infinity();
  wrong.ms_min = -std::numeric_limits<double>::infinity();
  report.records = {measured, refused, wrong};
  write_text_file(json, to_json(report));
  write_text_file(csv, to_csv(report));
}

}  // namespace

// MPI, where mpiexec started this.
class Mpi {
 public:
  Mpi() {
    if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return;
    MPI_Init(nullptr, nullptr);
    ranks.comm = MPI_COMM_WORLD;
  }
  ~Mpi() {
    if (!ranks.alone()) MPI_Finalize();
  }
  Ranks ranks;
};

using Words = std::vector<std::string>;

bool write_one(const Words& words, const Ranks& ranks) {
  const std::string mode = words.empty() ? "" : words[0];
  if ((mode == "fields" || mode == "series") && words.size() == 5) {
    write_fields(words[1], words[2], std::stoi(words[3]), std::stoi(words[4]), mode == "fields", ranks);
  } else if (mode == "vectors" && words.size() == 4) {
    write_vectors(words[1], std::stoi(words[2]), std::stoi(words[3]));
  } else if (mode == "report" && words.size() == 3) {
    write_report(words[1], words[2]);
  } else {
    std::fprintf(stderr,
                 "usage: write_fields fields FILE.h5 GRID DOF STEPS | vectors FILE.h5 ROWS COLUMNS | "
                 "report FILE.json FILE.csv [-- ...]\n");
    return false;
  }
  return true;
}

int main(int argc, char** argv) {
  const Mpi mpi;
  try {
    for (auto from = argv + 1; from <= argv + argc;) {
      const auto to = std::find(from, argv + argc, std::string("--"));
      if (!write_one({from, to}, mpi.ranks)) return 2;
      from = to + 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
  return 0;
}
