// Of several vectors a thread has the sums of all. A few coefficients at a time are loaded, and one vector
// after the other is multiplied with them, so that of x no more need be kept than one vector's numbers.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/cuda/stencil_plan.hpp"

namespace quadrille::cuda {
namespace {

constexpr std::size_t most_at_once = 32;  // numbers of x that a thread loads before it knows its stencil
constexpr std::size_t most_kept = 16;     // coefficients, while vectors are multiplied with them in turn

class InnerBody : private StencilPlan {
 public:
  explicit InnerBody(const StencilPlan& plan) : StencilPlan(plan) {}

  std::string text() {
    const std::vector<Product> all = products();
    Loads loads({&s_, tiling_.nodes, word_, precision_ != ValuePrecision::own, reused_});
    for (const Product& p : all) {
      loads.expect(place_of_x(p));
      if (p.term->from == Term::From::column) loads.expect(place_of_value(p));
    }
    for_each_row([&](int k, int w, int r) {
      if (dot_) loads.expect(place_of_row(w, k, r));
    });
    std::string text = "    const T* const xn = x + (long long)node * " + number(s_.dof) + ";\n";
    text += "    const V* const vn = values + node;\n";
    if (numbers_ == 0) return text + sums(all, loads, false);
    if (of_neighbours()) return text + by_neighbours(all, loads);
    text += numbers_of_thread();
    if (loads.expected() > most_at_once * vectors_)
      return text + stencils_of_thread() + sums(all, loads, false);
    // Most threads of a warp have nodes of one stencil, which is loaded once then. Which one, is known late:
    // x, of the first vector, is on its way before.
    for (const Product& p : all)
      if (p.v == 0) loads.at(place_of_x(p), text);
    return text + "    if (__all_sync(__activemask(), " + one_stencil() + ")) {\n" +
           stencil_of("t", "m0 & " + mask()) + sums(all, loads, true) + "    } else {\n" +
           stencils_of_thread() + sums(all, loads, false) + "    }\n";
  }

 private:
  // One of the products that a thread adds: of its node w along x in its plane k, and of vector v.
  struct Product {
    const Term* term;
    int w, k, v;
  };

  Place place_of_x(const Product& p) const {
    NodeOffset shift = s_.offsets[p.term->d];
    shift.x += p.w;
    shift.z += p.k;
    return {Loads::of_x(s_, p.v, p.term->c), shift};
  }
  Place place_of_value(const Product& p) const {
    NodeOffset shift = p.term->at_neighbour ? s_.offsets[p.term->d] : NodeOffset{};
    shift.x += p.w;
    shift.z += p.k;
    return {p.term->column, shift};
  }

  // Of x, what stands at one of the thread's rows.
  Place place_of_row(int w, int k, int r) const { return {Loads::of_x(s_, 0, r), {w, 0, k}}; }

  // One plane of x after the other, and in it one block diagonal after the other, so that what is loaded does
  // not wait for long. The order of a row's products stays that of its diagonals.
  std::vector<Product> products_of_one() const {
    std::vector<Product> all;
    for (const Term& t : terms_)
      for (int k = 0; k < tiling_.planes; ++k)
        for (int w = 0; w < tiling_.nodes; ++w) all.push_back({&t, w, k, 0});
    const auto plane = [&](const Product& p) {
      return direction_of_planes() * (s_.offsets[p.term->d].z + p.k);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const Product& a, const Product& b) { return plane(a) < plane(b); });
    return all;
  }
  // Of all vectors in turn, for as many products as have most_kept different coefficients.
  std::vector<Product> products() const {
    const std::vector<Product> each = products_of_one();
    std::vector<Product> all;
    for (std::size_t first = 0, last = 0; first < each.size(); first = last) {
      std::set<Place> kept;
      for (last = first; last < each.size(); ++last) {
        const Product& p = each[last];
        if (p.term->from == Term::From::column) kept.insert(place_of_value(p));
        if (p.term->from == Term::From::table) kept.insert({p.term->column, {}});
        if (kept.size() > most_kept) break;
      }
      for (int v = 0; v < vectors_; ++v)
        for (std::size_t i = first; i < last; ++i) all.push_back({each[i].term, each[i].w, each[i].k, v});
    }
    return all;
  }

