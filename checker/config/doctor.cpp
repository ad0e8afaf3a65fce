// Runs the checks in the order of the report.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/doctor.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "checker/config/validate_config.h"
#include "checker/project/tracked_files.h"
#include "checker/terminal/terminal.h"
#include "registry/dialect/dialect.h"
#include "registry/files/list_folder.h"
#include "registry/json/json_write.h"
#include "registry/platform/platform.h"
#include "registry/platform/run_git.h"
#include "registry/platform/sandbox.h"
#include "registry/project/cache_folder.h"
#include "registry/project/project.h"
#include "registry/project/runner.h"
#include "registry/project/version.h"
#include "registry/text/diagnostics.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;
using List = std::vector<DoctorCheck>;

// Replaces the home folder by "~", because it contains the user's name.
std::string WithoutHome(const std::string& path) {
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return path;
  const std::string folder = home;
  const bool below = path.starts_with(folder) && folder.size() > 1 &&
                     (path.size() == folder.size() || path[folder.size()] == '/');
  return below ? "~" + path.substr(folder.size()) : path;
}

bool IsWritable(const std::string& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && access(folder.c_str(), W_OK | X_OK) == 0;
}

#if defined(__clang__)
constexpr const char* kCompiler = __VERSION__;  // begins with the compiler's name
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

void CheckMachine(List& all) {
  all.push_back({"opledger", Version(), {}, {}});
  all.push_back({"compiler", kCompiler, {}, {}});
  utsname system = {};
  if (uname(&system) == 0) {
    const std::string name = system.sysname;
    all.push_back({"system", name + ' ' + system.release + ' ' + system.machine, {}, {}});
  }
  all.push_back({"processors", std::to_string(std::thread::hardware_concurrency()), {}, {}});
}

// Turns "opledger-run 0.1.0, oneDNN 2.6" into "0.1.0, oneDNN 2.6".
std::string FirstLineBehind(const std::string& name, const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.starts_with(name + ' ')) line.erase(0, name.size() + 1);
  return line;
}

DoctorCheck CheckSibling(const std::string& name) {
  Diagnostics messages;
  std::string output;
  const std::optional<int> status = RunSibling(name, {"--version"}, output, messages);
  if (!status) {
    const Diagnostic& why = messages.all().front();
    return {name, {}, why.message, why.hint};
  }
  const std::string version = FirstLineBehind(name, output);
  const std::string own = Version();
  const bool same = *status == kExitClean && (version == own || version.starts_with(own + ',') ||
                                              version.starts_with(own + ' '));
  if (same) return {name, version, {}, {}};
  return {name, version, "its version differs from opledger's",
          "install all programs of one build into one folder"};
}

// Reports which sandbox the kernel offers for the workers that read sources and models.
void CheckSandbox(List& all) {
  DoctorCheck& sandbox = all.emplace_back();
  sandbox.name = "sandbox";
  sandbox.found = SandboxOfKernel();
}

// Reports whether opledger-run or opledger-run-onednn runs models.
DoctorCheck CheckOnednnRunner(const OnednnRunner& runner) {
  DoctorCheck check = {kOnednnRunner, runner.version, {}, {}};
  if (runner.problem.empty()) {
    check.found += "; runs models in place of opledger-run";
    return check;
  }
  check.problem = "opledger-run runs models, more slowly, since this cannot: " + runner.problem;
  check.hint =
      runner.problem.find("libgomp") != std::string::npos
          ? "install the system's package libgomp1 or libgomp"
          : "pip install opledger[run] for this system, or pip uninstall opledger-run-onednn";
  return check;
}

// Reports the implementations of kernels and the processor features that they use.
void CheckKernels(List& all) {
  Diagnostics ignored;
  std::string output;
  const auto status = RunSibling(ChooseRunner(), {"--list-kernels", "summary"}, output, ignored);
  if (status != kExitClean || output.empty()) return;
  while (output.ends_with('\n')) output.pop_back();
  all.push_back({"kernels", Join(SplitAt(output, '\n'), "; "), {}, {}});
}

