// Writes built_kernels.cu: products, with x . A x and without, of the star of one unknown a node in 2D and 3D
// in fp64, whose couplings are
//
//   constants                     -laplace(u) with values on the faces, or on a grid that wraps
//   constants beside a diagonal   -laplace(u) with faces of other kinds, a u - laplace(u)
//   symmetric                     -div(k grad u)
//
// of grids of any size: what differs between them is how many nodes a thread has.
#include <array>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "kernels/cuda/stencil_source.hpp"

namespace quadrille::cuda {
namespace {

BlockStructure star(std::array<std::int64_t, 3> extents) {
  BlockStructure s{.extents = extents, .offsets = {{0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  if (extents[2] == 1) return s;
  s.offsets.insert(s.offsets.begin(), {0, 0, -1});
  s.offsets.push_back({0, 0, 1});
  return s;
}

enum class Couplings { constant, constant_beside_diagonal, symmetric };

std::vector<CompactEntry<double>> entries_of(const BlockStructure& s, Couplings couplings) {
  const std::size_t count = s.offsets.size();
  CompactFacts<double> facts{std::vector<double>(count, 1), std::vector<std::uint8_t>(count, 0),
                             std::vector<std::uint8_t>(count, 0)};
  for (std::size_t d = 0; d < count; ++d)
    facts.varies[d] = couplings == Couplings::symmetric ||
                      (couplings == Couplings::constant_beside_diagonal && s.offsets[d] == NodeOffset{});
  return compact_entries(s, facts);
}

// Of grids that differ in how their nodes are shared out (kernels/cuda/tiling.hpp).
std::vector<std::array<std::int64_t, 3>> grids() {
  std::vector<std::array<std::int64_t, 3>> all;
  for (const std::int64_t n : {52, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096})
    for (const std::int64_t odd : {0, 1})
      for (const std::int64_t lines : {n, 2 * n}) {
        all.push_back({n + odd, lines + odd, 1});
        if (n < 1000) all.push_back({n + odd, n + odd, lines + odd});
      }
  return all;
}

std::set<std::string> texts() {
  std::set<std::string> all;
  for (const std::array<std::int64_t, 3>& extents : grids())
    for (const Couplings couplings :
         {Couplings::constant, Couplings::constant_beside_diagonal, Couplings::symmetric})
      for (const bool with_dot : {false, true}) {
        const BlockStructure s = star(extents);
        const std::string text = compact_source(s, entries_of(s, couplings), ValuePrecision::own,
                                                {.with_dot = with_dot, .any_grid = true})
                                     .text;
        all.insert((with_dot ? dot_source() : "") + text);
      }
  return all;
}

void write(std::ostream& to) {
  const std::string linkage = "extern \"C\" ";
  std::string table;
  // Texts have what any of their kind may want, so that some leave a function or a parameter unused.
  to << "#pragma nv_diag_suppress 177\n#include \"kernels/cuda/built_kernels.hpp\"\n\n#include "
        "<string_view>\n#include <unordered_map>\n\n";
  int count = 0;
  for (const std::string& text : texts()) {
    std::string own = text;
    own.erase(own.find(linkage), linkage.size());
    const std::string name = "kernel_" + std::to_string(count++);
    to << "namespace {\nnamespace " << name << " {\n" << own << "}\n}\n";
    table += "      {R\"text(" + text + ")text\", reinterpret_cast<const void*>(" + name +
             "::" + source_kernel + ")},\n";
  }
  to << "\nnamespace quadrille::cuda {\n\nconst void* built_kernel(const std::string& text) {\n"
        "  static const std::unordered_map<std::string_view, const void*> kernels{\n"
     << table
     << "  };\n  const auto found = kernels.find(text);\n"
        "  return found == kernels.end() ? nullptr : found->second;\n}\n\n}  // namespace quadrille::cuda\n";
}

}  // namespace
}  // namespace quadrille::cuda

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "use: write_built_kernels FILE\n";
    return 2;
  }
  std::ofstream file(argv[1]);
  quadrille::cuda::write(file);
  return file.flush() ? 0 : 1;
}
