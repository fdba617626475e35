// A thread owns the nodes that kernels/cuda/tiling.hpp gives it. Far from the ends of the node numbering, and
// from faces that wrap, it loads what it needs from places that are known, what two of its nodes share once,
// and neighbouring numbers as one word of 16 bytes. Beside them its nodes go one after the other, and look
// for each neighbour.
//
// Values have zeros where there is no neighbour (kernels/cuda/compact.cu), a constant has not: it meets a
// zero in the place of x there. The products of a row are added in the order of its block diagonals.
//
// With x . A x a thread gives what its rows have of it to finish_dot(), which adds up the threads of a block.
#include "kernels/cuda/stencil_source.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace quadrille::cuda {
namespace {

constexpr std::int64_t most_terms = 700;
constexpr std::size_t most_at_once = 32;  // numbers of x that a thread loads before it knows its stencil
constexpr std::int64_t most_nodes = std::int64_t{1}
                                    << 30;  // numbered in 32 bits, and what lies beside a tile

std::string number(std::int64_t n) {
  return std::to_string(n) + (n > INT32_MAX || n < INT32_MIN ? "ll" : "");
}

// A literal with these bits.
std::string literal(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "__longlong_as_double(0x%016llxll)",
                static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(value)));
  return text;
}
std::string literal(float value) {
  char text[64];
  std::snprintf(text, sizeof text, "__int_as_float(0x%08x)", std::bit_cast<std::uint32_t>(value));
  return text;
}

// One product of a sum: row += coefficient * x[column] of the node at diagonal d.
struct Term {
  enum class From { constant, column, table } from = From::constant;
  std::int64_t d = 0;
  int r = 0, c = 0;
  std::int64_t column = 0;  // of the values; of a stencil, the place in it
  bool at_neighbour = false;
  std::string constant;
};

// Where a number is loaded from: an array, and how far in nodes from the thread's first one.
struct Place {
  std::int64_t array = 0;  // -1 - c: unknown c of x; else a column of the values
  NodeOffset shift;
  auto key() const { return std::tuple(array, shift.z, shift.y, shift.x); }
  bool operator<(const Place& other) const { return key() < other.key(); }
};

class Writer {
 public:
  Writer(const BlockStructure& s, std::vector<Term> terms, bool fp64, ValuePrecision precision, int numbers,
         TileSize size, WithDot dot = WithDot::no)
      : s_(with_planes(s)),
        terms_(std::move(terms)),
        fp64_(fp64),
        precision_(precision),
        numbers_(numbers),
        dot_(dot == WithDot::yes),
        word_(16 / bytes_of_number()) {
    std::set<std::int64_t> columns;
    for (const Term& t : terms_) {
      if (t.from == Term::From::column) columns.insert(t.column);
      if (t.at_neighbour) reused_.insert(t.column);
    }
    tiling_ = tiling_of(
        s_, {word_, static_cast<std::int64_t>(terms_.size()), static_cast<std::int64_t>(columns.size()),
             static_cast<std::int64_t>(reused_.size()), numbers_ > 0, direction_of_planes() != 0, size});
  }

