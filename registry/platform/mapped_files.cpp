// Handles SIGBUS for mapped files. The signal is raised in the thread that reads, so its handler
// may wait for another thread that changes the list. A thread does not read mapped files while it
// changes the list.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/mapped_files.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "registry/platform/sudden_end.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

struct Mapping {
  const char* begin;
  const char* end;
  std::string text;  // message to show if the file was shortened
};

class MappingList {
 public:
  void Add(Mapping mapping) {
    Lock();
    mappings_.push_back(std::move(mapping));
    Unlock();
  }
  void Remove(const void* begin) {
    Lock();
    std::erase_if(mappings_, [&](const Mapping& each) { return each.begin == begin; });
    Unlock();
  }
  // For the signal handler, which ends the program: the list stays locked if a mapping is found.
  const Mapping* Find(const char* address) {
    Lock();
    const std::less_equal<> before;
    const auto found = std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping& each) {
      return before(each.begin, address) && !before(each.end, address);
    });
    if (found != mappings_.end()) return &*found;
    Unlock();
    return nullptr;
  }

 private:
  void Lock() {
    while (locked_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void Unlock() { locked_.clear(std::memory_order_release); }

  std::atomic_flag locked_;
  std::vector<Mapping> mappings_;
};

MappingList& TheMappings() {
  static auto* const mappings = new MappingList;  // never freed, because handlers read it
  return *mappings;
}

void HandleBusError(int number, siginfo_t* info, void*) {
  if (info->si_code == BUS_ADRERR) {
    const Mapping* const mapping = TheMappings().Find(static_cast<const char*>(info->si_addr));
    if (mapping != nullptr) EndSuddenly(mapping->text);
  }
  // Not one of these files: the access is repeated and handled by default.
  signal(number, SIG_DFL);
}

// Installs the handler once, unless SIGBUS already has one.
bool Install() {
  struct sigaction action = {};
  sigaction(SIGBUS, nullptr, &action);
  if (action.sa_handler != SIG_DFL) return false;
  action = {};
  action.sa_sigaction = HandleBusError;
  action.sa_flags = SA_SIGINFO;
  return sigaction(SIGBUS, &action, nullptr) == 0;
}

}  // namespace

void WatchMapping(const void* memory, std::size_t size, const std::string& path) {
  static const bool installed = Install();
  if (!installed) return;
  Diagnostics diagnostics;
  diagnostics.Error({.path = path}, "another program truncated this file while it was being read",
                    "run the command again when the file is complete");
  const auto* const begin = static_cast<const char*>(memory);
  constexpr std::size_t kPage = 4096;  // the last page is mapped whole
  const std::size_t whole = (size + kPage - 1) / kPage * kPage;
  TheMappings().Add({begin, begin + whole, RenderDiagnostics(diagnostics)});
}

void UnwatchMapping(const void* memory) { TheMappings().Remove(memory); }

}  // namespace opledger
