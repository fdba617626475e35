// Results for people (a table) and for programs (JSON, CSV).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/support/json.hpp"

namespace quadrille {

// A field that only the records of one experiment have: its name and its value as each file has it.
struct ExtraField {
  std::string name;
  Json json;
  std::string csv;
};
ExtraField extra_field(const std::string& name, double value);
ExtraField extra_field(const std::string& name, std::int64_t value);
ExtraField extra_field(const std::string& name, const std::string& value);

// One measured line; the fields and their names are those of the command's contract.
struct Record {
  std::string bench = "spmv", space, device, format, precision, operator_name;
  std::string matrix;  // for people: the file without its ending, the generator, "64x64 dof 4"
  std::string grid, stencil, boundary;  // empty for a matrix file
  int dof = 1;
  std::string product = "A x";  // or "A^T x", "A X with 8 vectors"
  std::int64_t rows = 0, nnz = 0;
  std::int64_t stored_bytes = 0, compulsory_bytes = 0;
  double ms_median = 0, ms_min = 0, ms_max = 0;
  int repetitions = 0;
  double gflops = 0;             // 2 nnz, for each vector, / time, padding not counted
  double gbps = 0;               // compulsory bytes / time
  double ceiling_gbps = 0;       // of a stream with the same read:write mix, in the same run
  double fraction_of_floor = 0;  // time of that stream / ms_median
  bool in_cache = false;         // compulsory bytes fit the last-level cache
  double convert_ms = 0, upload_ms = 0;
  bool checked = false;
  std::string rows_checked;                // "all rows", or which; empty when not checked
  std::optional<double> error_over_bound;  // <= 1 passes; empty when not checked
  std::string skipped;                     // a sentence, when the format refused
  std::vector<ExtraField> extra;
};

struct Report {
  std::vector<std::pair<std::string, std::string>>
      machine;  // name, value: cpu, threads, memory, gpu, driver, ...
  std::string command, version, date;
  std::vector<std::pair<std::string, double>> ceilings;  // name, GB/s
  std::vector<Record> records;
  Json summary;  // over the records; null for none
  Json tables;   // of an experiment's own; null for none
};

// {"machine": {...}, "command": ..., "version": ..., "date": ..., "ceilings": {...}, "records": [...]} and,
// where there are such, "summary" and "tables". A record's extra fields stand at its end. Non-finite numbers
// are written as strings ("nan", "inf", "-inf"), bytes that are not UTF-8 as U+FFFD.
std::string to_json(const Report& report);
// The same with other records, each a JSON object, in place of the report's own.
std::string to_json(const Report& report, std::vector<Json> records);
// One header line and one line per record, RFC 4180 quoting; extra fields that any record has at the end.
std::string to_csv(const Report& report);
// format, space, MiB, ms, GB/s, share of the floor, error over bound, ok, the fastest first; refused formats
// with their reason, one line each, and the ceilings below.
void print_table(std::ostream& out, const Report& report);

// "<title>: <why the format refused>", on one line and without the format's name twice.
std::string refusal(const Record& record, const std::string& title);

// 2026-11-21T08:30:00Z
std::string utc_now();

}  // namespace quadrille
