// Reads the peak from VmHWM in /proc/self/status. Writing 5 to clear_refs resets it
// (https://docs.kernel.org/filesystems/proc.html).
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/peak_memory.h"

#include <fstream>
#include <string>

namespace opledger {
namespace {

std::optional<std::size_t> ReadStatus(const std::string& key) {
  std::ifstream file("/proc/self/status");
  std::string word;
  std::size_t kibibytes = 0;
  while (file >> word) {
    if (word == key && file >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> BeginPeakMemory() {
  std::ofstream file("/proc/self/clear_refs");
  if (!(file << "5" << std::flush)) return std::nullopt;
  return ReadStatus("VmRSS:");
}

std::optional<std::size_t> PeakMemory() { return ReadStatus("VmHWM:"); }

}  // namespace opledger
