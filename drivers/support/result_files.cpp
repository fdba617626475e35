#include "drivers/support/result_files.hpp"

#include "drivers/fields/atomic_file.hpp"
#include "drivers/support/failure.hpp"

namespace quadrille {

void check_result_paths(const Options& options) {
  for (const std::string& path : {options.json, options.csv})
    if (!path.empty()) check_output_path(path);
}

void write_results(const Options& options, const std::string& json, const std::string& csv) {
  const auto write = [](const std::string& path, const std::string& text) {
    if (!path.empty()) write_text_file(path, text);
  };
  each_of({[&] { write(options.json, json); }, [&] { write(options.csv, csv); }});
}

}  // namespace quadrille
