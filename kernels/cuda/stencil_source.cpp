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
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "kernels/cuda/stencil_plan.hpp"

namespace quadrille::cuda {
namespace {

constexpr std::int64_t most_terms = 700;
constexpr std::int64_t most_nodes = std::int64_t{1}
                                    << 30;  // numbered in 32 bits, and what lies beside a tile

// With these bits.
std::string literal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}
std::string literal(float value) {
  return literal(static_cast<double>(value)) + "f";
}

#define QUADRILLE_TEXT_OF(...) #__VA_ARGS__
#define QUADRILLE_EXPANDED_TEXT_OF(macro) QUADRILLE_TEXT_OF(macro)

// As a launch has them, of which there is one at least.
template <class T>
std::shared_ptr<const std::vector<std::byte>> packed(const std::vector<T>& constants) {
  auto bytes =
      std::make_shared<std::vector<std::byte>>(std::max<std::size_t>(1, constants.size()) * sizeof(T));
  if (!constants.empty()) std::memcpy(bytes->data(), constants.data(), constants.size() * sizeof(T));
  return bytes;
}

class Writer : private StencilPlan {
 public:
  explicit Writer(const StencilPlan& plan) : StencilPlan(plan) {}

  // `constants`: the numbers that terms name.
  template <class T>
  KernelSource source(const std::vector<T>& constants) {
    constexpr std::int64_t most_blocks = 65535;  // along y and z
    if (static_cast<std::int64_t>(terms_.size()) * tiling_.nodes > most_terms || s_.nodes() > most_nodes ||
        (dot_ && vectors_ > 1) || std::max(tiling_.tiles_y, tiling_.tiles_z) > most_blocks)
      return {};
    constants_ = std::max<std::size_t>(1, constants.size());
    const auto finite = [](T v) { return std::isfinite(v); };
    if (!any_constants_ && !constants.empty() && std::all_of(constants.begin(), constants.end(), finite))
      for (const T v : constants) literals_ += (literals_.empty() ? "" : ", ") + literal(v);
    const std::string inner = inner_body(*this);
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
      line("  finish_dot(rows(values, numbers, x, to, from, alpha, beta, sizes, given), of_block);");
    }
    line("}");
    const auto part = [](std::int64_t tiles) { return static_cast<unsigned>(tiles); };
    return {text_,
            {{part(tiling_.tiles_x), part(tiling_.tiles_y), part(tiling_.tiles_z)},
             rows_of_plane() % word_ == 0 ? 16 : bytes_of_number(),
             sizes(),
             packed(constants)}};
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  void head() {
    const std::string type = fp64_ ? "double" : "float";
    line("typedef " + type + " T;");
    line(QUADRILLE_EXPANDED_TEXT_OF(QUADRILLE_KERNEL_SIZES));
    line("struct Constants { T v[" + std::to_string(constants_) + "]; };");
    line("struct __align__(16) Word { T v[" + std::to_string(word_) + "]; };");
    loads_of("Word", "T", "int4");
    value_head(type);
    line(
        "__device__ inline T put(T sum, T from, T alpha, T beta) { const T a = alpha * sum; return beta != 0 "
        "? a + "
        "beta * from : a; }");
    line(R"(// The place of a neighbour along an axis of n nodes, also where there is none.
__device__ inline int along(int at, int step, int n, int wraps) {
  int to = at + step;
  while (wraps && to < 0) to += n;
  while (wraps && to >= n) to -= n;
  return to;
})");
    if (dot_)
      line("__device__ inline double rows(" + parameters("const KernelSizes& sizes, const Constants& given") +
           ") {\n  double dot = 0;");
    else
      kernel_head();
    place_of_thread();
  }
  // With a dot the compiler takes more registers than the product needs to be fast.
  void kernel_head() {
    const int blocks = dot_ && tiling_.blocks > 1 ? tiling_.blocks + 2 : tiling_.blocks;
    line("extern \"C\" __global__ void __launch_bounds__(" + std::to_string(tile_threads) + ", " +
         std::to_string(blocks) + ")");
    line(std::string(source_kernel) + "(" +
         parameters("const __grid_constant__ KernelSizes sizes, const __grid_constant__ Constants given") +
         (dot_ ? ", double* of_block" : "") + ") {");
  }
  static std::string parameters(const std::string& more) {
    return "const V* __restrict__ values, const void* __restrict__ numbers, const T* __restrict__ x, T* to, "
           "const T* from, T alpha, T beta, " +
           more;
  }