// Checks the programs of all verbs. opledger-scan-ast has no --version, so only its presence is
// checked.
void CheckPrograms(const std::vector<std::string>& siblings, List& all) {
  for (const std::string& program : siblings) all.push_back(CheckSibling(program));
  const OnednnRunner runner = TryOnednnRunner();
  if (runner.installed) all.push_back(CheckOnednnRunner(runner));
  const std::string evaluator = "opledger-scan-ast";
  if (access(SiblingProgram("opledger-scan").c_str(), X_OK) != 0) return;
  const bool there = access(SiblingProgram(evaluator).c_str(), X_OK) == 0;
  all.push_back({evaluator, there ? "found" : "",
                 there ? "" : "there is no " + evaluator + " in the folder of opledger",
                 there ? ""
                       : "install it; without it, registrations whose names the source computes "
                         "are incomplete"});
}

void CheckData(List& all) {
  const std::string folder = DataDirectory();
  std::size_t lists = 0;
  std::string broken;
  Diagnostics messages;
  const std::vector<std::string> names = ShippedDialects(messages);
  for (const std::string& name : names) {
    if (!FindDialect(DiskSource(), name, Reach::kAnywhere, messages))
      broken += (broken.empty() ? "" : ", ") + name;
    lists += ShippedLists(name, messages).size();
  }
  all.push_back({"dialects", Join(names, ", "), {}, {}});
  DoctorCheck& data = all.emplace_back();
  data.name = "data";
  data.found = WithoutHome(folder) + ", " + Counted(lists, "list");
  if (names.empty() || lists == 0) data.problem = "dialects or lists are missing";
  if (!broken.empty()) data.problem = "dialects that cannot be read: " + broken;
  if (!data.problem.empty()) {
    data.hint = std::getenv("OPLEDGER_DATA_DIR") != nullptr
                    ? "OPLEDGER_DATA_DIR names this folder; unset it to use the program's own"
                    : "reinstall opledger";
  }
}

// Reports the dialects whose registrations are below the current folder.
void CheckSources(List& all) {
  if (access(SiblingProgram("opledger-scan").c_str(), X_OK) != 0) return;
  Diagnostics ignored;
  std::string output;
  const auto status = RunSibling("opledger-scan", {"--detect-dialect"}, output, ignored);
  if (status != kExitClean) return;
  std::replace(output.begin(), output.end(), '\n', ' ');
  while (output.ends_with(' ')) output.pop_back();
  all.push_back(
      {"sources here", output.empty() ? "no known dialect" : "dialect " + output, {}, {}});
}

// Counts problems with the form of the files. Messages may quote the files, so they are not shown.
void CheckProject(const Source& here, const std::string& choice, List& all) {
  DoctorCheck& project = all.emplace_back();
  project.name = "project file";
  if (choice == "none") {
    project.found = "none, as requested";
    return;
  }
  const std::string path = choice.empty() ? FindProjectFile(here, ".") : choice;
  if (path.empty()) {
    project.found = "none";
    project.hint = "`opledger init` writes one";
    return;
  }
  const fs::path absolute = fs::path(here.Absolute(path)).lexically_normal();
  project.found = WithoutHome(absolute.string());
  Diagnostics messages;
  const std::vector<std::string> files = ValidateConfig(here, absolute.string(), messages);
  const IgnoredFiles ignored = FindIgnored(here.At(absolute.parent_path().string()), files);
  project.found += ", " + Counted(files.size(), "file") + " in all";
  if (!ignored.paths.empty()) {
    // The rule is not shown, because it may name the user's files.
    project.problem = "git ignores " + Counted(ignored.paths.size(), "file") + " of the project";
    project.hint = "`opledger config validate` says what to add to .gitignore";
  }
  std::uint64_t problems = 0;
  for (const Diagnostic& each : messages.all())
    problems += each.severity == Severity::kError ? 1 : 0;
  if (problems == 0) return;
  project.problem = Counted(problems, "problem") + " in the files";
  project.hint = "`opledger config validate` lists them";
}

struct FolderContent {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  int error = 0;  // errno of the first folder that could not be listed
};

void AddContent(const fs::path& folder, FolderContent& content) {
  const FolderNames found = NamesIn(folder.string());
  if (content.error == 0) content.error = found.error;
  for (const std::string& name : found.names) {
    std::error_code ignored;
    const fs::path path = folder / name;
    const fs::file_status status = fs::symlink_status(path, ignored);
    if (fs::is_directory(status)) AddContent(path, content);
    if (!fs::is_regular_file(status)) continue;
    ++content.files;
    content.bytes += fs::file_size(path, ignored);
  }
}

