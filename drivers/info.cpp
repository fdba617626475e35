// `quadrille info`: what this build is made of and what this machine offers.
#include <hdf5.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "drivers/commands.hpp"
#include "drivers/fields/atomic_file.hpp"
#include "drivers/support/cells.hpp"
#include "drivers/support/failure.hpp"
#include "drivers/support/json.hpp"
#include "drivers/support/report.hpp"
#include "drivers/support/result_files.hpp"
#include "formats/array.hpp"
#include "formats/format.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cusparse/entries.hpp"
#include "kernels/petsc/aij/all_products.hpp"
#include "kernels/petsc/base/session.hpp"
#include "kernels/registry.hpp"

#ifndef QUADRILLE_CPU_ARCH
#define QUADRILLE_CPU_ARCH ""
#endif
#ifndef QUADRILLE_BUILD_TYPE
#define QUADRILLE_BUILD_TYPE ""
#endif

namespace quadrille {

namespace {

struct FormatLine {
  std::string name, summary;
  bool cpu = false, cuda = false, fp32 = false, fp64 = false, peer = false;
};

struct Info {
  std::string compiler, cpu_arch, build_type;
  std::string cuda, cusparse, petsc, mpi, hdf5;
  struct Gpu {
    cuda::DeviceInfo device;
    std::int64_t free_bytes;
  };
  std::vector<Gpu> gpus;
  std::int64_t total_bytes = 0, available_bytes = 0;
  int threads = 1;
  std::vector<FormatLine> formats;
};

std::string compiler_text() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

std::int64_t total_host_bytes() {
  const std::int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? pages * page_bytes : 0;
}

// One line per name, both spaces together.
std::vector<FormatLine> format_lines() {
  std::vector<FormatLine> lines;
  for (const FormatEntry& entry : petsc::all_products()) {
    auto at = std::find_if(lines.begin(), lines.end(),
                           [&](const FormatLine& line) { return line.name == entry.name; });
    if (at == lines.end()) at = lines.insert(lines.end(), {entry.name, entry.summary});
    (entry.space == SpaceKind::cpu ? at->cpu : at->cuda) = true;
    at->fp32 |= bool(entry.make_fp32);
    at->fp64 |= bool(entry.make_fp64);
    at->peer |= entry.peer;
  }
  return lines;
}

Info collect() {
  Info info;
  info.compiler = compiler_text();
  info.cpu_arch = QUADRILLE_CPU_ARCH;
  info.build_type = QUADRILLE_BUILD_TYPE;
  info.cuda = cuda::versions();
  info.cusparse = cusparse::version();
  info.petsc = petsc::petsc_version() + (petsc::has_cuda() ? " with CUDA" : "");
  info.mpi = petsc::mpi_version();
  info.hdf5 = hdf5_version();
  for (const cuda::FreeMemory& memory : cuda::free_memory())
    info.gpus.push_back({cuda::device_info(memory.index), memory.bytes});
  info.total_bytes = total_host_bytes();
  info.available_bytes = memory::available_host_bytes();
  info.threads = omp_get_max_threads();
  info.formats = format_lines();
  return info;
}

std::string build_text(const Info& info) {
  std::string text = info.compiler;
  if (!info.build_type.empty()) text += ", " + info.build_type;
  if (!info.cpu_arch.empty()) text += ", -march=" + info.cpu_arch;
  return text;
}

std::string gpu_text(const Info::Gpu& of) {
  const cuda::DeviceInfo& gpu = of.device;
  return gpu.name + ", compute capability " + std::to_string(gpu.major) + "." + std::to_string(gpu.minor) +
         ", " + std::to_string(gpu.multiprocessors) + " multiprocessors, L2 " + bytes_text(gpu.l2_bytes) +
         ", memory " + bytes_text(gpu.total_bytes) + ", free " + bytes_text(of.free_bytes);
}

void print(std::ostream& out, const Info& info) {
  const auto line = [&](const std::string& name, const std::string& text) {
    out << std::left << std::setw(10) << name << text << "\n";
  };
  out << version_text();
  line("build", build_text(info));
  line("CUDA", info.cuda);
  line("cuSPARSE", info.cusparse);
  for (const Info::Gpu& gpu : info.gpus) line("GPU " + std::to_string(gpu.device.index), gpu_text(gpu));
  if (info.gpus.empty()) line("GPU", "none");
  line("PETSc", info.petsc);
  line("MPI", info.mpi);
  line("HDF5", info.hdf5);
  line("memory", bytes_text(info.total_bytes) + ", available " + bytes_text(info.available_bytes));
  line("threads", std::to_string(info.threads));

  std::size_t width = 6;
  for (const FormatLine& format : info.formats) width = std::max(width, format.name.size());
  const auto row = [&](const std::string& name, const std::string& spaces, const std::string& precisions,
                       const std::string& summary) {
    out << std::left << std::setw(static_cast<int>(width) + 2) << name << std::setw(10) << spaces
        << std::setw(11) << precisions << summary << "\n";
  };
  out << "\n";
  row("format", "spaces", "precisions", "");
  for (const FormatLine& format : info.formats)
    row(format.name, std::string(format.cpu ? "cpu " : "    ") + (format.cuda ? "cuda" : ""),
        std::string(format.fp64 ? "fp64 " : "     ") + (format.fp32 ? "fp32" : ""),
        (format.peer ? "peer: " : "") + format.summary);
}

Json gpu_json(const Info::Gpu& of) {
  const cuda::DeviceInfo& gpu = of.device;
  return Json{{"index", gpu.index},
              {"name", gpu.name},
              {"compute_capability", std::to_string(gpu.major) + "." + std::to_string(gpu.minor)},
              {"multiprocessors", gpu.multiprocessors},
              {"l2_bytes", gpu.l2_bytes},
              {"total_bytes", gpu.total_bytes},
              {"free_bytes", of.free_bytes}};
}

Json format_json(const FormatLine& format) {
  return Json{{"name", format.name}, {"cpu", format.cpu},   {"cuda", format.cuda},      {"fp64", format.fp64},
              {"fp32", format.fp32}, {"peer", format.peer}, {"summary", format.summary}};
}

std::string to_json(const Info& info) {
  Json gpus = Json::array(), formats = Json::array();
  for (const Info::Gpu& gpu : info.gpus) gpus.push_back(gpu_json(gpu));
  for (const FormatLine& format : info.formats) formats.push_back(format_json(format));
  return json_text(
      Json{{"command", "info"},
           {"version", QUADRILLE_VERSION},
           {"date", utc_now()},
           {"build",
            Json{{"compiler", info.compiler}, {"build_type", info.build_type}, {"cpu_arch", info.cpu_arch}}},
           {"cuda", info.cuda},
           {"cusparse", info.cusparse},
           {"gpus", std::move(gpus)},
           {"petsc", info.petsc},
           {"mpi", info.mpi},
           {"hdf5", info.hdf5},
           {"host", Json{{"total_bytes", info.total_bytes},
                         {"available_bytes", info.available_bytes},
                         {"threads", info.threads}}},
           {"formats", std::move(formats)}});
}

std::string to_csv(const std::vector<FormatLine>& formats) {
  const CsvCell cell;
  std::string csv = csv_line({"name", "cpu", "cuda", "fp64", "fp32", "peer", "summary"});
  for (const FormatLine& format : formats)
    csv += csv_line({cell(format.name), cell(format.cpu), cell(format.cuda), cell(format.fp64),
                     cell(format.fp32), cell(format.peer), cell(format.summary)});
  return csv;
}

}  // namespace

int run_info(const Options& options) {
  check_result_paths(options);
  const Info info = collect();
  if (!options.quiet) print(std::cout, info);
  each_of({[&] { write_results(options, to_json(info), to_csv(info.formats)); }, flush_standard_output});
  return 0;
}

}  // namespace quadrille
