// Runs fuzz targets on every file of their corpora: regression tests for builds without libFuzzer.
//     fuzz_checker condition tests/fuzz/corpus/condition
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "tests/fuzz/fuzz_target.h"

namespace opledger::fuzz {
namespace {

std::map<std::string, Target>& Targets() {
  static std::map<std::string, Target> targets;
  return targets;
}

}  // namespace

bool AddTarget(const char* name, Target target) { return Targets().emplace(name, target).second; }

}  // namespace opledger::fuzz

int main(int argc, char** argv) {
  const auto& targets = opledger::fuzz::Targets();
  const auto found = argc > 1 ? targets.find(argv[1]) : targets.end();
  if (found == targets.end()) {
    std::fputs("usage: fuzz_LIBRARY TARGET FOLDER...\n", stderr);
    return 2;
  }
  int inputs = 0;
  for (int i = 2; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      found->second(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      ++inputs;
    }
  }
  if (inputs == 0) std::fputs("the corpus is empty\n", stderr);
  return inputs == 0 ? 1 : 0;
}
