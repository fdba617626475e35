#include "assembly/generated_matrices.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "assembly/pde/counter_hash.hpp"
#include "formats/format.hpp"
#include "grid/error.hpp"

namespace quadrille {
namespace {

constexpr std::int64_t max_rows = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t short_row = 4;               // of long_row
constexpr std::int64_t blocks_beside = 4;           // of blocks, on either side of the diagonal
constexpr std::int64_t blocks_within = 1000;        // how far from it
constexpr std::int64_t mesh_window = 16;            // of mesh: times MEAN, on either side of the diagonal
constexpr std::int64_t dense_entries_per_row = 16;  // of generated_set()

struct Kind {
  const char* name;
  const char* parameter;  // what it is; empty for none
  double low, high;
  bool whole;
  double (*usual)(std::int64_t rows);
};
constexpr double up_to_rows = 0;  // as `high`: rows

const Kind kinds[] = {
    {"dense", "COLUMNS", 1, static_cast<double>(max_rows), true,
     [](std::int64_t rows) { return double(rows); }},
    {"permutation", "", 0, 0, true, [](std::int64_t) { return 0.0; }},
    {"long_row", "LENGTH", 1, up_to_rows, true, [](std::int64_t rows) { return double(rows); }},
    {"power_law", "EXPONENT", 1, 10, false, [](std::int64_t) { return 2.2; }},
    {"blocks", "B", 1, 64, true, [](std::int64_t) { return 3.0; }},
    {"banded", "HALF", 0, up_to_rows, true,
     [](std::int64_t rows) { return double(std::min<std::int64_t>(8, rows - 1)); }},
    {"mesh", "MEAN", 1, 4096, true, [](std::int64_t) { return 20.0; }}};

std::string usage(const Kind& kind) {
  return std::string(kind.name) + ":ROWS" + (*kind.parameter ? std::string("[:") + kind.parameter + "]" : "");
}

const Kind* find_kind(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  for (const Kind& kind : kinds)
    if (name == kind.name) return &kind;
  return nullptr;
}

std::string number_text(double number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  return error == std::errc() ? std::string(buffer, end) : std::to_string(number);
}

template <class Number>
bool parse_number(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end;
}

double parse_parameter(const Kind& kind, std::int64_t rows, const std::string& text) {
  if (*kind.parameter == '\0')
    throw InputError(std::string(kind.name) + " takes no parameter: " + kind.name + ":ROWS");
  double high = kind.high;
  if (high == up_to_rows) high = static_cast<double>(kind.low == 0 ? rows - 1 : rows);
  double number = 0;
  std::int64_t whole = 0;
  const bool read = kind.whole ? parse_number(text, whole) : parse_number(text, number);
  if (kind.whole) number = static_cast<double>(whole);
  if (!read || !(number <= high) || !(kind.whole ? number >= kind.low : number > kind.low))
    throw InputError(std::string(kind.parameter) + " of " + kind.name + " must be a " +
                     (kind.whole ? "whole " : "") + "number " + (kind.whole ? "from " : "above ") +
                     number_text(kind.low) + (kind.whole ? " to " : ", at most ") +
                     std::to_string(static_cast<std::int64_t>(high)));
  return number;
}

// x^e for x > 0 and e >= 0 by products and square roots alone, which every machine rounds alike.
double power(double x, double e) {
  double result = 1, rest = e - std::floor(e), root = x;
  for (double whole = std::floor(e); whole > 0; --whole) result *= x;
  while (rest > 0) {
    root = std::sqrt(root);
    rest *= 2;
    if (rest < 1) continue;
    result *= root;
    rest -= 1;
  }
  return result;
}

// A random number of [0, count), of more than 2^-33 of the same probability each.
std::int64_t below(std::uint64_t hash, std::int64_t count) {
  return static_cast<std::int64_t>((hash >> 32) * static_cast<std::uint64_t>(count) >> 32);
}

// A permutation of [0, n): four rounds of a Feistel network on the next even number of bits, repeated until
// it lands inside. Source: Luby and Rackoff 1988; the repetition is the cycle walking of Black and Rogaway
// 2002.
std::int64_t permuted(std::uint64_t seed, std::int64_t n, std::int64_t i) {
  int half = 1;
  while (std::int64_t{1} << (2 * half) < n) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = static_cast<std::uint64_t>(i) >> half, right = static_cast<std::uint64_t>(i) & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (counter_hash(seed, round << 32 | right) & mask);
      left = right;
      right = next;
    }
    i = static_cast<std::int64_t>(left << half | right);
  } while (i >= n);
  return i;
}

// The structure of one matrix: lengths and columns of single rows.
class Structure {
 public:
  Structure(const GeneratedMatrix& matrix, std::uint64_t seed)
      : kind_(matrix.kind), rows_(matrix.rows), seed_(mix64(seed + 1)), parameter_(matrix.parameter) {}

  std::int64_t columns() const { return kind_ == "dense" ? whole() : rows_; }