void CheckCache(List& all) {
  const CacheFolder cache = FindCacheFolder();
  DoctorCheck& found = all.emplace_back();
  found.name = "cache";
  if (cache.path.empty()) {
    found.problem = "there is no cache folder, so every scan reads everything";
    found.hint = "set OPLEDGER_CACHE_DIR or HOME";
    return;
  }
  FolderContent content;
  AddContent(cache.path, content);
  found.found = WithoutHome(cache.path) + " (" + cache.variable + "), " +
                Counted(content.files, "file") + ", " + Counted(content.bytes, "byte");
  if (content.error != 0 && content.error != ENOENT && content.error != ENOTDIR) {
    found.problem = std::string("the folder cannot be listed: ") + std::strerror(content.error);
    found.hint = "remove the folder: it is created again when needed";
    return;
  }
  // The folder is created on demand, so the nearest existing parent must be writable.
  std::error_code error;
  fs::path nearest = cache.path;
  while (!fs::exists(nearest, error) && nearest.has_relative_path())
    nearest = nearest.parent_path();
  if (IsWritable(nearest.string())) return;
  found.problem = "the folder is not writable, so every scan reads everything";
  found.hint = "set OPLEDGER_CACHE_DIR to a writable folder";
}

void CheckGit(const Source& here, List& all) {
  Diagnostics ignored;
  std::string output;
  DoctorCheck& git = all.emplace_back();
  git.name = "git";
  if (RunGit("", {"--version"}, "", output, ignored) != kExitClean) {
    git.problem = "git was not found; --against, --staged and diff need it";
    return;
  }
  git.found = FirstLineBehind("git", output);
  const std::string top = FoldersUpwards(here, ".").back();
  const bool there = IsRepository(here, top);
  git.found += there ? ", in a repository" : ", not in a repository";
  if (there && here.Examine(top + "/.git/shallow").IsThere()) {
    git.found += " that is shallow: fetch the revision that you give to --against";
  }
}

void CheckSurroundings(const GlobalOptions& global, List& all) {
  const ColorUse color = DecideColor(global.color);
  all.push_back({"color", std::string(color.on ? "on" : "off") + " (" + color.why + ")", {}, {}});
  for (const char* name : {"OPLEDGER_CONFIG", "OPLEDGER_OUTPUT_FORMAT", "OPLEDGER_CACHE_DIR",
                           "OPLEDGER_DATA_DIR", "SOURCE_DATE_EPOCH"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) all.push_back({name, WithoutHome(value), {}, {}});
  }
}

}  // namespace

std::vector<DoctorCheck> RunDoctorChecks(const GlobalOptions& global,
                                         const std::vector<std::string>& siblings) {
  List all;
  CheckMachine(all);
  CheckSandbox(all);
  CheckPrograms(siblings, all);
  CheckData(all);
  CheckKernels(all);
  CheckSources(all);
  CheckProject(global.here, global.project_file, all);
  CheckCache(all);
  CheckGit(global.here, all);
  CheckSurroundings(global, all);
  return all;
}

std::string DoctorText(const std::vector<DoctorCheck>& all) {
  std::size_t width = 0;
  for (const DoctorCheck& each : all) width = std::max(width, each.name.size());
  std::string text;
  std::string problems;
  for (const DoctorCheck& each : all) {
    std::string name = each.name;
    name.resize(width, ' ');
    text += name + "  " + (each.found.empty() ? "-" : Printable(each.found)) + '\n';
    if (each.problem.empty()) continue;
    problems += each.name + ": " + Printable(each.problem) + '\n';
    if (!each.hint.empty()) problems += "hint: " + Printable(each.hint) + '\n';
  }
  return text + '\n' + (problems.empty() ? "No problems found.\n" : problems);
}

std::string DoctorJson(const std::vector<DoctorCheck>& all) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-doctor/1");
  json.Records("examined", all, [&](const DoctorCheck& each) {
    json.Field("name", each.name);
    if (!each.found.empty()) json.Field("found", each.found);
    if (!each.problem.empty()) json.Field("problem", each.problem);
    if (!each.hint.empty()) json.Field("hint", each.hint);
  });
  json.EndObject();
  return text + '\n';
}

}  // namespace opledger
