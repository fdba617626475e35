#include "drivers/support/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <ostream>

#include "drivers/support/cells.hpp"
#include "drivers/support/json.hpp"

namespace quadrille {
namespace {

// A record's names and values in the contract's order, each value as `write` puts it. JSON and CSV both come
// from here.
template <class Write>
Cells<Write> cells(const Record& r, Write write) {
  return {{"bench", write(r.bench)},
          {"space", write(r.space)},
          {"device", write(r.device)},
          {"format", write(r.format)},
          {"precision", write(r.precision)},
          {"operator", write(r.operator_name)},
          {"matrix", write(r.matrix)},
          {"grid", write(r.grid)},
          {"dof", write(std::int64_t{r.dof})},
          {"stencil", write(r.stencil)},
          {"boundary", write(r.boundary)},
          {"product", write(r.product)},
          {"rows", write(r.rows)},
          {"nnz", write(r.nnz)},
          {"stored_bytes", write(r.stored_bytes)},
          {"compulsory_bytes", write(r.compulsory_bytes)},
          {"ms_median", write(r.ms_median)},
          {"ms_min", write(r.ms_min)},
          {"ms_max", write(r.ms_max)},
          {"repetitions", write(std::int64_t{r.repetitions})},
          {"gflops", write(r.gflops)},
          {"gbps", write(r.gbps)},
          {"ceiling_gbps", write(r.ceiling_gbps)},
          {"fraction_of_floor", write(r.fraction_of_floor)},
          {"in_cache", write(r.in_cache)},
          {"convert_ms", write(r.convert_ms)},
          {"upload_ms", write(r.upload_ms)},
          {"checked", write(r.checked)},
          {"rows_checked", r.rows_checked.empty() ? write(nullptr) : write(r.rows_checked)},
          {"error_over_bound", r.error_over_bound ? write(*r.error_over_bound) : write(nullptr)},
          {"skipped", r.skipped.empty() ? write(nullptr) : write(r.skipped)}};
}

// Of all records, each once, in the order they come.
std::vector<std::string> extra_names(const Report& report) {
  std::vector<std::string> names;
  for (const Record& record : report.records)
    for (const ExtraField& field : record.extra)
      if (std::find(names.begin(), names.end(), field.name) == names.end()) names.push_back(field.name);
  return names;
}

std::string csv_of(const Record& record, const std::string& name) {
  for (const ExtraField& field : record.extra)
    if (field.name == name) return field.csv;
  return "";
}

// Three significant digits and more: 0.0123, 1.234, 12.34, 123.4, 12345.6.
std::string readable(double value) {
  char text[64];
  const double size = std::fabs(value);
  const int decimals = size >= 100 || size == 0 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4;
  const bool plain = !std::isfinite(value) || size == 0 || (size >= 1e-3 && size < 1e9);
  std::snprintf(text, sizeof text, plain ? "%.*f" : "%.*e", plain ? decimals : 2, value);
  return text;
}

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, std::fabs(value) < 1e9 || !std::isfinite(value) ? "%.*f" : "%.*e",
                decimals, value);
  return text;
}

bool passes(const Record& r) {
  return r.error_over_bound && *r.error_over_bound <= 1;
}

using Row = std::array<std::string, 8>;

Row table_row(const Record& r) {
  return {r.format,
          r.space,
          readable(static_cast<double>(r.stored_bytes) / (1 << 20)),
          readable(r.ms_median),
          fixed(r.gbps, 1),
          fixed(100 * r.fraction_of_floor, 1) + " %",
          r.error_over_bound ? readable(*r.error_over_bound) : "-",
          std::string(!r.checked  ? "-"
                      : passes(r) ? "yes"
                                  : "NO") +
              (r.in_cache ? "  in cache" : "")};
}

// What a group of lines has in common.
std::string group_title(const Record& r) {
  std::string out = r.bench;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += ", " + text;
  };
  add(r.operator_name);
  add(r.grid);
  add("DoF " + std::to_string(r.dof));
  add(r.stencil);
  if (!r.boundary.empty()) add("boundary " + r.boundary);
  add(r.precision);
  if (r.product != "A x") add(r.product);
  return out + ": " + std::to_string(r.rows) + " rows, " + std::to_string(r.nnz) + " non-zeros";
}

std::string one_line(const std::string& text) {
  std::string out = text;
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return out;
}

