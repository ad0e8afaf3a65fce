// Loads the module; only this file uses dlopen. The module stays loaded until the program ends.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/chain/loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "kernels/machine/backend.h"
#include "registry/files/open_file.h"
#include "registry/files/repeated.h"

namespace opledger::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileName = "opledger-cuda.so";

const CudaModule* g_module = nullptr;
std::string g_problem;  // the first problem that a launch reported

const char* WaitForAll() {
  const char* problem = g_module->wait();
  if (g_problem.empty()) return problem;
  static std::string said;  // must outlive the call
  said = std::exchange(g_problem, {});
  return said.c_str();
}

// Returns the module's path, or an empty string. Lists the paths that were tried in `places`.
std::string FindModule(std::string& places) {
  if (const char* given = std::getenv("OPLEDGER_CUDA_MODULE"); given != nullptr && *given != '\0') {
    places = given;
    return fs::exists(given) ? fs::absolute(given).string() : "";
  }
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place : {folder / kFileName, folder / "../lib/opledger" / kFileName}) {
    std::string path = place.lexically_normal().string();
    places += (places.empty() ? "" : ", ") + path;
    if (fs::exists(path, error)) return path;
  }
  return "";
}

// Returns whether the ELF file is complete up to its last section. The loader would map the missing
// part, and reading it would end the program. https://man7.org/linux/man-pages/man5/elf.5.html
bool IsWhole(const std::string& path) {
  const Descriptor file(OpenInput(path));
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  const auto holds = [&](std::uint64_t offset, std::uint64_t bytes) {
    return offset <= size && bytes <= size - offset;
  };
  const auto read = [&]<typename T>(std::uint64_t offset, std::vector<T>& to) {
    auto* at = reinterpret_cast<char*>(to.data());
    for (std::size_t left = to.size() * sizeof(T); left > 0;) {
      const int got =
          Repeated([&] { return pread(file.get(), at, left, static_cast<off_t>(offset)); });
      if (got <= 0) return false;
      at += got;
      offset += static_cast<std::uint64_t>(got);
      left -= static_cast<std::size_t>(got);
    }
    return true;
  };
  std::vector<Elf64_Ehdr> header(1);
  if (error || !read(0, header) || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64) {
    return false;
  }
  std::vector<Elf64_Phdr> segments(header[0].e_phnum);
  std::vector<Elf64_Shdr> sections(header[0].e_shnum);
  if (!read(header[0].e_phoff, segments) || !read(header[0].e_shoff, sections)) return false;
  for (const Elf64_Phdr& each : segments) {
    if (!holds(each.p_offset, each.p_filesz)) return false;
  }
  for (const Elf64_Shdr& each : sections) {
    if (each.sh_type != SHT_NOBITS && !holds(each.sh_offset, each.sh_size)) return false;
  }
  return true;
}

const CudaModule* LoadModule(Status& why) {
  std::string places;
  const std::string path = FindModule(places);
  if (path.empty()) {
    why = "the GPU module was not found: " + places;
    why.hint = "build with CMake's OPLEDGER_CUDA=ON, which needs nvcc and cuBLASLt";
    return nullptr;
  }
  if (!IsWhole(path)) {
    why = "the GPU module is damaged: " + path + " is not an ELF file, or is truncated";
    why.hint = "reinstall opledger";
    return nullptr;
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = "the GPU module cannot be loaded: " + std::string(dlerror());
    why.hint = "install the CUDA libraries that it was built with (cuBLASLt)";
    return nullptr;
  }
  using Entry = const CudaModule* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "opledger_cuda_module"));
  const CudaModule* module = entry == nullptr ? nullptr : entry();
  const std::string wrong = WrongModule(module);
  if (wrong.empty()) return module;
  why = path + ": " + wrong;
  why.hint = "build the module and the programs from the same source";
  return nullptr;
}

}  // namespace

std::string ModuleName(Status& why) {
  std::string places;
  if (FindModule(places).empty() || LoadModule(why) == nullptr) return "";
  return "module " + std::to_string(kModuleVersion);
}

std::string WrongModule(const CudaModule* module) {
  if (module == nullptr) return "it is not a module of opledger";
  if (module->version != kModuleVersion) {
    return "the module has version " + std::to_string(module->version) +
           ", the program takes version " + std::to_string(kModuleVersion);
  }
  if (module->size != sizeof(CudaModule)) {
    return "the module's table has " + std::to_string(module->size) + " bytes, the program's " +
           std::to_string(sizeof(CudaModule));
  }
  return "";
}

const Device* OpenGpu(int number, Status& why) {
  static Device device;
  const CudaModule* module = g_module != nullptr ? g_module : LoadModule(why);
  if (module == nullptr) return nullptr;
  if (const char* said = module->open(number)) {
    why = (number == 0 ? "no GPU can be used: "
                       : "GPU " + std::to_string(number) + " cannot be used: ") +
          said;
    why.hint = "check the output of nvidia-smi: a GPU and its driver are needed; or omit --device";
    return nullptr;
  }
  g_module = module;
  device = {module->allocate,    module->release,      module->copy_in,
            module->copy_out,    &WaitForAll,          module->begin_capture,
            module->end_capture, module->launch_graph, module->destroy_graph};
  return &device;
}

namespace {

[[maybe_unused]] const bool kIsDeclared = DeclareBackend({"CUDA", "cuda", &ModuleName, &OpenGpu});

}  // namespace

const CudaModule& Module() { return *g_module; }

void Report(const char* problem) {
  if (problem != nullptr && g_problem.empty()) g_problem = problem;
}

DeviceConstant::~DeviceConstant() {
  if (memory_ != nullptr) Report(g_module->release(memory_));
}

const void* DeviceConstant::Data() {
  if (memory_ != nullptr) return memory_;
  if (const char* problem = g_module->allocate(bytes_.size(), &memory_)) {
    Report(problem);
    return nullptr;
  }
  Report(g_module->copy_in(bytes_.data(), memory_, bytes_.size()));
  bytes_ = {};
  return memory_;
}

}  // namespace opledger::cuda