  // The node whose stencil a product of neighbours' stencils takes, from the thread's first.
  std::array<std::int32_t, 3> place_of_number(const Product& p) const {
    const NodeOffset& o = s_.offsets[p.term->d];
    return {o.z + p.k, o.y, o.x + p.w};
  }
  // Where nodes have the stencils of their neighbours: the number of each node that any of the thread's has
  // beside it is loaded once. Beyond faces it is another node's, and meets a zero.
  std::string by_neighbours(const std::vector<Product>& all, Loads& loads) {
    std::string text, alike, stencils;
    for (const Product& p : all) {
      const auto [place, fresh] =
          numbers_at_.try_emplace(place_of_number(p), static_cast<int>(numbers_at_.size()));
      if (!fresh) continue;
      const auto& [z, y, x] = place->first;
      const std::string which = std::to_string(place->second);
      text += "    const unsigned m" + which + " = __ldg((const " + number_type() + "*)numbers + node" +
              lines_on(y, z) + " + " + number(x) + ");\n";
      if (place->second > 0) alike += " && m" + which + " == m0";
      stencils += stencil_of("t" + which, "m" + which);
    }
    if (loads.expected() > most_at_once * vectors_) return text + stencils + sums(all, loads, false);
    for (const Product& p : all)
      if (p.v == 0) loads.at(place_of_x(p), text);
    return text + "    if (__all_sync(__activemask(), true" + alike + ")) {\n" + stencil_of("t", "m0") +
           sums(all, loads, true) + "    } else {\n" + stencils + sums(all, loads, false) + "    }\n";
  }

  // What x is multiplied with; where `of_one`, of the stencil of all of a thread's nodes.
  std::string coefficient(const Product& p, bool of_one, Loads& loads, std::string& text) const {
    if (p.term->from == Term::From::constant) return p.term->constant();
    if (p.term->from == Term::From::column) return loads.at(place_of_value(p), text);
    const auto in = [&](const std::string& stencil) {
      return "__ldg(" + stencil + " + " + number(p.term->column) + ")";
    };
    if (of_one) return loads.once(in("t"), text);
    return in(of_neighbours() ? "t" + std::to_string(numbers_at_.at(place_of_number(p)))
                              : stencil_name(p.w, p.k));
  }

  // Whether the product's neighbour is in the grid along x and y, where it may not be; where faces wrap it
  // always is.
  std::string is_there(const Product& p) const {
    const NodeOffset& o = s_.offsets[p.term->d];
    std::string text;
    const auto also = [&](const std::string& one) { text += (text.empty() ? "" : " && ") + one; };
    if (o.x + p.w < 0) also("x0 >= " + number(-o.x - p.w));
    if (o.x + p.w > tiling_.nodes - 1) also("x0 < g.nx - " + number(o.x + p.w));
    if (o.y < 0) also("y0 >= " + number(-o.y));
    if (o.y > 0) also("y0 < g.ny - " + number(o.y));
    return text;
  }

  // visit(plane, node along x, row of its block)
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    for (int k = 0; k < tiling_.planes; ++k)
      for (int w = 0; w < tiling_.nodes; ++w)
        for (int r = 0; r < s_.dof; ++r) visit(k, w, r);
  }

  // Of the thread's rows, of nodes with one stencil or each with its own. `loads` has what was loaded.
  std::string sums(const std::vector<Product>& all, Loads loads, bool of_one) const {
    std::string text;
    int begun = 0;  // vectors
    const auto begin = [&](int v) {
      for (; begun <= v; ++begun)
        for_each_row([&](int k, int w, int r) { text += "    T " + sum_of(w, k, r, begun) + " = 0;\n"; });
    };
    const std::size_t of_last = last_products(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Product& p = all[i];
      begin(p.v);
      std::string b = loads.at(place_of_x(p), text);
      const bool may_lack = p.term->from == Term::From::constant || of_neighbours();
      if (const std::string there = is_there(p); may_lack && !there.empty())
        b = "(" + there + " ? " + b + " : T(0))";
      const std::string a = coefficient(p, of_one, loads, text);
      text += "    " + sum_of(p.w, p.k, p.term->r, p.v) + " += " + a + " * " + b + ";\n";
      // Sums are kept no longer than they grow.
      if (i + 1 < all.size() && i >= of_last && all[i + 1].v > p.v) text += stores(p.v, loads);
    }
    begin(vectors_ - 1);
    for (int v = all.empty() ? 0 : vectors_ - 1; v < vectors_; ++v) text += stores(v, loads);
    return text;
  }
  // Where the last turn of the vectors begins.
  std::size_t last_products(const std::vector<Product>& all) const {
    std::size_t first = all.size();
    while (first > 0 && (first == all.size() || all[first - 1].v <= all[first].v)) --first;
    return first;
  }