void print_row(std::ostream& out, const Row& row, const std::array<std::size_t, 8>& widths) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string padding(widths[c] - std::min(widths[c], row[c].size()), ' ');
    const bool left = c < 2 || c == 7;
    line += (c ? "  " : "") + (left ? row[c] + padding : padding + row[c]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

void print_ceilings(std::ostream& out, const Report& report) {
  std::string line = "ceilings:";
  for (const auto& [name, gbps] : report.ceilings) {
    const std::string next = (line.back() == ':' ? " " : ", ") + name + " " + fixed(gbps, 0) + " GB/s";
    if (line.size() + next.size() > 99) {
      out << line << ",\n";
      line = "         " + next.substr(1);
    } else {
      line += next;
    }
  }
  if (!report.ceilings.empty()) out << line << '\n';
}

// Why a product can be faster than its floor. FormatRun::report() has tried the stream again by then.
void print_above_floor(std::ostream& out, const std::vector<const Record*>& records) {
  const auto any = [&](bool in_cache) {
    return std::any_of(records.begin(), records.end(), [&](const Record* r) {
      return r->fraction_of_floor >= 1.0005 && r->in_cache == in_cache;
    });
  };
  if (any(true))
    out << "above 100 %, in cache: of few bytes the start of the stream's threads is most; else it was "
           "slowed.\n";
  if (any(false))
    out << "above 100 %: something else slowed the stream down, each time it was tried; repeat the run "
           "alone.\n";
}

// Groups in the order they came, the fastest format of each first; refused ones are left out.
std::vector<const Record*> ranked(const Report& report) {
  std::vector<const Record*> records;
  for (const Record& record : report.records)
    if (record.skipped.empty()) records.push_back(&record);
  for (auto begin = records.begin(); begin != records.end();) {
    const auto end = std::find_if(begin, records.end(), [title = group_title(**begin)](const Record* record) {
      return group_title(*record) != title;
    });
    std::stable_sort(begin, end,
                     [](const Record* p, const Record* q) { return p->ms_median < q->ms_median; });
    begin = end;
  }
  return records;
}

}  // namespace

ExtraField extra_field(const std::string& name, double value) {
  return {name, JsonCell{}(value), CsvCell{}(value)};
}

ExtraField extra_field(const std::string& name, std::int64_t value) {
  return {name, JsonCell{}(value), CsvCell{}(value)};
}

ExtraField extra_field(const std::string& name, const std::string& value) {
  return {name, JsonCell{}(value), CsvCell{}(value)};
}

std::string to_json(const Report& report, std::vector<Json> records) {
  Json json{{"machine", Json::object()}, {"command", report.command},  {"version", report.version},
            {"date", report.date},       {"ceilings", Json::object()}, {"records", std::move(records)}};
  for (const auto& [name, value] : report.machine) json["machine"][name] = value;
  for (const auto& [name, gbps] : report.ceilings) json["ceilings"][name] = json_value(gbps);
  if (!report.summary.is_null()) json["summary"] = report.summary;
  if (!report.tables.is_null()) json["tables"] = report.tables;
  return json_text(json);
}

std::string to_json(const Report& report) {
  std::vector<Json> records;
  for (const Record& record : report.records) {
    Json& json = records.emplace_back(Json::object());
    for (auto& [name, cell] : cells(record, JsonCell{})) json[name] = std::move(cell);
    for (const ExtraField& field : record.extra) json[field.name] = field.json;
  }
  return to_json(report, std::move(records));
}

std::string to_csv(const Report& report) {
  const std::vector<std::string> extra = extra_names(report);
  std::vector<std::string> names;
  for (const auto& [name, cell] : cells(Record{}, CsvCell{})) names.push_back(name);
  for (const std::string& name : extra) names.push_back(CsvCell{}(name));
  std::string out = csv_line(names);
  for (const Record& record : report.records) {
    std::vector<std::string> line;
    for (const auto& [name, cell] : cells(record, CsvCell{})) line.push_back(cell);
    for (const std::string& name : extra) line.push_back(csv_of(record, name));
    out += csv_line(line);
  }
  return out;
}

std::string refusal(const Record& record, const std::string& title) {
  std::string reason = one_line(record.skipped);
  for (const std::string& start : {record.format + ": ", record.format + " "})
    if (reason.starts_with(start)) reason.erase(0, start.size());
  return title + ": " + reason;
}

void print_table(std::ostream& out, const Report& report) {
  const Row heading{"format", "space", "MiB", "ms", "GB/s", "of floor", "error/bound", "ok"};
  const std::vector<const Record*> records = ranked(report);
  std::array<std::size_t, 8> widths{};
  const auto widen = [&](const Row& row) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  };
  widen(heading);
  for (const Record* record : records) widen(table_row(*record));
  std::string title;
  for (const Record* record : records) {
    if (group_title(*record) != title) {
      if (!title.empty()) out << '\n';
      title = group_title(*record);
      out << title << '\n';
      print_row(out, heading, widths);
    }
    print_row(out, table_row(*record), widths);
  }
  bool first = true;
  for (const Record& record : report.records) {
    if (record.skipped.empty()) continue;
    if (first) out << "refused:\n";
    first = false;
    out << "  " << refusal(record, record.format + " (" + record.space + ")") << '\n';
  }
  if (records.empty()) return;
  out << "MiB: stored. GB/s: of the bytes that must move, x and y included. of floor: the time of a stream\n"
         "with the same bytes over this time. error/bound: against PETSc, row by row; 1 and below passes.\n";
  print_above_floor(out, records);
  print_ceilings(out, report);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace quadrille