  // g, the sizes, and constants; then x0, y0 and z0, the place of the thread's first node, in a loop over its
  // planes.
  void place_of_thread() {
    line(any_grid_ ? "  const KernelSizes& g = sizes;"
                   : "  constexpr KernelSizes g = {" + literals_of(sizes()) + "};");
    line(literals_.empty() ? "  const Constants& constants = given;"
                           : "  constexpr Constants constants = {{" + literals_ + "}};");
    line("  const int ly = threadIdx.x / g.tile_x, lx = threadIdx.x - ly * g.tile_x;");
    line("  const int x0 = (blockIdx.x * g.tile_x + lx) * " + number(tiling_.nodes) + ";");
    line("  const int y0 = blockIdx.y * g.tile_y + ly;");
    line("  const int first = blockIdx.z * g.planes, last = min(first + g.planes, g.nz);");
    line(std::string("  if (ly >= g.tile_y || x0 >= g.nx || y0 >= g.ny) return") + (dot_ ? " dot;" : ";"));
    // A loop that runs once would keep addresses in registers.
    line(tiling_.steps == 1
             ? "  {\n    const int z0 = first;"
             : "#pragma unroll 1\n  for (int z0 = first; z0 < last; z0 += " + number(tiling_.planes) + ") {");
    line("    const int node = (z0 * g.ny + y0) * g.nx + x0;");
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
  static std::string inner_condition() {
    return "node >= g.first && node < g.beyond && x0 >= g.first_x && x0 < g.beyond_x && y0 >= g.first_y && "
           "y0 < g.beyond_y";
  }
  KernelSizes sizes() const {
    const std::int64_t nx = s_.extents[0], ny = s_.extents[1], beyond = tiling_.nodes - 1 + word_,
                       planes = (tiling_.planes - 1) * nx * ny;
    std::int64_t lowest = 0, highest = planes, left = 0, right = 0, below = 0, above = 0;
    for (const NodeOffset& o : s_.offsets) {
      lowest = std::min(lowest, s_.linear(o) - word_);
      highest = std::max(highest, s_.linear(o) + planes + beyond);
      left = std::max<std::int64_t>(left, -o.x);
      right = std::max<std::int64_t>(right, o.x);
      below = std::max<std::int64_t>(below, -o.y);
      above = std::max<std::int64_t>(above, o.y);
    }
    const auto in_int = [](std::int64_t n) {
      return static_cast<int>(std::clamp<std::int64_t>(n, INT32_MIN, INT32_MAX));
    };
    KernelSizes s{.nodes = s_.nodes(),
                  .rows = s_.rows(),
                  .nx = in_int(nx),
                  .ny = in_int(ny),
                  .nz = in_int(s_.extents[2]),
                  .plane = in_int(nx * ny),
                  .wraps_x = s_.periodic[0],
                  .wraps_y = s_.periodic[1],
                  .wraps_z = s_.periodic[2],
                  .tile_x = tiling_.x,
                  .tile_y = tiling_.y,
                  .planes = tiling_.steps * tiling_.planes,
                  .first = in_int(-lowest),
                  .beyond = in_int(s_.nodes() - highest),
                  .first_x = 0,
                  .beyond_x = INT32_MAX,
                  .first_y = 0,
                  .beyond_y = INT32_MAX};
    if (s_.periodic[0]) s.first_x = in_int(left), s.beyond_x = in_int(nx - right - (tiling_.nodes - 1));
    if (s_.periodic[1]) s.first_y = in_int(below), s.beyond_y = in_int(ny - above);
    return s;
  }

  static std::string literals_of(const KernelSizes& s) {
    std::string text = number(s.nodes) + ", " + number(s.rows);
    for (const int each : {s.nx, s.ny, s.nz, s.plane, s.wraps_x, s.wraps_y, s.wraps_z, s.tile_x, s.tile_y,
                           s.planes, s.first, s.beyond, s.first_x, s.beyond_x, s.first_y, s.beyond_y})
      text += ", " + std::to_string(each);
    return text;
  }

  // The place of the neighbour along an axis, from `at`, as an expression, and whether it is there.
  static std::string along(const std::string& at, std::int64_t step, int axis, std::string& condition) {
    if (step == 0) return at;
    const std::string name(1, "xyz"[axis]),
        n = "g.n" + name, moved = "along(" + at + ", " + number(step) + ", " + n + ", g.wraps_" + name + ")";
    condition += (condition.empty() ? "" : " && ") + ("(unsigned)" + moved + " < (unsigned)" + n);
    return moved;
  }

  // One node after the other. Where a neighbour is missing its number is read at the node, and not used.
  void outer_body() {
    line("#pragma unroll 1");
    line("    for (int k = 0; k < min(" + number(tiling_.planes) + ", last - z0); ++k)");
    line("#pragma unroll 1");
    line("    for (int w = 0; w < " + number(tiling_.nodes) + "; ++w) {");
    line("    const int xi = x0 + w, yi = y0, zi = z0 + k, i = node + k * g.plane + w;");
    if (numbers_ > 0 && !of_neighbours()) text_ += stencil_of("t", number_at("i"));
    const auto sum = [](int r, int v) { return "s" + std::to_string(r) + "_" + std::to_string(v); };
    for (int v = 0; v < vectors_; ++v)
      for (int r = 0; r < s_.dof; ++r) line("    T " + sum(r, v) + " = 0;");
    std::size_t t = 0;
    for (std::int64_t d = 0; d < s_.diagonals(); ++d) {
      if (t >= terms_.size() || terms_[t].d != d) continue;
      const NodeOffset& o = s_.offsets[d];
      std::string condition;
      const std::string x = along("xi", o.x, 0, condition), y = along("yi", o.y, 1, condition),
                        z = along("zi", o.z, 2, condition);
      line("    {");
      line("    const bool there = " + (condition.empty() ? "true" : condition) + ";");
      line("    const long long j = there ? (" + z + " * g.ny + " + y + ") * g.nx + " + x + " : i;");
      if (of_neighbours()) text_ += stencil_of("t", number_at("j"));
      for (; t < terms_.size() && terms_[t].d == d; ++t) {
        const Term& term = terms_[t];
        const std::string a = "a" + std::to_string(t), c = std::to_string(term.c);
        const auto b = [&](int v) { return "b" + std::to_string(t) + "_" + std::to_string(v); };
        for (int v = 0; v < vectors_; ++v)
          line("    const T " + b(v) + " = __ldg(x + j * " + number(s_.dof) + " + " + c + of_vector(v) +
               ");");
        line("    const T " + a + " = " + outer_coefficient(term) + ";");
        for (int v = 0; v < vectors_; ++v)
          line("    " + sum(term.r, v) + " += " + a + " * (there ? " + b(v) + " : T(0));");
      }
      line("    }");
    }
    for (int v = 0; v < vectors_; ++v)
      for (int r = 0; r < s_.dof; ++r) {
        const std::string row = "(long long)i * " + number(s_.dof) + " + " + std::to_string(r) + of_vector(v);
        line("    to[" + row + "] = put(" + sum(r, v) + ", beta != 0 ? from[" + row +
             "] : T(0), alpha, beta);");
        if (dot_) line("    dot += (double)" + sum(r, v) + " * __ldg(x + " + row + ");");
      }
    line("    }");
  }
  std::string number_at(const std::string& node) const {
    return "(long long)__ldg((const " + number_type() + "*)numbers + " + node + ")";
  }
  std::string outer_coefficient(const Term& term) const {
    if (term.from == Term::From::constant) return term.constant();
    if (term.from == Term::From::table) return "__ldg(t + " + number(term.column) + ")";
    return "value(__ldg(values + " + number(term.column) + " * g.nodes + " + (term.at_neighbour ? "j" : "i") +
           "))";
  }

  std::string text_;
  std::size_t constants_ = 1;
  std::string literals_;  // of the constants, where they are written out
};

// The place of what a product has at (d, r, c).
std::int64_t place(const BlockStructure& s, bool transposed, std::int64_t d, int r, int c) {
  return transposed ? (d * s.dof + c) * s.dof + r : (d * s.dof + r) * s.dof + c;
}

// In the order in which terms name them.
template <class T>
std::vector<T> constants_of(const BlockStructure& s, const std::vector<CompactEntry<T>>& entries,
                            bool transposed) {
  std::vector<T> constants;
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    for (int r = 0; r < s.dof; ++r)
      for (int c = 0; c < s.dof; ++c)
        if (const CompactEntry<T>& e = entries[place(s, transposed, d, r, c)]; e.stored == Stored::constant)
          constants.push_back(e.constant);
  return constants;
}

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
  if (threadIdx.x == 0) of_block[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = dot;
}
)";
}

