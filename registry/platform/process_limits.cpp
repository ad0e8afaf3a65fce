// Handles memory and stack limits. Error messages are created in advance, while memory is
// available.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/process_limits.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "registry/platform/sudden_end.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

// The deepest accepted input needs less (tests/registry/platform/limits_test.py).
constexpr rlim_t kLeastStack = rlim_t{1} << 20;
constexpr rlim_t kUsualStack = rlim_t{8} << 20;

const std::string* g_no_memory = nullptr;
const std::string* g_no_thread = nullptr;
std::terminate_handler g_terminate = nullptr;

// Reports running out of memory and failing to start a thread. The new-handler is not called if
// only a requested size was too large, and waiting does not help to start a thread.
[[noreturn]] void TerminateWithReason() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    EndWithoutMemory();
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) EndSuddenly(*g_no_thread);
  } catch (...) {  // the default handler reports it
  }
  g_terminate();
  std::abort();
}

std::string ErrorText(const std::string& message, const std::string& hint) {
  Diagnostics diagnostics;
  diagnostics.Error({}, message, hint);
  return RenderDiagnostics(diagnostics);
}

void RaiseStack(char** argv) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeastStack) return;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min(limit.rlim_max, kUsualStack);
  // Restarts the program, because threads use the limit at program start.
  if (limit.rlim_cur >= kLeastStack && setrlimit(RLIMIT_STACK, &limit) == 0) {
    execv("/proc/self/exe", argv);
    return;  // the limit is raised, but not for threads
  }
  EndSuddenly(ErrorText("the stack limit of " + std::to_string(before >> 10) + " KiB is too small",
                        "raise it: ulimit -s " + std::to_string(kUsualStack >> 10)));
}

}  // namespace

void EndWithoutMemory() {
  EndSuddenly(g_no_memory != nullptr ? *g_no_memory : "error: out of memory\n");
}

void PrepareForLimits(char** argv, const std::string& remedy) {
  RaiseStack(argv);
  g_no_memory = new std::string(ErrorText("out of memory", remedy));
  g_no_thread = new std::string(
      ErrorText("cannot start a thread", "raise the limit of processes: ulimit -u"));
  std::set_new_handler(&EndWithoutMemory);
  g_terminate = std::set_terminate(&TerminateWithReason);
}

void RequireMemory(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) EndWithoutMemory();
  munmap(memory, bytes);
}

}  // namespace opledger