  KernelSource source() {
    if (static_cast<std::int64_t>(terms_.size()) * tiling_.nodes > most_terms || s_.nodes() > most_nodes)
      return {};
    const std::string inner = inner_body();
    head();
    line("    if (" + inner_condition() + ") {");
    text_ += inner;
    line("    } else {");
    outer_body();
    line("    }");
    line("  }");
    if (dot_) {
      line("  return dot;\n}");
      kernel_head();
      line("  finish_dot(rows(values, numbers, x, to, from, alpha, beta), of_block);");
    }
    line("}");
    return {text_, tiling_.launched()};
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  int bytes_of_number() const { return fp64_ ? 8 : 4; }
  bool wraps(int axis) const { return s_.periodic[axis]; }

  // 1 or -1 where the diagonals, in their order, go up or down along z, so that the planes of a thread can
  // share what they read of x; else 0.
  int direction_of_planes() const {
    const auto by_z = [](const NodeOffset& a, const NodeOffset& b) { return a.z < b.z; };
    if (std::is_sorted(s_.offsets.begin(), s_.offsets.end(), by_z)) return 1;
    if (std::is_sorted(s_.offsets.rbegin(), s_.offsets.rend(), by_z)) return -1;
    return 0;
  }

  void head() {
    const std::string type = fp64_ ? "double" : "float";
    line("typedef " + type + " T;");
    line("struct __align__(16) Word { T v[" + std::to_string(word_) + "]; };");
    loads_of("Word", "T", "int4");
    value_head(type);
    line(
        "__device__ inline T put(T sum, T from, T alpha, T beta) { const T a = alpha * sum; return beta != 0 "
        "? a + "
        "beta * from : a; }");
    if (dot_)
      line("__device__ inline double rows(" + parameters() + ") {\n  double dot = 0;");
    else
      kernel_head();
    place_of_thread();
  }
  // With a dot the compiler takes more registers than the product needs to be fast.
  void kernel_head() {
    const int blocks = dot_ && tiling_.blocks > 1 ? tiling_.blocks + 2 : tiling_.blocks;
    line("extern \"C\" __global__ void __launch_bounds__(" + std::to_string(tile_threads) + ", " +
         std::to_string(blocks) + ")");
    line(std::string(source_kernel) + "(" + parameters() + (dot_ ? ", double* of_block" : "") + ") {");
  }
  static std::string parameters() {
    return "const V* __restrict__ values, const void* __restrict__ numbers, const T* __restrict__ x, T* to, "
           "const T* from, T alpha, T beta";
  }

  // x0, y0 and z0, the place of the thread's first node, in a loop over its planes.
  void place_of_thread() {
    const Tiling& t = tiling_;
    const std::string planes = number(t.steps * t.planes);
    line("  const int line = blockIdx.x / " + number(t.tiles_x) + ", plane = line / " + number(t.tiles_y) +
         ";");
    line("  const int lx = threadIdx.x % " + number(t.x) + ", ly = threadIdx.x / " + number(t.x) + ";");
    line("  const int x0 = ((blockIdx.x - line * " + number(t.tiles_x) + ") * " + number(t.x) + " + lx) * " +
         number(t.nodes) + ";");
    line("  const int y0 = (line - plane * " + number(t.tiles_y) + ") * " + number(t.y) + " + ly;");
    line("  const int first = plane * " + planes + ", last = min(first + " + planes + ", " +
         number(s_.extents[2]) + ");");
    line("  if (ly >= " + number(t.y) + " || x0 >= " + number(s_.extents[0]) +
         " || y0 >= " + number(s_.extents[1]) + ") return" + (dot_ ? " dot;" : ";"));
    // A loop that runs once would keep addresses in registers.
    line(t.steps == 1
             ? "  {\n    const int z0 = first;"
             : "#pragma unroll 1\n  for (int z0 = first; z0 < last; z0 += " + number(t.planes) + ") {");
    line("    const int node = (z0 * " + number(s_.extents[1]) + " + y0) * " + number(s_.extents[0]) +
         " + x0;");
  }

  // Of words of numbers, as one load each.
  void loads_of(const std::string& word, const std::string& number, const std::string& loaded) {
    for (const auto& [name, how] : {std::pair("cached", "__ldg"), {"streamed", "__ldcs"}})
      line("__device__ inline " + word + " " + name + "(const " + number + "* p) { const " + loaded +
           " w = " + how + "((const " + loaded + "*)p); " + word + " r; *(" + loaded +
           "*)&r = w; return r; }");
  }

  // V, the type of stored values, and T value(V). As many of them as numbers in a word of T are a word, too.
  void value_head(const std::string& type) {
    const std::int64_t bytes = bytes_of(precision_, bytes_of_number());
    line("typedef " + std::string(bytes == 2 ? "unsigned short" : bytes == 4 ? "float" : type) + " V;");
    if (bytes == 2)
      line("__device__ inline T value(V v) { return (T)__uint_as_float((unsigned)v << 16); }");
    else
      line("__device__ inline T value(V v) { return (T)v; }");
    if (bytes == bytes_of_number()) return;
    const std::int64_t word = bytes * word_;
    line("struct __align__(" + std::to_string(word) + ") ValueWord { V v[" + std::to_string(word_) + "]; };");
    loads_of("ValueWord", "V", word == 4 ? "int" : "int2");
  }

  // All that the inner body loads is in the arrays, and all neighbours along x and y are where they are far
  // from faces that wrap. Then those along z are, too.
  std::string inner_condition() const {
    const std::int64_t beyond = tiling_.nodes - 1 + word_,
                       planes = (tiling_.planes - 1) * s_.extents[0] * s_.extents[1];
    std::int64_t lowest = 0, highest = planes, left = 0, right = 0, below = 0, above = 0;
    for (const NodeOffset& o : s_.offsets) {
      lowest = std::min(lowest, s_.linear(o) - word_);
      highest = std::max(highest, s_.linear(o) + planes + beyond);
      left = std::max<std::int64_t>(left, -o.x);
      right = std::max<std::int64_t>(right, o.x);
      below = std::max<std::int64_t>(below, -o.y);
      above = std::max<std::int64_t>(above, o.y);
    }
    std::string text = "node >= " + number(-lowest) + " && node < " + number(s_.nodes() - highest);
    if (wraps(0))
      text += " && x0 >= " + number(left) + " && x0 < " + number(s_.extents[0] - right - (tiling_.nodes - 1));
    if (wraps(1)) text += " && y0 >= " + number(below) + " && y0 < " + number(s_.extents[1] - above);
    return text;
  }

  // Of a number so many nodes from the thread's first.
  std::string address(std::int64_t array, std::int64_t nodes_away) const {
    if (array < 0) return "xn + " + number(nodes_away * s_.dof + (-1 - array));
    return "vn + " + number(array * s_.nodes() + nodes_away);
  }

  using Names = std::map<Place, std::string>;
  using WordPlace = std::pair<std::int64_t, std::int64_t>;  // an array, x being -1, and its first element

  // Elements of the place's array from the thread's own; those of all unknowns of x stand beside each other.
  std::int64_t element_of(const Place& p) const {
    return p.array < 0 ? s_.linear(p.shift) * s_.dof + (-1 - p.array) : s_.linear(p.shift);
  }
  // The word that the place is in.
  WordPlace word_of(const Place& p) const {
    const std::int64_t element = element_of(p), before = element >= 0 ? element : element - word_ + 1;
    return {std::max<std::int64_t>(p.array, -1), before / word_ * word_};
  }
  bool in_words(const Place& p) const { return tiling_.nodes * (p.array < 0 ? s_.dof : 1) % word_ == 0; }

  // The name of the number at a place, which is loaded where it was not: as a word where that has two or more
  // numbers that are asked for.
  std::string load(const Place& p, const std::map<WordPlace, std::vector<Place>>& words, Names& names,
                   std::string& text) {
    if (const auto known = names.find(p); known != names.end()) return known->second;
    const bool stream = p.array >= 0 && reused_.count(p.array) == 0;
    const bool of_values = p.array >= 0 && precision_ != ValuePrecision::own;
    const std::string name = "n" + std::to_string(names.size());
    const auto as_t = [&](const std::string& text) { return of_values ? "value(" + text + ")" : text; };
    const auto word = words.find(word_of(p));
    if (!in_words(p) || word->second.size() < 2) {
      text += "    const T " + name + " = " +
              as_t((stream ? "__ldcs(" : "__ldg(") + address(p.array, s_.linear(p.shift)) + ")") + ";\n";
      return names[p] = name;
    }
    const auto& [array, first] = word->first;
    text += std::string("    const ") + (of_values ? "ValueWord " : "Word ") + name + " = " +
            (stream ? "streamed(" : "cached(") +
            (array < 0 ? "xn + " + number(first) : "vn + " + number(array * s_.nodes() + first)) + ");\n";
    for (const Place& other : word->second)
      names[other] = as_t(name + ".v[" + std::to_string(element_of(other) - first) + "]");
    return names.at(p);
  }

  // One of the products that a thread adds: of its node w along x in its plane k.
  struct Product {
    const Term* term;
    int w, k;
  };

  Place place_of_x(const Product& p) const {
    NodeOffset shift = s_.offsets[p.term->d];
    shift.x += p.w;
    shift.z += p.k;
    return {-1 - p.term->c, shift};
  }
  Place place_of_value(const Product& p) const {
    NodeOffset shift = p.term->at_neighbour ? s_.offsets[p.term->d] : NodeOffset{};
    shift.x += p.w;
    shift.z += p.k;
    return {p.term->column, shift};
  }

  // Of x, what stands at one of the thread's rows.
  static Place place_of_row(int w, int k, int r) { return {-1 - r, {w, 0, k}}; }

  // One plane of x after the other, and in it one block diagonal after the other, so that what is loaded does
  // not wait for long. The order of a row's products stays that of its diagonals.
  std::vector<Product> products() const {
    std::vector<Product> all;
    for (const Term& t : terms_)
      for (int k = 0; k < tiling_.planes; ++k)
        for (int w = 0; w < tiling_.nodes; ++w) all.push_back({&t, w, k});
    const auto plane = [&](const Product& p) {
      return direction_of_planes() * (s_.offsets[p.term->d].z + p.k);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const Product& a, const Product& b) { return plane(a) < plane(b); });
    return all;
  }

