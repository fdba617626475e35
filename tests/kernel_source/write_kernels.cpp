// Writes the kernels of operators.hpp into one C++ file, each in a namespace of its name.
#include <cstdio>
#include <fstream>

#include "operators.hpp"

namespace quadrille {
namespace {

template <class T>
void write_one(std::ofstream& file, std::string& table, Form form, std::uint64_t seed) {
  if (!has<T>(form, seed)) return;
  std::string text = source_of(form, seed, operator_of<T>(seed)).text;
  const std::string name = name_of<T>(form, seed), linkage = "extern \"C\"";
  text.erase(text.find(linkage), linkage.size());
  file << "namespace " << name << " {\n"
       << text
       << "void run(const void* values, const void* numbers, const void* x, void* to, const void* from, "
          "double alpha, double beta, const void* sizes, const void* constants, double* dot) {\n"
          "  KernelSizes of_grid;\n  Constants of_operator;\n"
          "  std::memcpy(&of_grid, sizes, sizeof of_grid);\n"
          "  std::memcpy(&of_operator, constants, sizeof of_operator);\n  "
       << cuda::source_kernel
       << "(static_cast<const V*>(values), numbers, static_cast<const T*>(x), static_cast<T*>(to), "
          "static_cast<const T*>(from), static_cast<T>(alpha), static_cast<T>(beta), of_grid, of_operator"
       << (form == Form::compact_with_dot ? ", dot" : "") << ");\n}\n}\n";
  table += "  if (name == \"" + name + "\") return " + name + "::run;\n";
}

}  // namespace
}  // namespace quadrille

int main(int argc, char** argv) {
  using namespace quadrille;
  if (argc != 2) return 2;
  std::ofstream file(argv[1]);
  std::string table;
  file << "#include <string>\n#include \"tests/kernel_source/emulation.hpp\"\nIndex blockIdx, threadIdx;\n";
  for (const Form form : forms)
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      write_one<double>(file, table, form, seed);
      write_one<float>(file, table, form, seed);
    }
  file << "namespace quadrille {\nusing WrittenKernel = void (*)(const void*, const void*, const void*, "
          "void*, const void*, double, double, const void*, const void*, double*);\nWrittenKernel "
          "written_kernel(const std::string& "
          "name) {\n"
       << table << "  return nullptr;\n}\n}\n";
  return file.good() ? 0 : 1;
}
