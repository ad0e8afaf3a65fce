// Enters a sandbox. Landlock restricts paths as far as its version can; system_calls.cpp lists
// system calls. Constants are defined here because older kernel headers lack some.
// https://docs.kernel.org/userspace-api/landlock.html
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/sandbox.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "registry/files/files.h"
#include "registry/files/list_folder.h"
#include "registry/files/open_file.h"
#include "registry/platform/platform.h"
#include "registry/platform/sudden_end.h"
#include "registry/platform/system_calls.h"
#include "registry/text/diagnostics.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr long kCreateRuleset = 444;  // the same on all architectures
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t Bit(int number) { return std::uint64_t{1} << number; }

constexpr std::uint64_t kExecute = Bit(0);
constexpr std::uint64_t kWriteFile = Bit(1);
constexpr std::uint64_t kReadFile = Bit(2);
constexpr std::uint64_t kReadFolder = Bit(3);
constexpr std::uint64_t kTruncate = Bit(14);
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | Bit(15);

// Returns all file rights that a version of Landlock can restrict.
constexpr std::uint64_t Handled(int version) {
  std::uint64_t all = Bit(13) - 1;
  if (version >= 2) all |= Bit(13);  // linking and renaming across folders
  if (version >= 3) all |= kTruncate;
  if (version >= 5) all |= Bit(15);  // ioctl on devices
  return all;
}

struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};

struct __attribute__((packed)) PathRule {
  std::uint64_t allowed = 0;
  std::int32_t folder = -1;
};

int LandlockVersion() {
  return static_cast<int>(syscall(kCreateRuleset, nullptr, std::size_t{0}, kAskVersion));
}

// Without the rule, reading an allowed file would later fail with a misleading error.
[[noreturn]] void EndWithoutDescriptors() {
  Diagnostics diagnostics;
  diagnostics.Error(
      {}, std::string("cannot open the files allowed in the sandbox: ") + std::strerror(EMFILE));
  EndSuddenly(RenderDiagnostics(diagnostics));
}

void Allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const Descriptor file(OpenPlace(path));
  if (file.get() < 0 && errno == EMFILE) EndWithoutDescriptors();
  struct stat status = {};
  if (file.get() < 0 || fstat(file.get(), &status) != 0) return;
  if (!S_ISDIR(status.st_mode)) rights &= kOfFiles;
  const PathRule rule = {rights, file.get()};
  syscall(kAddRule, ruleset, kPathBeneath, &rule, 0U);
}

void RestrictFiles(const Sandbox& sandbox) {
  const int version = LandlockVersion();
  if (version < 1) return;
  Ruleset rules;
  rules.files = Handled(version);
  if (sandbox.becomes_program) rules.files &= ~kExecute;
  if (version >= 4) rules.network = 3;  // TCP bind and connect
  if (version >= 6) rules.scoped = 3;   // abstract sockets and signals to other processes
  const Descriptor ruleset(static_cast<int>(syscall(kCreateRuleset, &rules, sizeof rules, 0U)));
  if (ruleset.get() < 0) return;
  for (const std::string& path : sandbox.read) Allow(ruleset.get(), path, kReadFile | kReadFolder);
  for (const std::string& path : sandbox.write) {
    Allow(ruleset.get(), path, rules.files & ~kExecute);
  }
  syscall(kRestrictSelf, ruleset.get(), 0U);
}

// Returns whether the paths may include a folder, whose files need system calls that a device does
// not. A path that cannot be examined counts as a folder; Landlock still restricts the process to
// it.
bool MayHaveFolder(const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    return type == fs::file_type::directory || type == fs::file_type::none;
  });
}

}  // namespace

Sandbox SandboxOf(const std::vector<std::string>& values, const std::vector<std::string>& outputs,
                  const std::string& cache) {
  Sandbox sandbox;
  sandbox.read = {DataDirectory(), "/proc", "/sys"};
  sandbox.write = {"/dev/null"};
#if defined(__clang__)
  // LLVM's OpenMP registers itself here and aborts if it cannot.
  sandbox.write.emplace_back("/dev/shm");
#endif
  std::error_code error;
  const auto add_folder_of = [&](const std::string& path, std::vector<std::string>& folders) {
    fs::path folder = fs::absolute(FollowLinks(path).value_or(path), error).lexically_normal();
    if (!fs::is_directory(folder, error)) folder = folder.parent_path();
    while (!fs::is_directory(folder, error) && folder.has_relative_path()) {
      folder = folder.parent_path();  // missing folders are created
    }
    folders.push_back(folder.string());
  };
  // An installation may consist of links.
  const fs::path data = DataDirectory();
  for (const std::string& name : NamesIn(data.string()).names) {
    std::error_code broken;
    sandbox.read.push_back(fs::canonical(data / name, broken).string());
  }
  const auto add_file = [&](const std::string& path) {
    if (path.empty() || !fs::exists(path, error)) return;
    add_folder_of(path, sandbox.read);
    // A model's external data is in the folder of the path by which it was given.
    sandbox.read.push_back(fs::absolute(path, error).parent_path().string());
  };
  for (const std::string& value : values) {
    add_file(value);
    for (std::size_t at = value.find('='); at != std::string::npos; at = value.find('=', at + 1)) {
      add_file(value.substr(at + 1));  // "x=x.npy"
    }
  }
  for (const std::string& output : outputs) {
    if (output.empty() || output == "-") continue;
    const bool special = fs::exists(output, error) && !fs::is_regular_file(output, error) &&
                         !fs::is_directory(output, error);
    if (special) sandbox.write.push_back(output);
    if (!special) add_folder_of(output, sandbox.write);
  }
  if (!cache.empty()) {
    fs::create_directories(cache, error);
    sandbox.write.push_back(cache);
  }
  return sandbox;
}

void AddList(const std::string& list, Sandbox& sandbox) {
  if (!list.empty()) sandbox.read.emplace_back(".");
}

void EnterSandbox(const Sandbox& sandbox) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  [[maybe_unused]] const bool writes = MayHaveFolder(sandbox.write);
  RestrictFiles(sandbox);
#if !defined(OPLEDGER_ADDRESS_SANITIZER)  // LeakSanitizer runs in a process of its own
  AllowSystemCalls({writes, sandbox.computes, sandbox.becomes_program});
#endif
}

std::string SandboxOfKernel() {
  const int version = LandlockVersion();
  std::string text = version < 1 ? "" : "Landlock " + std::to_string(version);
  if (HasSystemCallFilters()) text += text.empty() ? "seccomp" : ", seccomp";
  return text.empty() ? "none" : text;
}

}  // namespace opledger