  // Of a vector, with what its rows have of x . A x.
  std::string stores(int v, Loads& loads) const {
    std::string text;
    for_each_row([&](int k, int w, int r) {
      if (!dot_) return;
      const std::string own = loads.at(place_of_row(w, k, r), text);
      text += "    dot += (double)" + sum_of(w, k, r, v) + " * " + own + ";\n";
    });
    for (int k = 0; k < tiling_.planes; ++k) text += store(k, v);
    return text;
  }

  // The numbers of the stencils of a thread's nodes, those of a plane in one word: m0, m1, ...
  std::string numbers_of_thread() const {
    const std::map<int, std::string> types{
        {1, "unsigned char"}, {2, "unsigned short"}, {4, "unsigned"}, {8, "unsigned long long"}};
    const std::string type = types.at(numbers_ * tiling_.nodes);
    std::string text;
    for (int k = 0; k < tiling_.planes; ++k)
      text += "    const " + word_of_numbers() + " m" + std::to_string(k) + " = __ldg((const " + type +
              "*)((const " + number_type() + "*)numbers + node" + lines_on(0, k) + "));\n";
    return text;
  }
  std::string word_of_numbers() const {
    return numbers_ * tiling_.nodes > 4 ? "unsigned long long" : "unsigned";
  }
  std::string mask() const { return numbers_ == 1 ? "0xff" : "0xffff"; }
  std::string one_stencil() const {
    const std::string one = "(" + word_of_numbers() + ")1 << ";
    std::string text = "m0 == (m0 & " + mask() + ") * (";
    for (int w = 0; w < tiling_.nodes; ++w)
      text += (w > 0 ? " | " : "") + one + std::to_string(8 * numbers_ * w);
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
  static std::string sum_of(int w, int k, int r, int v) {
    return "s" + std::to_string(k) + "_" + std::to_string(w) + "_" + std::to_string(r) + "_" +
           std::to_string(v);
  }
  static std::string stencil_name(int w, int k) { return "t" + std::to_string(k) + "_" + std::to_string(w); }

  // Of all rows of the thread in a plane, of one vector, in words where they are whole words.
  std::string store(int k, int v) const {
    std::string text = "    {\n";
    const int rows = rows_of_plane();
    const std::string first_row =
        "((long long)node" + lines_on(0, k) + ") * " + number(s_.dof) + of_vector(v);
    text += "    T* const tn = to + " + first_row + ";\n";
    text += "    const T* const fn = from + " + first_row + ";\n";
    for (int first = 0; first < rows;) {
      const int count = rows % word_ == 0 ? word_ : 1;
      if (count > 1) text += "    { Word w;\n";
      for (int i = first; i < first + count; ++i) {
        const std::string value = "put(" + sum_of(i / s_.dof, k, i % s_.dof, v) + ", beta != 0 ? fn[" +
                                  std::to_string(i) + "] : T(0), alpha, beta)";
        text += count > 1 ? "    w.v[" + std::to_string(i - first) + "] = " + value + ";\n"
                          : "    tn[" + std::to_string(i) + "] = " + value + ";\n";
      }
      if (count > 1) text += "    *(int4*)(tn + " + std::to_string(first) + ") = *(const int4*)&w; }\n";
      first += count;
    }
    return text + "    }\n";
  }

  std::map<std::array<std::int32_t, 3>, int> numbers_at_;  // of by_neighbours()
};

}  // namespace

std::string inner_body(const StencilPlan& plan) {
  return InnerBody(plan).text();
}

}  // namespace quadrille::cuda