  // What x is multiplied with.
  std::string coefficient(const Product& p, const std::map<WordPlace, std::vector<Place>>& words,
                          Names& names, std::string& text) {
    if (p.term->from == Term::From::constant) return p.term->constant;
    if (p.term->from == Term::From::column) return load(place_of_value(p), words, names, text);
    return "__ldg(" + stencil_name(p.w, p.k) + " + " + number(p.term->column) + ")";
  }

  // Whether the product's neighbour is in the grid along x and y, where it may not be.
  std::string is_there(const Product& p) const {
    const NodeOffset& o = s_.offsets[p.term->d];
    std::string text;
    const auto also = [&](const std::string& one) { text += (text.empty() ? "" : " && ") + one; };
    if (!wraps(0) && o.x + p.w < 0) also("x0 >= " + number(-o.x - p.w));
    if (!wraps(0) && o.x + p.w > tiling_.nodes - 1) also("x0 < " + number(s_.extents[0] - o.x - p.w));
    if (!wraps(1) && o.y < 0) also("y0 >= " + number(-o.y));
    if (!wraps(1) && o.y > 0) also("y0 < " + number(s_.extents[1] - o.y));
    return text;
  }

  std::string inner_body() {
    const std::vector<Product> all = products();
    std::set<Place> places;
    for (const Product& p : all) {
      places.insert(place_of_x(p));
      if (p.term->from == Term::From::column) places.insert(place_of_value(p));
    }
    for (int k = 0; k < tiling_.planes && dot_; ++k)
      for (int w = 0; w < tiling_.nodes; ++w)
        for (int r = 0; r < s_.dof; ++r) places.insert(place_of_row(w, k, r));
    std::map<WordPlace, std::vector<Place>> words;
    for (const Place& p : places) words[word_of(p)].push_back(p);
    std::string text = "    const T* const xn = x + (long long)node * " + number(s_.dof) + ";\n";
    text += "    const V* const vn = values + node;\n";
    Names names;
    if (numbers_ == 0) return text + sums(all, words, names, false);
    text += numbers_of_thread();
    if (places.size() > most_at_once) return text + stencils_of_thread() + sums(all, words, names, false);
    // Most threads of a warp have nodes of one stencil, which is loaded once then. Which one, is known late:
    // x is on its way before.
    for (const Product& p : all) load(place_of_x(p), words, names, text);
    return text + "    if (__all_sync(__activemask(), " + one_stencil() + ")) {\n" +
           stencil_of("t", "m0 & " + mask()) + sums(all, words, names, true) + "    } else {\n" +
           stencils_of_thread() + sums(all, words, names, false) + "    }\n";
  }

