// Searches upward for opledger.json, then for a root marker, then for a folder whose sources
// contain the path.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/scan_context.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "registry/platform/run_git.h"
#include "registry/project/project_dialects.h"
#include "registry/scan/cache/digest.h"
#include "registry/scan/tree/build_definitions.h"
#include "registry/scan/tree/detect_dialects.h"
#include "registry/scan/tree/file_list.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace fs = std::filesystem;

// Returns the folder that the first path names or is in; without paths, that of `here`.
fs::path Anchor(const Source& here, const std::vector<std::string>& paths) {
  const std::string path = paths.empty() ? "." : paths.front();
  const PathState state = here.Examine(path);
  const fs::path anchor = here.Canonical(state.IsThere() ? path : ".");
  return state.kind == PathKind::kFolder || !state.IsThere() ? anchor : anchor.parent_path();
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

// Returns the project file to use; nullopt without an error if there is none.
std::optional<ProjectFile> Project(const Source& here, const ScanContextRequest& request,
                                   const fs::path& anchor, Diagnostics& diagnostics) {
  std::string path = request.project_file;
  if (path.empty()) path = ProjectFileOfEnvironment();
  if (path == "none") return std::nullopt;
  if (path.empty()) path = FindProjectFile(here, anchor.string());
  if (path.empty()) return std::nullopt;
  return ReadProjectFile(here, path, diagnostics);
}

// Returns the project as the dialect of --dialect sees it; `dialect` may be a path as typed.
std::optional<ProjectFile> ChosenIn(const Source& here, const ProjectFile& project,
                                    const std::string& dialect, Diagnostics& diagnostics) {
  if (!IsDialectFile(dialect)) return ChooseDialect(project, dialect, diagnostics);
  const fs::path path = fs::path(here.Absolute(dialect)).lexically_normal();
  return ChooseDialect(project, path.lexically_relative(project.directory).string(), diagnostics);
}

// Adds the project's other dialects, so that files that they read do not count as skipped.
void AddOthers(const Source& root, const ProjectFile& project, Dialect& dialect) {
  for (const NamedDialect& each : project.dialects) {
    if (each.name == dialect.name) continue;
    Diagnostics ignored;  // the other dialect's own scan reports problems
    std::optional<Dialect> other = FindDialect(root, each.dialect, Reach::kBelow, ignored);
    const auto seen = ChooseDialect(project, each.name, ignored);
    if (!other || !seen) continue;
    Apply(*seen, *other);
    DigestBuilder key;  // part of all cache keys
    key.Add(each.name).Add(other->text);
    for (const std::string& glob : other->sources) key.Add("source").Add(glob);
    for (const std::string& glob : other->exclude) key.Add("exclude").Add(glob);
    dialect.text += '\n' + key.Finish().Hex();
    dialect.others.push_back(std::make_shared<Dialect>(std::move(*other)));
  }
}

// Returns a path below the root of `here` relative to it, which keeps messages short.
std::string SeenFrom(const Source& here, const fs::path& path) {
  const std::string relative = path.lexically_relative(here.Canonical(".")).string();
  const bool below = !relative.empty() && !relative.starts_with("..");
  return below ? relative : path.string();
}

std::string DetectOne(const Source& here, const fs::path& anchor, Diagnostics& diagnostics) {
  std::vector<std::string> found = DetectDialects(here.At(anchor.string()));
  if (found.size() == 1) return found.front();
  std::string names;
  for (const std::string& name : found) names += (names.empty() ? "" : ", ") + name;
  diagnostics.Error({},
                    found.empty() ? "no registrations of a shipped dialect were found in '" +
                                        SeenFrom(here, anchor) + "'"
                                  : "several dialects match: " + names,
                    "choose one with --dialect NAME or --dialect FILE");
  return {};
}

// Returns whether sources may be anywhere.
bool IsEverywhere(const Dialect& dialect) {
  return std::any_of(dialect.sources.begin(), dialect.sources.end(),
                     [](const std::string& glob) { return glob.starts_with("**"); });
}

// Finds the folders below `path` that are named like header folders, without excluded ones.
void FindIncludeFolders(const Source& source, const std::string& path, const Dialect& dialect,
                        std::vector<std::string>& found) {
  std::vector<FolderEntry> entries;
  source.List(path, entries);  // folders that cannot be listed are reported with the sources
  for (const FolderEntry& entry : entries) {
    const std::string below = path.empty() ? entry.name : path + '/' + entry.name;
    const bool is_folder =
        entry.kind == PathKind::kFolder ||
        (entry.kind == PathKind::kUnknown && source.ExamineLink(below).kind == PathKind::kFolder);
    if (!is_folder || entry.name.starts_with('.') || GlobMatchAny(dialect.exclude, below + "/a")) {
      continue;
    }
    if (entry.name == "include" || entry.name == "inc") found.push_back(below);
    FindIncludeFolders(source, below, dialect, found);
  }
}

// Returns the include folders, sorted by name.
std::vector<std::string> IncludeFoldersBelow(const Source& source, const Dialect& dialect) {
  std::vector<std::string> found;
  FindIncludeFolders(source, "", dialect, found);
  std::sort(found.begin(), found.end());
  return found;
}

// Returns the top of the repository that contains the source's root; "" if there is none.
std::string RepositoryOf(const Source& source) {
  const std::string top = FoldersUpwards(source, source.root()).back();
  return IsRepository(source, top) ? top : std::string();
}

// Adds folders where builds usually look for headers: the folders above the sources and an include
// folder in each, if they exist. If sources may be anywhere, adds all include folders. These come
// last. Folders that cannot be examined are added too, so that a header searched there is reported
// as unread.
void AddImpliedIncludes(const Source& source, Dialect& dialect, Diagnostics& diagnostics) {
  std::vector<std::string>& all = dialect.include_directories;
  std::set<std::string> known;
  for (const std::string& directory : all) known.insert(NormalPath(directory));
  const auto add = [&](const fs::path& folder) {
    const std::string path = NormalPath(folder.generic_string());
    if (!known.insert(path).second) return;
    const PathState state = source.Examine(path);
    if (state.kind == PathKind::kUnknown) {
      diagnostics.Warning({path}, "cannot be examined: " + ReadErrorText(state.error));
    }
    if (state.kind != PathKind::kAbsent) all.push_back(path.empty() ? "." : path);
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
  // Do the same above the root, up to the top of its repository.
  const std::string top = RepositoryOf(source);
  for (fs::path folder = source.root(); !top.empty() && folder != top;) {
    folder = folder.parent_path();
    add(folder);
    add(folder / "include");
  }
  if (!IsEverywhere(dialect)) return;
  for (const std::string& folder : IncludeFoldersBelow(source, dialect)) add(folder);
}

bool Names(const std::vector<std::string>& folders, const std::string& folder) {
  return std::find(folders.begin(), folders.end(), folder) != folders.end();
}

// Makes include folders outside the root ("..") absolute. They must be in the same repository. The
// tree looks there for headers only.
bool ResolveIncludesAbove(const Source& here, const Source& source,
                          const std::optional<ProjectFile>& project, Dialect& dialect,
                          Diagnostics& diagnostics) {
  for (std::string& directory : dialect.include_directories) {
    if (!NormalPath(directory).starts_with("..")) continue;
    const std::string path = NormalPath(source.root() + '/' + directory);
    const std::string top = RepositoryOf(source);
    if (top.empty() || !source.At(top).Holds(path)) {
      const bool of_project = project && Names(project->include_directories, directory);
      return diagnostics.Error(
          {of_project ? SeenFrom(here, project->path) : dialect.path},
          "include folder '" + directory + "' is outside the repository",
          "use a folder inside it; for headers elsewhere, pass a compile database with -p");
    }
    directory = path;
  }
  return true;
}

}  // namespace

std::vector<std::string> DialectsToScan(const Source& here, const ScanContextRequest& request) {
  std::vector<std::string> names;
  if (!request.dialect.empty()) return names;
  Diagnostics ignored;  // the scan reports a file that cannot be read
  const auto project = Project(here, request, Anchor(here, request.paths), ignored);
  if (!project || project->dialects.size() < 2) return names;
  for (const NamedDialect& each : project->dialects) names.push_back(each.name);
  return names;
}

std::optional<ScanContext> FindScanContext(const Source& here, const ScanContextRequest& request,
                                           Diagnostics& diagnostics) {
  const fs::path anchor = Anchor(here, request.paths);
  std::optional<ProjectFile> project = Project(here, request, anchor, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  std::string name = request.dialect;
  if (project) project = ChosenIn(here, *project, name, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const bool one_of_several = project && !project->dialects.empty();
  const bool of_project = project && !project->dialect.empty() && (name.empty() || one_of_several);
  if (of_project) name = project->dialect;
  if (name.empty()) name = request.default_dialect;
  if (name.empty()) {
    name = DetectOne(here, project ? fs::path(project->directory) : anchor, diagnostics);
  }
  if (name.empty()) return std::nullopt;
  std::optional<Dialect> dialect =
      of_project ? FindDialect(here.At(project->directory), name, Reach::kBelow, diagnostics)
                 : FindDialect(here, name, Reach::kAnywhere, diagnostics);
  if (!dialect) return std::nullopt;
  ScanContext context{here, std::move(*dialect), {}};
  const Source named_in = of_project ? here.At(project->directory) : here;
  context.files.push_back(named_in.Absolute(context.dialect.path));
  if (project) {
    context.files.push_back(here.Absolute(project->path));
    Apply(*project, context.dialect);
    context.source = here.At(project->directory);
    AddOthers(context.source, *project, context.dialect);
  } else {
    context.source = here.At(RootWithoutProject(here, anchor, context.dialect));
  }
  if (!ResolveIncludesAbove(here, context.source, project, context.dialect, diagnostics)) {
    return std::nullopt;
  }
  AddBuildDefinitions(context.source, context.dialect);
  // Shipped dialects list all include folders of their framework.
  const bool shipped = name.find('/') == std::string::npos && !name.ends_with(".json");
  const bool own_sources = project && !project->sources.empty();
  if (!shipped || own_sources || IsEverywhere(context.dialect)) {
    AddImpliedIncludes(context.source, context.dialect, diagnostics);
  }
  return context;
}

}  // namespace opledger::scan
