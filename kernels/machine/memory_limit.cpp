// Counts memory in use, and limits it to what the machine, its control group and ulimit allow.
// https://docs.kernel.org/admin-guide/cgroup-v2.html: memory.max has a number of bytes, or "max".
// SPDX-License-Identifier: Apache-2.0
#include "kernels/machine/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <limits>

namespace opledger {
namespace {

constexpr std::size_t kLeastMemory = std::size_t{64} << 20;  // used if the machine reports less

// Global, because the memory of a process is. Every tensor counts, whichever model it belongs to.
std::atomic<std::ptrdiff_t> g_in_use = 0;
std::size_t g_limit = 0;  // 0: not set

std::size_t MachineMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  std::size_t memory = pages > 0 && size > 0
                           ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size)
                           : std::numeric_limits<std::size_t>::max();
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    std::size_t limit = 0;
    if (file >> limit && limit != 0) memory = std::min(memory, limit);
  }
  rlimit limit = {};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? std::min<std::size_t>(memory, limit.rlim_cur) : memory;
}

}  // namespace

void SetMemoryLimit(std::size_t bytes) { g_limit = bytes; }

std::size_t MemoryLimit() {
  static const std::size_t kDefault = std::max(kLeastMemory, MachineMemory() / 4 * 3);
  return g_limit != 0 ? g_limit : kDefault;
}

void CountMemory(std::ptrdiff_t bytes) { g_in_use += bytes; }

std::size_t MemoryInUse() {
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, g_in_use.load()));
}

std::size_t MemoryLeft() {
  const std::size_t limit = MemoryLimit();
  return limit - std::min(limit, MemoryInUse());
}

std::optional<std::size_t> ParseMemorySize(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty()) return number;
  const std::size_t power = kUnits.find(unit.front());
  unit.remove_prefix(1);
  if (power == std::string_view::npos || (!unit.empty() && unit != "iB" && unit != "B")) {
    return std::nullopt;
  }
  std::size_t bytes = 0;
  const std::size_t factor = std::size_t{1} << (10 * (power + 1));
  if (__builtin_mul_overflow(number, factor, &bytes)) return std::nullopt;
  return bytes;
}

std::string MemoryText(std::size_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto number = static_cast<double>(bytes);
  while (number >= 1024 && unit + 1 < std::size(kUnits)) {
    number /= 1024;
    ++unit;
  }
  char text[48];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", number, kUnits[unit]);
  return text;
}

std::string TooMuchMemory(std::size_t bytes) {
  return MemoryText(bytes) + ", more than the " + MemoryText(MemoryLeft()) +
         " that --memory-limit leaves";
}

}  // namespace opledger