  // Of the thread's rows, of nodes with one stencil or each with its own. `names` is of what was loaded.
  std::string sums(const std::vector<Product>& all, const std::map<WordPlace, std::vector<Place>>& words,
                   Names names, bool of_one) {
    std::string text;
    for (int k = 0; k < tiling_.planes; ++k)
      for (int w = 0; w < tiling_.nodes; ++w)
        for (int r = 0; r < s_.dof; ++r) text += "    T " + sum_of(w, k, r) + " = 0;\n";
    std::set<std::int64_t> entries;
    for (const Product& p : all) {
      std::string b = load(place_of_x(p), words, names, text);
      if (const std::string there = is_there(p); p.term->from == Term::From::constant && !there.empty())
        b = "(" + there + " ? " + b + " : T(0))";
      std::string a = "e" + std::to_string(p.term->column);
      if (!of_one)
        a = coefficient(p, words, names, text);
      else if (entries.insert(p.term->column).second)
        text += "    const T " + a + " = __ldg(t + " + number(p.term->column) + ");\n";
      text += "    " + sum_of(p.w, p.k, p.term->r) + " += " + a + " * " + b + ";\n";
    }
    for (int k = 0; k < tiling_.planes && dot_; ++k)
      for (int w = 0; w < tiling_.nodes; ++w)
        for (int r = 0; r < s_.dof; ++r) {
          const std::string own = load(place_of_row(w, k, r), words, names, text);
          text += "    dot += (double)" + sum_of(w, k, r) + " * " + own + ";\n";
        }
    for (int k = 0; k < tiling_.planes; ++k) text += store(k);
    return text;
  }

