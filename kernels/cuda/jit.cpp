#include "kernels/cuda/jit.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "kernels/cuda/check.hpp"

namespace quadrille::cuda {
namespace {

// NVRTC is a large library that other users of this one need not have: it is loaded when it is first asked
// for.
struct Nvrtc {
  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  std::string missing;  // why it is not there; else empty
};

Nvrtc load_nvrtc() {
  Nvrtc n;
  const std::string name = "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
  void* library = nullptr;
  for (const std::string& folder : {std::string(), std::string("/usr/local/cuda/lib64/")})
    if (library == nullptr) library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    n.missing = name + " is not installed";
    return n;
  }
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr) n.missing = name + " has no " + symbol;
  };
  find(n.version, "nvrtcVersion");
  find(n.create, "nvrtcCreateProgram");
  find(n.compile, "nvrtcCompileProgram");
  find(n.cubin_size, "nvrtcGetCUBINSize");
  find(n.cubin, "nvrtcGetCUBIN");
  find(n.log_size, "nvrtcGetProgramLogSize");
  find(n.log, "nvrtcGetProgramLog");
  find(n.destroy, "nvrtcDestroyProgram");
  return n;
}

const Nvrtc& nvrtc() {
  static const Nvrtc loaded = load_nvrtc();
  return loaded;
}

std::string architecture() {
  int device = 0, major = 0, minor = 0;
  QUADRILLE_CUDA(cudaGetDevice(&device));
  QUADRILLE_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  QUADRILLE_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

// Empty where it is refused, with the first of what NVRTC says in `why`.
std::string compile(const std::string& source, const std::string& arch, std::string& why) {
  nvrtcProgram program = nullptr;
  std::string cubin;
  if (nvrtc().create(&program, source.c_str(), "product.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) {
    why = "NVRTC takes no source";
    return cubin;
  }
  const std::string target = "--gpu-architecture=" + arch;
  const char* const options[] = {target.c_str(), "--std=c++17"};
  std::size_t size = 0;
  if (nvrtc().compile(program, 2, options) == NVRTC_SUCCESS &&
      nvrtc().cubin_size(program, &size) == NVRTC_SUCCESS) {
    cubin.resize(size);
    if (nvrtc().cubin(program, cubin.data()) != NVRTC_SUCCESS) cubin.clear();
  }
  if (cubin.empty() && nvrtc().log_size(program, &size) == NVRTC_SUCCESS) {
    why.resize(size);
    nvrtc().log(program, why.data());
    why = "NVRTC: " + why.substr(0, why.find('\n'));
  }
  nvrtc().destroy(&program);
  return cubin;
}

// The compiled form of `key` on disk, behind the key itself: a file that is another's, or was cut, is none.
class DiskCache {
 public:
  explicit DiskCache(const std::string& key) : key_(key) {
    const char* const own = std::getenv("QUADRILLE_CACHE");
    const char* const home = std::getenv("HOME");
    if (own != nullptr)
      folder_ = own;
    else if (home != nullptr)
      folder_ = std::filesystem::path(home) / ".cache/quadrille";
    if (folder_.empty()) return;
    folder_ /= "kernels";
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    char name[32];
    std::snprintf(name, sizeof name, "%016llx.cubin", static_cast<unsigned long long>(hash));
    file_ = folder_ / name;
  }
  std::string read() const {
    if (file_.empty()) return "";
    std::ifstream in(file_, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    if (text.size() <= head_size()) return "";
    const std::string head = header(text.size() - head_size());
    return text.compare(0, head.size(), head) == 0 ? text.substr(head.size()) : "";
  }
  // Where it cannot be written nothing is remembered.
  void write(const std::string& cubin) const {
    if (file_.empty()) return;
    std::error_code failed;
    std::filesystem::create_directories(folder_, failed);
    const std::filesystem::path own = file_.string() + "." + std::to_string(getpid());
    {
      std::ofstream out(own, std::ios::binary);
      out << header(cubin.size()) << cubin;
      if (!out.flush()) failed = std::make_error_code(std::errc::io_error);
    }
    if (!failed) std::filesystem::rename(own, file_, failed);
    if (failed) std::filesystem::remove(own, failed);
  }

 private:
  std::string header(std::size_t bytes) const {
    char size[24];
    std::snprintf(size, sizeof size, "%020zu\n", bytes);
    return size + key_ + "\n";
  }
  std::size_t head_size() const { return 22 + key_.size(); }

  std::string key_;
  std::filesystem::path folder_, file_;
};

struct Known {
  std::mutex mutex;
  std::map<std::string, const void*> kernels;  // by key
  std::string why_not;
};
Known& known() {
  static Known all;
  return all;
}

const void* load(const std::string& cubin, const char* name, std::string& why) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  cudaError_t status = cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (status == cudaSuccess) status = cudaLibraryGetKernel(&kernel, library, name);
  if (status == cudaSuccess) return reinterpret_cast<const void*>(kernel);
  why = std::string("a compiled kernel was not loaded: ") + cudaGetErrorString(status);
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

}  // namespace

const void* compiled_kernel(const std::string& source, const char* name) {
  const std::lock_guard lock(known().mutex);
  std::string& why = known().why_not;
  if (!nvrtc().missing.empty()) {
    why = nvrtc().missing;
    return nullptr;
  }
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  const std::string arch = architecture();
  const std::string key =
      arch + ", NVRTC " + std::to_string(major) + "." + std::to_string(minor) + ", " + name + "\n" + source;
  const auto [place, fresh] = known().kernels.try_emplace(key, nullptr);
  if (!fresh) return place->second;
  const DiskCache cache(key);
  std::string cubin = cache.read();
  if (!cubin.empty()) place->second = load(cubin, name, why);
  if (place->second != nullptr) return place->second;
  cubin = compile(source, arch, why);
  if (cubin.empty()) return nullptr;
  place->second = load(cubin, name, why);
  if (place->second != nullptr) cache.write(cubin);
  return place->second;
}

std::string why_not_compiled() {
  const std::lock_guard lock(known().mutex);
  return known().why_not;
}

}  // namespace quadrille::cuda
