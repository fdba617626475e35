// Any command line must give options, a help text, or an InputError. Every line of the input is one argument.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/support/options.hpp"
#include "grid/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find('/') != text.npos) return 0;  // no files but those of the empty folder this runs in
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const std::size_t length = text.find('\n') == text.npos ? text.size() : text.find('\n');
    // A real argument ends at its first NUL byte.
    arguments.emplace_back(text.substr(0, std::min(length, text.find('\0'))));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  try {
    std::string help;
    quadrille::parse_options(arguments, help);
  } catch (const quadrille::InputError&) {
  }
  return 0;
}