template <class T>
KernelSource compact_source(const BlockStructure& s, const std::vector<CompactEntry<T>>& entries,
                            ValuePrecision precision, const WrittenProduct& product, TileSize size) {
  const bool transposed = product.transposed;
  std::vector<Term> terms;
  std::int64_t constants = 0;
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    for (int r = 0; r < s.dof; ++r)
      for (int c = 0; c < s.dof; ++c) {
        const CompactEntry<T>& e = entries[place(s, transposed, d, r, c)];
        if (e.stored == Stored::constant) {
          terms.push_back({Term::From::constant, d, r, c, constants++, false});
        } else if (e.stored != Stored::nothing) {
          terms.push_back(
              {Term::From::column, d, r, c, e.column, (e.stored == Stored::mirror) != transposed});
        }
      }
  return Writer({transposed ? turned(s) : s, std::move(terms), sizeof(T) == 8, precision, 0, size, product})
      .source(constants_of(s, entries, transposed));
}

template <class T>
std::shared_ptr<const std::vector<std::byte>> compact_constants(const BlockStructure& s,
                                                                const std::vector<CompactEntry<T>>& entries,
                                                                bool transposed) {
  return packed(constants_of(s, entries, transposed));
}

template <class T>
KernelSource stencil_table_source(const BlockStructure& s, const std::vector<std::uint8_t>& used, bool words,
                                  const WrittenProduct& product, TileSize size) {
  const bool transposed = product.transposed;
  std::vector<Term> terms;
  for (std::int64_t d = 0; d < s.diagonals(); ++d)
    for (int r = 0; r < s.dof; ++r)
      for (int c = 0; c < s.dof; ++c) {
        const std::int64_t e = place(s, transposed, d, r, c);
        if (used[e] != 0) terms.push_back({Term::From::table, d, r, c, e, transposed});
      }
  return Writer({transposed ? turned(s) : s, std::move(terms), sizeof(T) == 8, ValuePrecision::own,
                 words ? 2 : 1, size, product})
      .source(std::vector<T>{});
}

#define QUADRILLE_INSTANTIATE(T)                                                                         \
  template KernelSource compact_source(const BlockStructure&, const std::vector<CompactEntry<T>>&,       \
                                       ValuePrecision, const WrittenProduct&, TileSize);                 \
  template std::shared_ptr<const std::vector<std::byte>> compact_constants(                              \
      const BlockStructure&, const std::vector<CompactEntry<T>>&, bool);                                 \
  template KernelSource stencil_table_source<T>(const BlockStructure&, const std::vector<std::uint8_t>&, \
                                                bool, const WrittenProduct&, TileSize);
QUADRILLE_INSTANTIATE(float)
QUADRILLE_INSTANTIATE(double)
#undef QUADRILLE_INSTANTIATE

}  // namespace quadrille::cuda
