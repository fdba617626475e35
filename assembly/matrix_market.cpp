#include "assembly/matrix_market.hpp"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "assembly/line_reader.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t max_index = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t free_sizes = 1 << 24;     // rows + columns that any file may promise ...
constexpr std::int64_t sizes_per_byte = 1000;    // ... and how many more for every byte of the file
constexpr std::int64_t first_block = 4096;       // entries
constexpr std::int64_t largest_block = 4 << 20;  // entries, 64 MiB

struct Entry {
  std::int32_t row, column;
  double value;
};

// Entries in blocks that grow with their number: nothing is moved, and no block is much larger than what is
// there.
struct EntryList {
  std::vector<Array<Entry>> blocks;
  std::int64_t used = 0;      // entries of the last block
  std::int64_t expanded = 0;  // non-zeros with both halves of a symmetric matrix

  void push(const Entry& entry) {
    if (blocks.empty() || used == blocks.back().size()) {
      blocks.emplace_back(blocks.empty() ? first_block : std::min(2 * blocks.back().size(), largest_block));
      used = 0;
    }
    blocks.back()[used++] = entry;
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& block : blocks)
      for (std::int64_t i = 0, size = &block == &blocks.back() ? used : block.size(); i < size; ++i)
        visit(block[i]);
  }
};

std::string one_of(const LineReader& reader, const char* what, const std::string& word,
                   const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& candidate : known) {
    if (word == candidate) return word;
    list += (list.empty() ? "" : ", ") + candidate;
  }
  reader.fail(std::string("the ") + what + " " + quoted(word) +
              " of the banner is not supported; convert to one of: " + list);
}

void read_banner(LineReader& reader, MatrixMarketInfo& info) {
  std::string_view text;
  if (!reader.next(text)) reader.fail("the file is empty; give a Matrix Market file");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  std::vector<std::string> words;
  for (std::string_view word = take_word(text); !word.empty() && words.size() < 6; word = take_word(text)) {
    words.emplace_back(word.substr(0, 100));
    for (char& c : words.back())
      if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  }
  const std::string example = "'%%MatrixMarket matrix coordinate real general'";
  if (words.empty() || words[0] != "%%matrixmarket")
    reader.fail("this is not a Matrix Market banner; the file must start with a line like " + example);
  if (words.size() != 5) reader.fail("the banner must have five words; write it like " + example);
  one_of(reader, "object", words[1], {"matrix"});
  info.format = one_of(reader, "format", words[2], {"coordinate", "array"});
  info.field = one_of(reader, "field", words[3], {"real", "integer", "pattern"});
  info.symmetry = one_of(reader, "symmetry", words[4], {"general", "symmetric", "skew-symmetric"});
  if (info.field == "pattern" && (info.format == "array" || info.symmetry == "skew-symmetric"))
    reader.fail("a pattern has no values, which " + info.format + " " + info.symmetry +
                " needs; correct the banner");
}

void read_sizes(LineReader& reader, MatrixMarketInfo& info) {
  std::string_view text;
  if (!reader.next_content(text)) reader.fail("the file ends before the size line; it is cut short");
  const bool dense = info.format == "array", general = info.symmetry == "general";
  info.rows = take_integer(reader, text, "number of rows");
  info.columns = take_integer(reader, text, "number of columns");
  if (!dense) info.entries = take_integer(reader, text, "number of entries");
  if (!take_word(text).empty())
    reader.fail(std::string("the size line must hold ") +
                (dense ? "rows and columns" : "rows, columns and entries") + " only; remove the rest");
  if (info.rows < 1 || info.columns < 1 || info.entries < 0)
    reader.fail("rows and columns must be at least 1 and entries at least 0; correct the size line");
  if (info.rows > max_index || info.columns > max_index || info.entries > max_index)
    reader.fail(
        "the size line has a number of 2^31 or more, but the row formats are 32-bit; use a smaller matrix");
  if (!general && info.rows != info.columns)
    reader.fail("a " + info.symmetry + " matrix must be square, not " + std::to_string(info.rows) + " x " +
                std::to_string(info.columns) + "; correct the size line or the banner");
  if (dense) info.entries = info.rows * info.columns;
  if (dense && !general) info.entries = info.rows * (info.rows + (info.symmetry == "symmetric" ? 1 : -1)) / 2;
  if (info.entries > max_index)
    reader.fail(
        "a dense matrix of 2^31 or more entries, but the row formats are 32-bit; use a smaller matrix");
  if (info.rows + info.columns - free_sizes > sizes_per_byte * reader.text_bytes)
    reader.fail("a file of " + std::to_string(reader.text_bytes) + " bytes cannot describe " +
                std::to_string(info.rows) + " rows and " + std::to_string(info.columns) +
                " columns; correct the size line");
}