  std::int64_t length(std::int64_t row) const {
    if (kind_ == "dense") return whole();
    if (kind_ == "permutation") return 1;
    if (kind_ == "long_row") return row == rows_ / 2 ? whole() : std::min(short_row, rows_);
    if (kind_ == "power_law") return power_law_length(row);
    if (kind_ == "banded")
      return std::min(row + whole(), rows_ - 1) - std::max<std::int64_t>(0, row - whole()) + 1;
    if (kind_ == "mesh") return mesh_length(row);
    const Neighbours n = neighbours(row / whole());
    return (n.left + n.right + 1) * whole() - (n.reaches_end ? cut() : 0);
  }

  // Writes `count` = length(row) ascending columns.
  void fill(std::int64_t row, std::int64_t count, std::int32_t* column) const {
    if (kind_ == "permutation")
      *column = static_cast<std::int32_t>(permuted(seed_, rows_, row));
    else if (kind_ == "long_row" && row != rows_ / 2)
      with_diagonal(row, count, column);
    else if (kind_ == "long_row" || kind_ == "power_law")
      draw(row, 0, 0, rows_, count, column);
    else if (kind_ == "mesh")
      draw(row, 0, mesh_begin(row), mesh_end(row), count, column);
    else if (kind_ == "blocks")
      fill_blocks(row, count, column);
    else
      for (std::int64_t k = 0; k < count; ++k)
        column[k] =
            static_cast<std::int32_t>((kind_ == "banded" ? std::max<std::int64_t>(0, row - whole()) : 0) + k);
  }

 private:
  // Blocks of a block row beside the diagonal one, and whether the last block column, which may be cut, is
  // among them.
  struct Neighbours {
    std::int64_t left, right;
    bool reaches_end;
  };

  std::int64_t whole() const { return static_cast<std::int64_t>(parameter_); }
  std::int64_t block_rows() const { return (rows_ + whole() - 1) / whole(); }
  std::int64_t cut() const {
    return block_rows() * whole() - rows_;
  }  // columns that the last block column lacks

  std::uint64_t random(std::int64_t row, std::int64_t place) const {
    return counter_hash(seed_, static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(place));
  }

  // The k-th of `count` columns: drawn from the k-th of as many equal parts of [begin, end). `stream` tells
  // several draws of a row apart.
  std::int32_t part(std::int64_t row, std::int64_t stream, std::int64_t begin, std::int64_t end,
                    std::int64_t count, std::int64_t k) const {
    const std::int64_t size = end - begin, first = k * size / count, last = (k + 1) * size / count;
    return static_cast<std::int32_t>(begin + first + below(random(row, stream + k), last - first));
  }

  void draw(std::int64_t row, std::int64_t stream, std::int64_t begin, std::int64_t end, std::int64_t count,
            std::int32_t* column) const {
    for (std::int64_t k = 0; k < count; ++k) column[k] = part(row, stream, begin, end, count, k);
  }

  // The diagonal stands in for the column of the part that it lies in.
  void with_diagonal(std::int64_t row, std::int64_t count, std::int32_t* column) const {
    draw(row, 0, 0, rows_, count, column);
    for (std::int64_t k = 0; k < count; ++k)
      if (k * rows_ / count <= row && row < (k + 1) * rows_ / count)
        column[k] = static_cast<std::int32_t>(row);
  }

  std::int64_t power_law_length(std::int64_t row) const {
    const double u =
        (static_cast<double>(random(row, std::int64_t{1} << 31) >> 11) + 0.5) * 0x1p-53;  // in (0, 1)
    const double length = 1 / power(u, 1 / (parameter_ - 1));
    return length < static_cast<double>(rows_) ? static_cast<std::int64_t>(length) : rows_;
  }

  std::int64_t mesh_begin(std::int64_t row) const {
    return std::max<std::int64_t>(0, row - mesh_window * whole());
  }
  std::int64_t mesh_end(std::int64_t row) const { return std::min(rows_, row + mesh_window * whole()); }
  std::int64_t mesh_length(std::int64_t row) const {
    const std::int64_t least = std::max<std::int64_t>(1, whole() / 2),
                       drawn = least + below(random(row, std::int64_t{1} << 31), whole() + 1);
    return std::min(drawn, mesh_end(row) - mesh_begin(row));
  }

  std::int32_t right_block(std::int64_t i, std::int64_t count, std::int64_t k) const {
    return part(i, blocks_beside, i + 1, std::min(block_rows(), i + blocks_within + 1), count, k);
  }

  Neighbours neighbours(std::int64_t i) const {
    const std::int64_t left = std::min(blocks_beside, i),
                       right = std::min(blocks_beside, block_rows() - 1 - i);
    const std::int64_t last = right > 0 ? right_block(i, right, right - 1) : i;
    return {left, right, last == block_rows() - 1};
  }

  void fill_blocks(std::int64_t row, std::int64_t count, std::int32_t* column) const {
    const std::int64_t size = whole(), i = row / size;
    const Neighbours n = neighbours(i);
    std::int32_t block[2 * blocks_beside + 1];
    draw(i, 0, std::max<std::int64_t>(0, i - blocks_within), i, n.left, block);
    block[n.left] = static_cast<std::int32_t>(i);
    for (std::int64_t k = 0; k < n.right; ++k) block[n.left + 1 + k] = right_block(i, n.right, k);
    for (std::int64_t k = 0; k < count; ++k)
      column[k] = static_cast<std::int32_t>(block[k / size] * size + k % size);
  }