  // The numbers of the stencils of a thread's nodes, those of a plane in one word: m0, m1, ...
  std::string numbers_of_thread() const {
    const std::map<int, std::string> types{
        {1, "unsigned char"}, {2, "unsigned short"}, {4, "unsigned"}, {8, "unsigned long long"}};
    const std::string type = types.at(numbers_ * tiling_.nodes);
    std::string text;
    for (int k = 0; k < tiling_.planes; ++k)
      text += "    const unsigned long long m" + std::to_string(k) + " = __ldg((const " + type +
              "*)((const " + number_type() + "*)numbers + node + " + number(k * plane()) + "));\n";
    return text;
  }
  std::string mask() const { return numbers_ == 1 ? "0xff" : "0xffff"; }
  std::string one_stencil() const {
    std::string text = "m0 == (m0 & " + mask() + ") * (";
    for (int w = 0; w < tiling_.nodes; ++w)
      text += (w > 0 ? " | 1ull << " : "1ull << ") + std::to_string(8 * numbers_ * w);
    text += ")";
    for (int k = 1; k < tiling_.planes; ++k) text += " && m" + std::to_string(k) + " == m0";
    return text;
  }
  std::string stencils_of_thread() const {
    std::string text;
    for (int k = 0; k < tiling_.planes; ++k)
      for (int w = 0; w < tiling_.nodes; ++w)
        text += stencil_of(stencil_name(w, k), "m" + std::to_string(k) + " >> " +
                                                   std::to_string(8 * numbers_ * w) + " & " + mask());
    return text;
  }
  std::string number_type() const { return numbers_ == 1 ? "unsigned char" : "unsigned short"; }
  std::int64_t plane() const { return s_.extents[0] * s_.extents[1]; }
  static std::string sum_of(int w, int k, int r) {
    return "s" + std::to_string(k) + "_" + std::to_string(w) + "_" + std::to_string(r);
  }
  static std::string stencil_name(int w, int k) { return "t" + std::to_string(k) + "_" + std::to_string(w); }