double take_value(const LineReader& reader, std::string_view& text, const std::string& field) {
  if (field == "pattern") return 1;
  if (field == "integer") return static_cast<double>(take_integer(reader, text, "value"));
  return take_real(reader, text);
}

// The entry of a coordinate line, in range and on the stored side of the diagonal.
Entry take_coordinates(const LineReader& reader, std::string_view& text, const MatrixMarketInfo& info) {
  const std::int64_t row = take_integer(reader, text, "row index");
  const std::int64_t column = take_integer(reader, text, "column index");
  if (row < 1 || row > info.rows || column < 1 || column > info.columns)
    reader.fail("entry (" + std::to_string(row) + ", " + std::to_string(column) + ") is outside the " +
                std::to_string(info.rows) + " x " + std::to_string(info.columns) +
                " matrix, whose indices start at 1; correct the entry or the size line");
  const char* wrong = info.symmetry == "symmetric" && row < column         ? "above the diagonal"
                      : info.symmetry == "skew-symmetric" && row <= column ? "on or above the diagonal"
                                                                           : nullptr;
  if (wrong)
    reader.fail("entry (" + std::to_string(row) + ", " + std::to_string(column) + ") is " + wrong +
                ", where a " + info.symmetry + " file stores nothing; remove it or call the matrix general");
  return {static_cast<std::int32_t>(row - 1), static_cast<std::int32_t>(column - 1), 0.0};
}

EntryList read_entries(LineReader& reader, MatrixMarketInfo& info) {
  EntryList entries;
  const bool dense = info.format == "array", general = info.symmetry == "general";
  const std::int32_t below = info.symmetry == "skew-symmetric" ? 1 : 0;
  Entry at{general ? 0 : below, 0, 0.0};  // the next place of a dense file
  std::string_view text;
  for (std::int64_t i = 0; i < info.entries; ++i) {
    if (!reader.next_content(text))
      reader.fail("the file ends after " + std::to_string(i) + " of " + std::to_string(info.entries) +
                  " entries; it is cut short, or the size line is wrong");
    Entry entry = dense ? at : take_coordinates(reader, text, info);
    entry.value = take_value(reader, text, info.field);
    if (const std::string_view rest = take_word(text); !rest.empty())
      reader.fail(quoted(rest) + " follows the entry; write one entry on each line");
    info.non_finite += !std::isfinite(entry.value);
    info.explicit_zeros += entry.value == 0;
    entries.expanded += general || entry.row == entry.column ? 1 : 2;
    if (entries.expanded > max_index)
      reader.fail("2^31 or more non-zeros, but the row formats are 32-bit; use a smaller matrix");
    entries.push(entry);
    if (dense && ++at.row == info.rows) {
      ++at.column;
      at.row = general ? 0 : at.column + below;
    }
  }
  if (reader.next_content(text))
    reader.fail(quoted(text) + " follows the " + std::to_string(info.entries) +
                " entries of the size line; remove it or correct the size line");
  return entries;
}

// Scatters the entries, in file order, to their rows. Columns are not sorted yet.
Csr<double> scatter(const EntryList& entries, const MatrixMarketInfo& info) {
  Csr<double> csr{info.rows, info.columns, Array<std::int32_t>(info.rows + 1, 0),
                  Array<std::int32_t>(entries.expanded), Array<double>(entries.expanded)};
  const bool general = info.symmetry == "general";
  const double sign = info.symmetry == "skew-symmetric" ? -1 : 1;
  auto& row_ptr = csr.row_ptr;
  entries.for_each([&](const Entry& entry) {
    ++row_ptr[entry.row + 1];
    if (!general && entry.row != entry.column) ++row_ptr[entry.column + 1];
  });
  for (std::int64_t row = 0; row < csr.rows; ++row) row_ptr[row + 1] += row_ptr[row];
  const auto put = [&](std::int32_t row, std::int32_t column, double value) {
    const std::int32_t place = row_ptr[row]++;
    csr.column[place] = column;
    csr.value[place] = value;
  };
  entries.for_each([&](const Entry& entry) {
    put(entry.row, entry.column, entry.value);
    if (!general && entry.row != entry.column) put(entry.column, entry.row, sign * entry.value);
  });
  // Every row_ptr[row] now is the end of its row: the start of the next one.
  for (std::int64_t row = csr.rows; row > 0; --row) row_ptr[row] = row_ptr[row - 1];
  row_ptr[0] = 0;
  return csr;
}

