// opledger.json upwards, else a root marker upwards, else the folder whose sources hold the path.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/scan_context.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "registry/project/project.h"
#include "registry/scan/tree/file_list.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/glob.h"

namespace opledger::scan {
namespace {

// As it is where the current folder has no name.
std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

namespace fs = std::filesystem;

// The folder the first path names or lies in; the working directory without paths.
fs::path Anchor(const std::vector<std::string>& paths) {
  std::error_code error;
  fs::path anchor = fs::canonical(paths.empty() ? "." : paths.front(), error);
  if (error) return fs::current_path(error);
  return fs::is_directory(anchor, error) ? anchor : anchor.parent_path();
}

bool Inside(const fs::path& path, const fs::path& folder) {
  auto [at, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end();
}

bool HasAny(const fs::path& folder, const std::vector<std::string>& names) {
  std::error_code error;
  for (const std::string& name : names) {
    if (fs::exists(folder / name, error)) return true;
  }
  return false;
}

// Whether the dialect's sources, seen from `folder`, hold the anchor, or begin right below it.
bool SourcesHold(const fs::path& folder, const fs::path& anchor, const Dialect& dialect) {
  std::error_code error;
  for (const std::string& glob : dialect.sources) {
    std::string fixed = glob.substr(0, glob.find_first_of("*?"));
    fixed = fixed.substr(0, fixed.rfind('/') == std::string::npos ? 0 : fixed.rfind('/'));
    if (fixed.empty()) continue;
    fs::path held = folder / fixed;
    if (fs::is_directory(held, error) && (folder == anchor || Inside(anchor, held))) return true;
  }
  return false;
}

template <typename Test>
std::string NearestUpwards(fs::path folder, Test test) {
  for (;; folder = folder.parent_path()) {
    if (test(folder)) return folder.string();
    if (folder == folder.parent_path()) return {};
  }
}

std::string RootWithoutProject(const fs::path& anchor, const Dialect& dialect) {
  auto marked = [&](const fs::path& folder) { return HasAny(folder, dialect.root_markers); };
  if (std::string root = NearestUpwards(anchor, marked); !root.empty()) return root;
  auto holds = [&](const fs::path& folder) { return SourcesHold(folder, anchor, dialect); };
  if (std::string root = NearestUpwards(anchor, holds); !root.empty()) return root;
  std::error_code error;
  auto repository = [&](const fs::path& folder) { return fs::exists(folder / ".git", error); };
  if (std::string root = NearestUpwards(anchor, repository); !root.empty()) return root;
  fs::path here = fs::canonical(fs::current_path(error), error);
  return Inside(anchor, here) ? here.string() : anchor.string();
}

void Apply(const ProjectFile& project, Dialect& dialect) {
  if (!project.sources.empty()) dialect.sources = project.sources;
  dialect.exclude.insert(dialect.exclude.end(), project.exclude.begin(), project.exclude.end());
  dialect.include_directories.insert(dialect.include_directories.end(),
                                     project.include_directories.begin(),
                                     project.include_directories.end());
  for (const auto& [name, configuration] : project.configurations) {
    dialect.configurations[name] = configuration;
  }
  if (!project.default_configuration.empty()) {
    dialect.default_configuration = project.default_configuration;
  }
}

// The project file that counts; none (and no error) where there is none.
std::optional<ProjectFile> Project(const ScanContextRequest& request, const fs::path& anchor,
                                   Diagnostics& diagnostics) {
  std::string path = request.project_file;
  if (path.empty()) path = ProjectFileOfEnvironment();
  if (path == "none") return std::nullopt;
  if (path.empty()) path = FindProjectFile(anchor.string());
  if (path.empty()) return std::nullopt;
  return ReadProjectFile(path, diagnostics);
}

// Whether an argument that is a string may begin here: others have REGISTER_OP of classes.
bool BeginsString(std::string_view text, const Dialect& dialect) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with('"') ||
         std::any_of(dialect.identity_functions.begin(), dialect.identity_functions.end(),
                     [&](const std::string& name) { return text.starts_with(name); });
}

// "REGISTER_OP(", but not the end of "TVM_REGISTER_OP(".
bool IsCalledIn(std::string_view text, const Sink& sink, const Dialect& dialect) {
  const std::string use = sink.macro + "(";
  for (std::size_t at = text.find(use); at != std::string::npos; at = text.find(use, at + 1)) {
    const auto before = static_cast<unsigned char>(at == 0 ? ' ' : text[at - 1]);
    if (std::isalnum(before) != 0 || before == '_') continue;
    if (sink.form != NameForm::kString || sink.name != 0 ||
        BeginsString(text.substr(at + use.size()), dialect)) {
      return true;
    }
  }
  return false;
}

// A path below the current folder as seen from it, so that messages hold no more than they need.
std::string SeenFromHere(const fs::path& path) {
  std::error_code error;
  std::string relative = path.lexically_relative(fs::current_path(error)).string();
  const bool below = !error && !relative.empty() && !relative.starts_with("..");
  return below ? relative : path.string();
}

std::string DetectOne(const fs::path& anchor, Diagnostics& diagnostics) {
  std::vector<std::string> found = DetectDialects(anchor.string());
  if (found.size() == 1) return found.front();
  std::string names;
  for (const std::string& name : found) names += (names.empty() ? "" : ", ") + name;
  diagnostics.Error(
      {},
      found.empty() ? "no shipped dialect's registrations occur in '" + SeenFromHere(anchor) + "'"
                    : "several dialects fit: " + names,
      "name one with --dialect NAME or --dialect FILE");
  return {};
}

constexpr std::size_t kMostIncludeFolders = 64;  // each costs a look for every header

// Whether sources may be anywhere.
bool IsEverywhere(const Dialect& dialect) {
  return std::any_of(dialect.sources.begin(), dialect.sources.end(),
                     [](const std::string& glob) { return glob.starts_with("**"); });
}

// The folders below the root that their name says to hold headers, those excluded left out, in the
// order of their names.
std::vector<std::string> IncludeFoldersBelow(const std::string& root, const Dialect& dialect) {
  std::vector<std::string> found;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(
           root, fs::directory_options::skip_permission_denied, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code none;
    if (at->is_symlink(none) || !at->is_directory(none)) continue;
    const std::string path = at->path().string().substr(root.size() + 1);
    const std::string name = at->path().filename().string();
    if (GlobMatchAny(dialect.exclude, path + "/a") || name.starts_with('.')) {
      at.disable_recursion_pending();
    } else if (name == "include" || name == "inc") {
      found.push_back(path);
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kMostIncludeFolders) found.resize(kMostIncludeFolders);
  return found;
}

// Where builds look for headers though nobody said so: the folders above the sources, and an
// include folder in each, as far as they exist; where sources may be anywhere, all include folders.
// They come last.
void AddImpliedIncludes(const std::string& root, Dialect& dialect) {
  std::vector<std::string>& all = dialect.include_directories;
  std::set<std::string> known;
  for (const std::string& directory : all) known.insert(NormalPath(directory));
  std::error_code error;
  const auto add = [&](const fs::path& folder) {
    const std::string path = NormalPath(folder.generic_string());
    if (known.insert(path).second && fs::is_directory(root / folder, error)) {
      all.push_back(path.empty() ? "." : path);
    }
  };
  for (const std::string& glob : dialect.sources) {
    const std::string fixed = glob.substr(0, glob.find_first_of("*?"));
    fs::path folder = fs::path(fixed).parent_path();
    for (;; folder = folder.parent_path()) {
      add(folder);
      add(folder / "include");
      if (folder.empty()) break;
    }
  }
  if (!IsEverywhere(dialect)) return;
  for (const std::string& folder : IncludeFoldersBelow(root, dialect)) add(folder);
}

}  // namespace

std::vector<std::string> DetectDialects(const std::string& folder) {
  std::vector<std::string> found;
  std::vector<std::string> found_marked;
  for (const std::string& name : ShippedDialects()) {
    Diagnostics ignored;
    std::optional<Dialect> dialect = FindDialect(name, ignored);
    if (!dialect) continue;
    std::string root = RootWithoutProject(folder, *dialect);
    const bool marked = HasAny(root, dialect->root_markers);
    bool uses = false;
    for (const std::string& unit : ListUnits(root, {}, *dialect, ignored).units) {
      if (!marked && !Inside(root + "/" + unit, folder)) continue;
      std::optional<std::string> text = ReadSource(root + "/" + unit);
      if (!text) continue;
      for (const Sink& sink : dialect->sinks) uses = uses || IsCalledIn(*text, sink, *dialect);
      if (uses) break;
    }
    if (uses) (marked ? found_marked : found).push_back(name);
  }
  // Frameworks learn from each other, also names of macros; files of another are seldom there.
  return found_marked.empty() ? found : found_marked;
}

std::optional<ScanContext> FindScanContext(const ScanContextRequest& request,
                                           Diagnostics& diagnostics) {
  fs::path anchor = Anchor(request.paths);
  std::optional<ProjectFile> project = Project(request, anchor, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  std::string name = request.dialect;
  std::string named_in;  // the folder of the project file that says it
  if (name.empty() && project) {
    name = project->dialect;
    named_in = project->directory;
    if (name.find('/') != std::string::npos || name.ends_with(".json")) {
      name = SeenFromHere(project->directory + "/" + name);
    }
  }
  if (name.empty()) name = request.default_dialect;
  if (name.empty()) name = DetectOne(project ? fs::path(project->directory) : anchor, diagnostics);
  if (name.empty()) return std::nullopt;
  std::optional<Dialect> dialect = FindDialect(name, diagnostics, named_in);
  if (!dialect) return std::nullopt;
  ScanContext context;
  context.dialect = std::move(*dialect);
  context.files.push_back(AbsolutePath(context.dialect.path));
  if (project) {
    context.files.push_back(AbsolutePath(project->path));
    Apply(*project, context.dialect);
    context.root = project->directory;
  } else {
    context.root = RootWithoutProject(anchor, context.dialect);
  }
  // Shipped dialects of one framework name all of theirs.
  const bool shipped = name.find('/') == std::string::npos && !name.ends_with(".json");
  const bool own_sources = project && !project->sources.empty();
  if (!shipped || own_sources || IsEverywhere(context.dialect)) {
    AddImpliedIncludes(context.root, context.dialect);
  }
  return context;
}

}  // namespace opledger::scan