  // Where the stencil with this number stands.
  std::string stencil_of(const std::string& name, const std::string& which) const {
    return "    const T* const " + name + " = values + (" + which + ") * " +
           number(static_cast<std::int64_t>(s_.offsets.size()) * s_.dof * s_.dof) + ";\n";
  }

  // Of all rows of the thread in a plane, in words where they are whole words.
  std::string store(int k) const {
    std::string text = "    {\n";
    const int rows = tiling_.nodes * s_.dof;
    const std::string first_row = "((long long)node + " + number(k * plane()) + ") * " + number(s_.dof);
    text += "    T* const tn = to + " + first_row + ";\n";
    text += "    const T* const fn = from + " + first_row + ";\n";
    for (int first = 0; first < rows;) {
      const int count = rows % word_ == 0 ? word_ : 1;
      if (count > 1) text += "    { Word w;\n";
      for (int i = first; i < first + count; ++i) {
        const std::string value = "put(" + sum_of(i / s_.dof, k, i % s_.dof) + ", beta != 0 ? fn[" +
                                  std::to_string(i) + "] : T(0), alpha, beta)";
        text += count > 1 ? "    w.v[" + std::to_string(i - first) + "] = " + value + ";\n"
                          : "    tn[" + std::to_string(i) + "] = " + value + ";\n";
      }
      if (count > 1) text += "    *(int4*)(tn + " + std::to_string(first) + ") = *(const int4*)&w; }\n";
      first += count;
    }
    return text + "    }\n";
  }

  // The place of the neighbour along an axis, from `at`, as an expression, and whether it is there.
  std::string along(const std::string& at, std::int64_t step, int axis, std::string& condition) const {
    const std::int64_t n = s_.extents[axis];
    if (step == 0) return at;
    if (wraps(axis)) {
      const std::int64_t forward = (step % n + n) % n;
      const std::string moved = "(" + at + " + " + number(forward) + ")";
      return "(" + moved + " >= " + number(n) + " ? " + moved + " - " + number(n) + " : " + moved + ")";
    }
    const std::string moved = "(" + at + (step > 0 ? " + " : " - ") + number(std::abs(step)) + ")";
    condition += (condition.empty() ? "" : " && ") + ("(unsigned)" + moved + " < " + number(n) + "u");
    return moved;
  }

  // One node after the other. Where a neighbour is missing its number is read at the node, and not used.
  void outer_body() {
    line("#pragma unroll 1");
    line("    for (int k = 0; k < min(" + number(tiling_.planes) + ", last - z0); ++k)");
    line("#pragma unroll 1");
    line("    for (int w = 0; w < " + number(tiling_.nodes) + "; ++w) {");
    line("    const int xi = x0 + w, yi = y0, zi = z0 + k, i = node + k * " + number(plane()) + " + w;");
    if (numbers_ > 0) text_ += stencil_of("t", "(long long)__ldg((const " + number_type() + "*)numbers + i)");
    for (int r = 0; r < s_.dof; ++r) line("    T s" + std::to_string(r) + " = 0;");
    std::size_t t = 0;
    for (std::int64_t d = 0; d < s_.diagonals(); ++d) {
      if (t >= terms_.size() || terms_[t].d != d) continue;
      const NodeOffset& o = s_.offsets[d];
      std::string condition;
      const std::string x = along("xi", o.x, 0, condition), y = along("yi", o.y, 1, condition),
                        z = along("zi", o.z, 2, condition);
      line("    {");
      line("    const bool there = " + (condition.empty() ? "true" : condition) + ";");
      line("    const long long j = there ? (" + z + " * " + number(s_.extents[1]) + " + " + y + ") * " +
           number(s_.extents[0]) + " + " + x + " : i;");
      for (; t < terms_.size() && terms_[t].d == d; ++t) {
        const Term& term = terms_[t];
        const std::string a = term.from == Term::From::constant ? term.constant
                              : term.from == Term::From::table
                                  ? "__ldg(t + " + number(term.column) + ")"
                                  : "value(__ldg(values + " + number(term.column * s_.nodes()) + " + " +
                                        (term.at_neighbour ? "j" : "i") + "))";
        line("    const T b" + std::to_string(t) + " = __ldg(x + j * " + number(s_.dof) + " + " +
             std::to_string(term.c) + ");");
        line("    s" + std::to_string(term.r) + " += " + a + " * (there ? b" + std::to_string(t) +
             " : T(0));");
      }
      line("    }");
    }
    for (int r = 0; r < s_.dof; ++r) {
      const std::string row = "(long long)i * " + number(s_.dof) + " + " + std::to_string(r);
      line("    to[" + row + "] = put(s" + std::to_string(r) + ", beta != 0 ? from[" + row +
           "] : T(0), alpha, beta);");
      if (dot_) line("    dot += (double)s" + std::to_string(r) + " * __ldg(x + " + row + ");");
    }
    line("    }");
  }

