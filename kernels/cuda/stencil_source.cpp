// A thread owns one node, or with one unknown the nodes that 16 bytes hold. Far from the ends of the node
// numbering, and from faces where it matters, it loads what it needs from places that are known, what two of
// its nodes share once, and neighbouring numbers as one word of 16 bytes. Beside them its nodes go one after
// the other, and look for each neighbour.
//
// It matters beside a face that wraps, and where an entry is constant: values have zeros where there is no
// neighbour (kernels/cuda/compact.cu), a constant has not.
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
constexpr std::int64_t most_nodes = INT32_MAX - 4 * source_threads;  // all threads number theirs in 32 bits

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
  Writer(const BlockStructure& s, std::vector<NodeOffset> offsets, std::vector<Term> terms, bool fp64,
         ValuePrecision precision, std::string number_type)
      : s_(s),
        offsets_(std::move(offsets)),
        terms_(std::move(terms)),
        fp64_(fp64),
        precision_(precision),
        number_type_(std::move(number_type)) {
    const std::int64_t word = 16 / (fp64 ? 8 : 4);
    word_ = static_cast<int>(word);
    nodes_ = s.dof == 1 && s.nodes() % word == 0 ? word_ : 1;
    for (const Term& t : terms_)
      if (t.from == Term::From::constant) at_faces_ = true;
    for (const Term& t : terms_)
      if (t.at_neighbour) reused_.insert(t.column);
  }

  KernelSource source() {
    if (static_cast<std::int64_t>(terms_.size()) * nodes_ > most_terms || s_.nodes() > most_nodes) return {};
    const std::string inner = inner_body();
    head();
    line("  if (" + inner_condition() + ") {");
    text_ += inner;
    line("  } else {");
    outer_body();
    line("  }");
    line("}");
    return {text_, nodes_};
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  bool wraps(int axis) const { return s_.periodic[axis]; }

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
    line("extern \"C\" __global__ void __launch_bounds__(" + std::to_string(source_threads) + ", " +
         std::to_string(blocks_) + ")");
    line(std::string(source_kernel) +
         "(const V* __restrict__ values, const void* __restrict__ numbers, const T* __restrict__ x, T* to, "
         "const T* from, T alpha, T beta) {");
    line("  const int node = (blockIdx.x * " + std::to_string(source_threads) + " + threadIdx.x) * " +
         std::to_string(nodes_) + ";");
    line("  if (node >= " + number(s_.nodes()) + ") return;");
    if (looks()) {
      line("  const int line = node / " + number(s_.extents[0]) + ", x0 = node - line * " +
           number(s_.extents[0]) + ", z0 = line / " + number(s_.extents[1]) + ", y0 = line - z0 * " +
           number(s_.extents[1]) + ";");
    }
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
    const std::int64_t bytes = bytes_of(precision_, fp64_ ? 8 : 4);
    line("typedef " + std::string(bytes == 2 ? "unsigned short" : bytes == 4 ? "float" : type) + " V;");
    if (bytes == 2)
      line("__device__ inline T value(V v) { return (T)__uint_as_float((unsigned)v << 16); }");
    else
      line("__device__ inline T value(V v) { return (T)v; }");
    if (bytes == (fp64_ ? 8 : 4)) return;
    const std::int64_t word = bytes * word_;
    line("struct __align__(" + std::to_string(word) + ") ValueWord { V v[" + std::to_string(word_) + "]; };");
    loads_of("ValueWord", "V", word == 4 ? "int" : "int2");
  }

  // Whether places of neighbours along x or y depend on where a node stands.
  bool looks() const { return at_faces_ || wraps(0) || wraps(1); }

  std::string inner_condition() const {
    std::int64_t lowest = 0, highest = nodes_ - 1, left = 0, right = 0, below = 0, above = 0;
    for (const NodeOffset& o : offsets_) {
      lowest = std::min(lowest, s_.linear(o) - word_);
      highest = std::max(highest, s_.linear(o) + nodes_ - 1 + word_);
      left = std::max<std::int64_t>(left, -o.x);
      right = std::max<std::int64_t>(right, o.x);
      below = std::max<std::int64_t>(below, -o.y);
      above = std::max<std::int64_t>(above, o.y);
    }
    std::string text = "node >= " + number(-lowest) + " && node < " + number(s_.nodes() - highest);
    if (looks()) {
      // Of all nodes of the thread, which stand in one line unless they cross its end.
      text += " && x0 >= " + number(left) + " && x0 < " + number(s_.extents[0] - right - (nodes_ - 1));
      text += " && y0 >= " + number(below) + " && y0 < " + number(s_.extents[1] - above);
    }
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
  bool in_words(const Place& p) const { return nodes_ * (p.array < 0 ? s_.dof : 1) % word_ == 0; }

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

  Place place_of_x(const Term& t, int w) const {
    NodeOffset shift = offsets_[t.d];
    shift.x += w;
    return {-1 - t.c, shift};
  }
  Place place_of_value(const Term& t, int w) const {
    NodeOffset shift = t.at_neighbour ? offsets_[t.d] : NodeOffset{};
    shift.x += w;
    return {t.column, shift};
  }

  // One block diagonal after the other, so that what is loaded does not wait for long.
  std::string inner_body() {
    std::set<Place> places;
    for (const Term& t : terms_)
      for (int w = 0; w < nodes_; ++w) {
        places.insert(place_of_x(t, w));
        if (t.from == Term::From::column) places.insert(place_of_value(t, w));
      }
    std::map<WordPlace, std::vector<Place>> words;
    for (const Place& p : places) words[word_of(p)].push_back(p);
    // Fewer where so many numbers are kept for a second use that registers would run out.
    blocks_ = places.size() <= 24 ? 4 : reused_.size() > 40 ? 2 : 3;
    std::string text = "    const T* const xn = x + (long long)node * " + number(s_.dof) + ";\n";
    text += "    const V* const vn = values + node;\n";
    for (int w = 0; w < nodes_; ++w) {
      if (!number_type_.empty()) text += stencil_of(w, "node + " + std::to_string(w));
      for (int r = 0; r < s_.dof; ++r) text += "    T " + sum_of(w, r) + " = 0;\n";
    }
    Names names;
    for (const Term& t : terms_)
      for (int w = 0; w < nodes_; ++w) {
        const std::string b = load(place_of_x(t, w), words, names, text);
        const std::string a = t.from == Term::From::constant ? t.constant
                              : t.from == Term::From::table
                                  ? "__ldg(t" + std::to_string(w) + " + " + number(t.column) + ")"
                                  : load(place_of_value(t, w), words, names, text);
        text += "    " + sum_of(w, t.r) + " += " + a + " * " + b + ";\n";
      }
    return text + store();
  }
  static std::string sum_of(int w, int r) { return "s" + std::to_string(w) + "_" + std::to_string(r); }

  std::string stencil_of(int w, const std::string& node) const {
    return "    const T* const t" + std::to_string(w) + " = values + (long long)__ldg((const " +
           number_type_ + "*)numbers + " + node + ") * " +
           number(static_cast<std::int64_t>(offsets_.size()) * s_.dof * s_.dof) + ";\n";
  }

  // Of all rows of the thread, in words where they are whole words.
  std::string store() const {
    std::string text;
    const int rows = nodes_ * s_.dof;
    text += "    T* const tn = to + (long long)node * " + number(s_.dof) + ";\n";
    text += "    const T* const fn = from + (long long)node * " + number(s_.dof) + ";\n";
    for (int first = 0; first < rows;) {
      const int count = rows % word_ == 0 ? word_ : 1;
      if (count > 1) text += "    { Word w;\n";
      for (int i = first; i < first + count; ++i) {
        const std::string sum = sum_of(i / s_.dof, i % s_.dof);
        const std::string value =
            "put(" + sum + ", beta != 0 ? fn[" + std::to_string(i) + "] : T(0), alpha, beta)";
        text += count > 1 ? "    w.v[" + std::to_string(i - first) + "] = " + value + ";\n"
                          : "    tn[" + std::to_string(i) + "] = " + value + ";\n";
      }
      if (count > 1) text += "    *(int4*)(tn + " + std::to_string(first) + ") = *(const int4*)&w; }\n";
      first += count;
    }
    return text;
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
    condition += " && (unsigned)" + moved + " < " + number(n) + "u";
    return moved;
  }

  void outer_body() {
    line("#pragma unroll 1");
    line("    for (int i = node; i < node + " + std::to_string(nodes_) + "; ++i) {");
    line("    const int li = i / " + number(s_.extents[0]) + ", xi = i - li * " + number(s_.extents[0]) +
         ", zi = li / " + number(s_.extents[1]) + ", yi = li - zi * " + number(s_.extents[1]) + ";");
    if (!number_type_.empty()) text_ += stencil_of(0, "i");
    for (int r = 0; r < s_.dof; ++r) line("    T s" + std::to_string(r) + " = 0;");
    std::size_t t = 0;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(offsets_.size()); ++d) {
      if (t >= terms_.size() || terms_[t].d != d) continue;
      const NodeOffset& o = offsets_[d];
      std::string condition = "true";
      const std::string x = along("xi", o.x, 0, condition), y = along("yi", o.y, 1, condition),
                        z = along("zi", o.z, 2, condition);
      line("    if (" + condition + ") {");
      line("    const long long j = ((long long)" + z + " * " + number(s_.extents[1]) + " + " + y + ") * " +
           number(s_.extents[0]) + " + " + x + ";");
      for (; t < terms_.size() && terms_[t].d == d; ++t) {
        const Term& term = terms_[t];
        const std::string a = term.from == Term::From::constant ? term.constant
                              : term.from == Term::From::table
                                  ? "__ldg(t0 + " + number(term.column) + ")"
                                  : "value(__ldg(values + " + number(term.column * s_.nodes()) + " + " +
                                        (term.at_neighbour ? "j" : "i") + "))";
        line("    s" + std::to_string(term.r) + " += " + a + " * __ldg(x + j * " + number(s_.dof) + " + " +
             std::to_string(term.c) + ");");
      }
      line("    }");
    }
    for (int r = 0; r < s_.dof; ++r) {
      const std::string at = "[(long long)i * " + number(s_.dof) + " + " + std::to_string(r) + "]";
      line("    to" + at + " = put(s" + std::to_string(r) + ", beta != 0 ? from" + at +
           " : T(0), alpha, beta);");
    }
    line("    }");
  }

  const BlockStructure& s_;
  std::vector<NodeOffset> offsets_;
  std::vector<Term> terms_;  // by diagonal, row, column
  bool fp64_;
  ValuePrecision precision_;
  std::string number_type_;  // of stencils; empty where there is no table
  int word_ = 2;             // numbers in 16 bytes
  int nodes_ = 1;            // of a thread
  int blocks_ = 4;           // on a multiprocessor at least
  bool at_faces_ = false;
  std::set<std::int64_t> reused_;  // columns that are read for neighbours, too
  std::string text_;
};