template <class T>
Array<T> first_of(const Array<T>& all, std::int64_t size) {
  Array<T> first(size);
  std::copy_n(all.begin(), size, first.data());
  return first;
}

// Sorts the columns of every row, keeping the order of equal ones, and sums those.
void sort_and_sum(Csr<double>& csr, MatrixMarketInfo& info) {
  std::vector<std::pair<std::int32_t, double>> scratch;
  std::int32_t kept = 0;
  for (std::int64_t row = 0, first = 0; row < csr.rows; ++row) {
    const std::int64_t last = csr.row_ptr[row + 1];
    if (!std::is_sorted(csr.column.data() + first, csr.column.data() + last)) {
      scratch.clear();
      for (std::int64_t i = first; i < last; ++i) scratch.emplace_back(csr.column[i], csr.value[i]);
      std::stable_sort(scratch.begin(), scratch.end(), [](auto& a, auto& b) { return a.first < b.first; });
      for (std::int64_t i = first; i < last; ++i)
        std::tie(csr.column[i], csr.value[i]) = scratch[static_cast<std::size_t>(i - first)];
    }
    const std::int32_t row_start = kept;
    for (std::int64_t i = first; i < last; ++i) {
      if (kept > row_start && csr.column[kept - 1] == csr.column[i]) {
        csr.value[kept - 1] += csr.value[i];
        info.duplicates += info.symmetry == "general" || csr.column[i] <= row;
      } else {
        csr.column[kept] = csr.column[i];
        csr.value[kept++] = csr.value[i];
      }
    }
    csr.row_ptr[row + 1] = kept;
    first = last;
  }
  if (kept == csr.nnz()) return;
  csr.column = first_of(csr.column, kept);
  csr.value = first_of(csr.value, kept);
}

template <class T>
Csr<T> read(LineReader& reader, MatrixMarketInfo* info_out) {
  MatrixMarketInfo info;
  read_banner(reader, info);
  read_sizes(reader, info);
  Csr<double> csr = scatter(read_entries(reader, info), info);
  sort_and_sum(csr, info);
  if (info_out) *info_out = info;
  if constexpr (std::is_same_v<T, double>)
    return csr;
  else
    return cast<T>(csr);
}

}  // namespace

template <class T>
Csr<T> parse_matrix_market(std::string_view text, const std::string& name, MatrixMarketInfo* info) {
  LineReader reader{name, static_cast<std::int64_t>(text.size()), [text](char* to, std::size_t room) mutable {
                      const std::size_t count = text.copy(to, room);
                      text.remove_prefix(count);
                      return count;
                    }};
  return read<T>(reader, info);
}

template <class T>
Csr<T> read_matrix_market(const std::string& path, MatrixMarketInfo* info) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    throw InputError(path + ": cannot be read (" + std::strerror(errno) + "); check the path");
  if (S_ISDIR(status.st_mode)) throw InputError(path + ": is a directory; give a Matrix Market file");
  errno = 0;
  // zlib passes files without gzip's magic bytes through as they are.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file)
    throw InputError(path + ": cannot be opened (" + std::strerror(errno) + "); check its permissions");
  gzbuffer(file.get(), 256 * 1024);
  LineReader reader{path, static_cast<std::int64_t>(status.st_size), {}};
  reader.more = [&](char* to, std::size_t room) {
    const int count = gzread(file.get(), to, static_cast<unsigned>(room));
    int error = Z_OK;
    const std::string reason = gzerror(file.get(), &error);
    if (count < 0 || error != Z_OK)
      reader.fail("reading stopped here (" + reason + "); the file is damaged or cut short, fetch it again");
    return static_cast<std::size_t>(count);
  };
  return read<T>(reader, info);
}

template Csr<float> parse_matrix_market(std::string_view, const std::string&, MatrixMarketInfo*);
template Csr<double> parse_matrix_market(std::string_view, const std::string&, MatrixMarketInfo*);
template Csr<float> read_matrix_market(const std::string&, MatrixMarketInfo*);
template Csr<double> read_matrix_market(const std::string&, MatrixMarketInfo*);

}  // namespace quadrille