  const std::string kind_;
  const std::int64_t rows_;
  const std::uint64_t seed_;
  const double parameter_;
};

// With at least so many entries.
void require_memory(const GeneratedMatrix& matrix, std::int64_t nnz, std::int64_t value_bytes) {
  const std::int64_t needed = csr_bytes(matrix.rows, nnz, value_bytes), free = memory::available_host_bytes();
  if (needed > free)
    throw MemoryError(to_string(matrix) + ": not enough memory: CSR of it takes at least " +
                      bytes_text(needed) + ", " + bytes_text(free) + " are free; choose fewer rows");
}

}  // namespace

std::vector<std::string> generated_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  return names;
}

std::vector<std::string> generated_usages() {
  std::vector<std::string> usages;
  for (const Kind& kind : kinds) usages.push_back(usage(kind));
  return usages;
}

bool names_generated_matrix(const std::string& text) {
  return find_kind(text) != nullptr;
}

GeneratedMatrix parse_generated_matrix(const std::string& text) {
  const Kind* const kind = find_kind(text);
  if (kind == nullptr) throw InputError("generated matrices are written KIND:ROWS[:PARAMETER]");
  const std::string name = kind->name;
  if (text == name) throw InputError("write " + usage(*kind) + ", for example " + name + ":1000");
  const std::size_t colon = text.find(':', name.size() + 1);
  GeneratedMatrix matrix{name, 0, 0};
  if (!parse_number(text.substr(name.size() + 1, colon - name.size() - 1), matrix.rows) || matrix.rows < 1 ||
      matrix.rows > max_rows)
    throw InputError("ROWS of " + usage(*kind) + " must be a whole number from 1 to " +
                     std::to_string(max_rows));
  matrix.parameter = colon == std::string::npos ? kind->usual(matrix.rows)
                                                : parse_parameter(*kind, matrix.rows, text.substr(colon + 1));
  return matrix;
}

std::string to_string(const GeneratedMatrix& matrix) {
  const Kind* const kind = find_kind(matrix.kind);
  std::string text = matrix.kind + ":" + std::to_string(matrix.rows);
  if (kind != nullptr && matrix.parameter != kind->usual(matrix.rows))
    text += ":" + number_text(matrix.parameter);
  return text;
}

std::vector<GeneratedMatrix> generated_set(std::int64_t rows) {
  std::vector<GeneratedMatrix> set;
  for (const Kind& kind : kinds) {
    std::int64_t here = rows;
    if (kind.name == std::string("dense"))
      here = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(std::sqrt(static_cast<double>(dense_entries_per_row * rows))));
    if (kind.name == std::string("blocks")) here += (3 - rows % 3) % 3;
    set.push_back(parse_generated_matrix(std::string(kind.name) + ":" + std::to_string(here)));
  }
  return set;
}

int block_size(const GeneratedMatrix& matrix) {
  return matrix.kind == "blocks" ? static_cast<int>(matrix.parameter) : 1;
}

template <class T>
Csr<T> generate_matrix(const GeneratedMatrix& matrix, std::uint64_t seed) {
  const Structure structure(matrix, seed);
  require_memory(matrix, matrix.rows, sizeof(T));  // no row is empty
  Csr<T> csr{matrix.rows, structure.columns(), Array<std::int32_t>(matrix.rows + 1), {}, {}};
  std::int64_t nnz = 0;
#pragma omp parallel for schedule(static) reduction(+ : nnz)
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    csr.row_ptr[row + 1] = static_cast<std::int32_t>(structure.length(row));
    nnz += csr.row_ptr[row + 1];
  }
  if (nnz > max_rows)
    throw FormatError(to_string(matrix) + " has " + std::to_string(nnz) +
                      " non-zeros, but CSR counts fewer than 2^31 of them; choose fewer rows");
  require_memory(matrix, nnz, sizeof(T));
  csr.row_ptr[0] = 0;
  for (std::int64_t row = 0; row < matrix.rows; ++row) csr.row_ptr[row + 1] += csr.row_ptr[row];
  csr.column = Array<std::int32_t>(nnz);
  csr.value = Array<T>(nnz);
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const std::int32_t begin = csr.row_ptr[row], end = csr.row_ptr[row + 1];
    structure.fill(row, end - begin, csr.column.data() + begin);
    for (std::int32_t k = begin; k < end; ++k) {
      const std::uint64_t place =
          static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(csr.column[k]);
      csr.value[k] = static_cast<T>(signed_unit(counter_hash(seed, place)));
    }
  }
  return csr;
}

template Csr<float> generate_matrix(const GeneratedMatrix&, std::uint64_t);
template Csr<double> generate_matrix(const GeneratedMatrix&, std::uint64_t);

}  // namespace quadrille