std::vector<NodeOffset> offsets_of(const BlockStructure& s, bool transposed) {
  std::vector<NodeOffset> offsets = s.offsets;
  if (transposed)
    for (NodeOffset& o : offsets) o = {-o.x, -o.y, -o.z};
  return offsets;
}

}  // namespace

template <class T>
KernelSource compact_source(const BlockStructure& s, const std::vector<CompactEntry<T>>& entries,
                            ValuePrecision precision, bool transposed) {
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
  return Writer(s, offsets_of(s, transposed), std::move(terms), sizeof(T) == 8, precision, "").source();
}

template <class T>
KernelSource stencil_table_source(const BlockStructure& s, const std::vector<std::uint8_t>& used,
                                  bool words) {
  std::vector<Term> terms;
  std::int64_t e = 0;
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    for (int r = 0; r < s.dof; ++r)
      for (int c = 0; c < s.dof; ++c, ++e)
        if (used[e] != 0) terms.push_back({Term::From::table, d, r, c, e, false, {}});
  return Writer(s, s.offsets, std::move(terms), sizeof(T) == 8, ValuePrecision::own,
                words ? "unsigned short" : "unsigned char")
      .source();
}

#define QUADRILLE_INSTANTIATE(T)                                                                         \
  template KernelSource compact_source(const BlockStructure&, const std::vector<CompactEntry<T>>&,       \
                                       ValuePrecision, bool);                                            \
  template KernelSource stencil_table_source<T>(const BlockStructure&, const std::vector<std::uint8_t>&, \
                                                bool);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