  BlockStructure s_;         // offsets are those of the product
  std::vector<Term> terms_;  // by diagonal, row, column
  bool fp64_;
  ValuePrecision precision_;
  int numbers_;  // bytes of the number of a stencil; 0 where there is no table
  bool dot_;     // of x and A x, too
  int word_;     // numbers in 16 bytes
  Tiling tiling_;
  std::set<std::int64_t> reused_;  // columns that are read for neighbours, too
  std::string text_;
};

// With the offsets of the transposed product.
BlockStructure turned(BlockStructure s) {
  for (NodeOffset& o : s.offsets) o = {-o.x, -o.y, -o.z};
  return s;
}

}  // namespace

std::string dot_source() {
  return R"(
__device__ inline double sum_warp(double v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffffu, v, step);
  return v;
}
__device__ inline void finish_dot(double dot, double* of_block) {
  __shared__ double of_warp[32];
  dot = sum_warp(dot);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = dot;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  dot = sum_warp(threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : 0);
  if (threadIdx.x == 0) of_block[blockIdx.x] = dot;
}
)";
}

template <class T>
KernelSource compact_source(const BlockStructure& s, const std::vector<CompactEntry<T>>& entries,
                            ValuePrecision precision, bool transposed, TileSize size, WithDot dot) {
  std::vector<Term> terms;
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    for (int r = 0; r < s.dof; ++r)
      for (int c = 0; c < s.dof; ++c) {
        const CompactEntry<T>& e =
            entries[transposed ? (d * s.dof + c) * s.dof + r : (d * s.dof + r) * s.dof + c];
        if (e.stored == Stored::constant)
          terms.push_back({Term::From::constant, d, r, c, 0, false, literal(e.constant)});
        else if (e.stored != Stored::nothing)
          terms.push_back(
              {Term::From::column, d, r, c, e.column, (e.stored == Stored::mirror) != transposed, {}});
      }
  return Writer(transposed ? turned(s) : s, std::move(terms), sizeof(T) == 8, precision, 0, size, dot)
      .source();
}

template <class T>
KernelSource stencil_table_source(const BlockStructure& s, const std::vector<std::uint8_t>& used, bool words,
                                  TileSize size) {
  std::vector<Term> terms;
  std::int64_t e = 0;
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    for (int r = 0; r < s.dof; ++r)
      for (int c = 0; c < s.dof; ++c, ++e)
        if (used[e] != 0) terms.push_back({Term::From::table, d, r, c, e, false, {}});
  return Writer(s, std::move(terms), sizeof(T) == 8, ValuePrecision::own, words ? 2 : 1, size).source();
}

#define QUADRILLE_INSTANTIATE(T)                                                                         \
  template KernelSource compact_source(const BlockStructure&, const std::vector<CompactEntry<T>>&,       \
                                       ValuePrecision, bool, TileSize, WithDot);                         \
  template KernelSource stencil_table_source<T>(const BlockStructure&, const std::vector<std::uint8_t>&, \
                                                bool, TileSize);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
