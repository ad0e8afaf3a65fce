// opledger-cuda-selftest: checks whether the kernels of opledger-cuda.so compute the same on this
// GPU as the CPU does, and measures their speed. Needs only the module.
//   opledger-cuda-selftest --json speeds.json
// Exit status: 0 if all checks passed, 1 if a check failed, 2 for wrong arguments, 77 if there is
// no GPU or no module.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "kernels/cuda/selftest/selftest.h"

namespace {

using opledger::cuda::CudaModule;
using opledger::cuda::DeviceFacts;
using opledger::cuda::selftest::Check;
using opledger::cuda::selftest::Session;
using opledger::cuda::selftest::Speed;

constexpr int kNoGpu = 77;
constexpr const char* kUsage =
    "usage: opledger-cuda-selftest [--quick] [--exhaustive] [--no-speed] [--only PART]... "
    "[--gpu N] [--module FILE] [--json FILE]\n"
    "parts: casts functions reductions rows moves matrices quantized images attention speeds\n";

// The parts, in the order in which they run.
struct Part {
  const char* name;
  void (*run)(Session&);
};
namespace selftest = opledger::cuda::selftest;
constexpr Part kParts[] = {
    {"casts", &selftest::CheckCasts},           {"functions", &selftest::CheckFunctions},
    {"reductions", &selftest::CheckReductions}, {"rows", &selftest::CheckRows},
    {"moves", &selftest::CheckMoves},           {"matrices", &selftest::CheckMatrices},
    {"quantized", &selftest::CheckQuantized},   {"images", &selftest::CheckImages},
    {"attention", &selftest::CheckAttention},   {"speeds", &selftest::MeasureSpeeds}};

struct Options {
  bool quick = false;
  bool exhaustive = false;
  bool speed = true;
  std::vector<std::string> only;  // names of parts; empty: all
  int gpu = 0;
  std::string module;
  std::string json;
};

bool ReadOptions(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      options.quick = true;
    } else if (argument == "--exhaustive") {
      options.exhaustive = true;
    } else if (argument == "--no-speed") {
      options.speed = false;
    } else if (argument == "--only" && i + 1 < argc) {
      options.only.emplace_back(argv[++i]);
    } else if (argument == "--gpu" && i + 1 < argc) {
      options.gpu = std::atoi(argv[++i]);
    } else if (argument == "--module" && i + 1 < argc) {
      options.module = argv[++i];
    } else if (argument == "--json" && i + 1 < argc) {
      options.json = argv[++i];
    } else {
      return false;
    }
  }
  return true;
}

bool Wanted(const std::string& part, const Options& options) {
  if (part == "speeds" && !options.speed) return false;
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), part) != options.only.end();
}

// Looks beside the program, then where programs are installed.
std::string FindModule() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"opledger-cuda.so", "../lib/opledger/opledger-cuda.so"}) {
    if (fs::exists(folder / place, error)) return (folder / place).string();
  }
  return "opledger-cuda.so was not found next to the program";
}

const CudaModule* Open(const std::string& path, int gpu) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("SKIPPED: no module: %s\n", dlerror());
    return nullptr;
  }
  using Entry = const CudaModule* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "opledger_cuda_module"));
  const CudaModule* module = entry == nullptr ? nullptr : entry();
  if (module == nullptr || module->version != opledger::cuda::kModuleVersion ||
      module->size != sizeof(CudaModule)) {
    std::printf("SKIPPED: %s is of another version\n", path.c_str());
    return nullptr;
  }
  if (const char* problem = module->open(gpu)) {
    std::printf("SKIPPED: no GPU: %s\n", problem);
    return nullptr;
  }
  return module;
}

double Rate(const Speed& speed) {
  const double scale = std::strcmp(speed.unit, "GB/s") == 0 ? 1e9 : 1e12;
  return speed.amount / speed.seconds / scale;
}

double Fraction(const Speed& speed) {
  return speed.ceiling == 0 ? 0 : speed.amount / speed.seconds / speed.ceiling;
}

void Print(const Session& session, std::size_t failed) {
  for (const Check& check : session.checks) {
    if (!check.problem.empty()) {
      std::printf("FAILED  %s: %s\n", check.name.c_str(), check.problem.c_str());
    }
  }
  std::uint64_t numbers = 0;
  for (const Check& check : session.checks) numbers += check.numbers;
  std::printf("%zu of %zu checks passed, on %llu values\n", session.checks.size() - failed,
              session.checks.size(), static_cast<unsigned long long>(numbers));
  for (const Speed& speed : session.speeds) {
    std::printf("%-44s %10.1f %-8s %5.1f %% of the ceiling\n", speed.name.c_str(), Rate(speed),
                speed.unit, 100 * Fraction(speed));
  }
}

// Quotes a text, which must need no escapes other than for quotes and backslashes.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

bool WriteJson(const Session& session, const DeviceFacts& facts, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  std::fprintf(file, "{\n  \"device\": %s,\n  \"compute_capability\": \"%d.%d\",\n  \"checks\": [",
               Quoted(facts.name).c_str(), facts.major, facts.minor);
  const char* separator = "";
  for (const Check& check : session.checks) {
    std::fprintf(file, "%s\n    {\"name\": %s, \"numbers\": %llu, \"problem\": %s}", separator,
                 Quoted(check.name).c_str(), static_cast<unsigned long long>(check.numbers),
                 Quoted(check.problem).c_str());
    separator = ",";
  }
  std::fprintf(file, "\n  ],\n  \"speeds\": [");
  separator = "";
  for (const Speed& speed : session.speeds) {
    std::fprintf(file,
                 "%s\n    {\"name\": %s, \"seconds\": %.9g, \"rate\": %.6g, \"unit\": \"%s\", "
                 "\"fraction\": %.4f}",
                 separator, Quoted(speed.name).c_str(), speed.seconds, Rate(speed), speed.unit,
                 Fraction(speed));
    separator = ",";
  }
  std::fprintf(file, "\n  ]\n}\n");
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ReadOptions(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  Session session;
  session.quick = options.quick;
  session.exhaustive = options.exhaustive;
  session.module = Open(options.module.empty() ? FindModule() : options.module, options.gpu);
  if (session.module == nullptr) return kNoGpu;
  DeviceFacts facts = {};
  session.Must(session.module->facts(&facts));
  std::printf("%s, compute capability %d.%d, %d processors\n", facts.name, facts.major, facts.minor,
              facts.processors);
  for (const Part& part : kParts) {
    if (Wanted(part.name, options)) part.run(session);
  }
  const auto failed = static_cast<std::size_t>(
      std::count_if(session.checks.begin(), session.checks.end(),
                    [](const Check& check) { return !check.problem.empty(); }));
  Print(session, failed);
  if (!options.json.empty() && !WriteJson(session, facts, options.json)) {
    std::fprintf(stderr, "opledger-cuda-selftest: cannot write %s\n", options.json.c_str());
    return 2;
  }
  return failed == 0 ? 0 : 1;
}
