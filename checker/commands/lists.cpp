// opledger lists sync: writes plain lists from those that a framework keeps in its sources, for
// projects that do not have the sources.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/import/synced_list.h"
#include "checker/project/checked_lists.h"
#include "checker/project/list_choice.h"
#include "checker/project/scan_source.h"
#include "checker/terminal/terminal.h"
#include "registry/platform/run_git.h"
#include "registry/project/contained_path.h"

namespace opledger {
namespace {

struct ListsOptions : CheckOptions {
  std::string action;
  bool check = false;
  std::vector<std::string> choices;  // from --list
  std::string output = "opledger";
  std::string revision;
};

// A list to write, and the existing file if there is one.
struct Target {
  const PrecisionList* derived = nullptr;
  std::string path;
  std::optional<PrecisionList> existing;
};

// Returns the lists that --list names, or all without --list.
std::vector<const PrecisionList*> Chosen(const ListsOptions& options,
                                         const std::vector<PrecisionList>& lists,
                                         Diagnostics& diagnostics) {
  const std::vector<ListName> names = NamesOf(lists);
  std::set<std::size_t> places;
  for (const std::string& choice : options.choices) {
    const std::vector<std::size_t> found = FindChosen(choice, names, diagnostics);
    places.insert(found.begin(), found.end());
  }
  std::vector<const PrecisionList*> chosen;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (options.choices.empty() || places.contains(i)) chosen.push_back(&lists[i]);
  }
  return chosen;
}

// Reports an error if a path below the root leads out of the project through a symbolic link.
bool StaysInProject(const Project& project, const std::string& path, Diagnostics& diagnostics) {
  const Diagnostic outside = {.location = {path, 0, 0, 0, 0},
                              .message = "leads out of the project through a symbolic link",
                              .hint = "name the intended folder with --output"};
  return !StaysBelow(path) || project.source().MustHold(path, outside, diagnostics);
}

bool ReadExisting(const Project& project, Target& target, Diagnostics& diagnostics) {
  if (!StaysInProject(project, target.path, diagnostics)) return false;
  if (project.source().ExamineLink(target.path).kind == PathKind::kAbsent) return true;
  target.existing = ReadListAlone(project.source(), target.path, Reach::kAnywhere, diagnostics);
  if (!target.existing) return false;
  const Location place = {target.path, 0, 0, 0, 0};
  if (!target.existing->derived_from.empty()) {
    diagnostics.Error(place,
                      "this list has \"derived_from\"; sync would replace it with a plain list",
                      "name another folder with --output");
  } else if (target.existing->framework != target.derived->framework) {
    diagnostics.Error(place,
                      "this list is for '" + target.existing->framework + "', not for '" +
                          target.derived->framework + "'",
                      "name another folder with --output");
  }
  return !diagnostics.has_errors();
}

// Chooses the file of each list. Reports an error if two lists would go to the same file.
std::vector<Target> Targets(const ListsOptions& options, const Project& project,
                            const std::vector<const PrecisionList*>& lists,
                            Diagnostics& diagnostics) {
  const bool is_file = options.output.ends_with(".json");
  const std::string output = project.FromRoot(options.output);
  std::vector<Target> targets;
  std::set<std::string> paths;
  for (const PrecisionList* list : lists) {
    Target target = {list, is_file ? output : output + '/' + list->Label() + ".json", {}};
    if (!paths.insert(target.path).second) {
      diagnostics.Error({target.path, 0, 0, 0, 0}, "two lists would be written to this file",
                        is_file ? "name one with --list, or a folder with --output"
                                : "give one of them a different \"device\"");
      return {};
    }
    if (!ReadExisting(project, target, diagnostics)) return {};
    targets.push_back(std::move(target));
  }
  return targets;
}

// Returns " at 1f0a3b2...", the commit, and says if any of the files differ from it.
std::string AtRevision(const ListsOptions& options, const Project& project,
                       const std::vector<const PrecisionList*>& lists) {
  if (!options.revision.empty()) return " at " + options.revision;
  if (GitDirectoryOf(project.root()).empty()) return {};
  Diagnostics ignored;
  std::string commit;
  const auto git = [&](const std::vector<std::string>& arguments, std::string& output) {
    return RunGit(project.root(), arguments, "", output, ignored) == kExitClean;
  };
  if (!git({"rev-parse", "--verify", "--quiet", "HEAD"}, commit)) return {};
  while (!commit.empty() && commit.back() == '\n') commit.pop_back();
  std::vector<std::string> arguments = {"diff", "--quiet", "HEAD", "--"};
  for (const PrecisionList* list : lists) {
    for (const auto& [path, text] : list->source_texts) arguments.push_back(path);
  }
  std::string nothing;
  return " at " + commit + (git(arguments, nothing) ? "" : " with local changes");
}

// Shows what could not be read of the lists, and returns whether there is anything. For lists of
// registrations, every unread place counts, because it may hold rows.
bool ShowUnread(const Manifest& manifest, const std::vector<const PrecisionList*>& lists) {
  const auto registered = [](const PrecisionList* list) {
    return std::any_of(
        list->derived_from.begin(), list->derived_from.end(),
        [](const ListOrigin& origin) { return origin.format == ListFormat::kRegistrations; });
  };
  const bool all = std::any_of(lists.begin(), lists.end(), registered);
  Diagnostics unread;
  for (const Incomplete& each : manifest.incomplete) {
    if (all || each.stage == kListStage) unread.Error(each.location, each.detail);
  }
  if (unread.all().empty()) return false;
  Show(unread);
  return true;
}

SyncSource SourceFor(const PrecisionList& list, const std::string& what, const Manifest& manifest) {
  const std::string configuration =
      list.configuration.empty() ? manifest.default_configuration : list.configuration;
  return {what, manifest.KnownOf(configuration), [&manifest](const std::string& name) {
            if (manifest.Find(name) != nullptr) return name;
            for (const Operator& op : manifest.operators) {
              for (const Alias& alias : op.aliases) {
                if (alias.name == name) return op.name;
              }
            }
            return name;
          }};
}

void PrintChanges(const Target& target, const SyncedList& synced, bool check) {
  std::string text = ShownPath(target.path) + ": ";
  const bool is_new = !target.existing;
  if (!synced.differs) {
    text += "up to date\n";
  } else if (is_new) {
    text += check ? "missing\n" : "new\n";
  } else {
    text += synced.changes.empty() ? "only the layout differs\n"
                                   : Counted(synced.changes.size(), "change") + '\n';
  }
  for (const std::string& line : synced.changes) text += is_new ? "" : line + '\n';
  Print(text);
}

bool WriteList(const Project& project, const std::string& path, const std::string& text,
               Diagnostics& diagnostics) {
  if (StaysBelow(path)) return project.Write(path, true, text, diagnostics);
  const std::filesystem::path folder =
      std::filesystem::path(project.source().Absolute(path)).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return project.Write(path, false, text, diagnostics);
  diagnostics.Error({path, 0, 0, 0, 0}, "cannot create its folder: " + error.message());
  return false;
}

int RunLists(const ListsOptions& options) {
  Diagnostics diagnostics;
  std::optional<Project> project = Project::Open(options.global, ".", diagnostics);
  if (!project) return Fail(diagnostics);
  std::optional<Manifest> manifest = GetManifest(options, {"policy"}, *project, diagnostics);
  if (!manifest) return Fail(diagnostics);
  const auto lists = ReadFrameworkLists(options, *project, *manifest, diagnostics);
  if (!lists) return Fail(diagnostics);
  const auto chosen = Chosen(options, *lists, diagnostics);
  if (diagnostics.has_errors()) return Fail(diagnostics);
  if (ShowUnread(*manifest, chosen)) return kExitIncomplete;
  const std::vector<Target> targets = Targets(options, *project, chosen, diagnostics);
  if (diagnostics.has_errors()) return Fail(diagnostics);
  const std::string what = manifest->dialect + AtRevision(options, *project, chosen);
  bool differs = false;
  for (const Target& target : targets) {
    const SyncedList synced =
        SyncList(*target.derived, target.existing ? &*target.existing : nullptr,
                 SourceFor(*target.derived, what, *manifest));
    differs = differs || synced.differs;
    const bool write = synced.differs && !options.check;
    if (write && !WriteList(*project, target.path, synced.text, diagnostics)) {
      return Fail(diagnostics);
    }
    if (!options.global.quiet) PrintChanges(target, synced, options.check);
  }
  return options.check && differs ? kExitFindings : kExitClean;
}

VerbCall PrepareLists() {
  auto options = std::make_shared<ListsOptions>();
  return MakeCall(
      options,
      {{"ACTION", "", "What to do; sync writes the lists", &options->action, {"sync"}, true},
       {"--check", "", "Write nothing; exit 1 if a list would change", &options->check},
       {"--list", "LABEL",
        "A list of the framework: its label, such as float16-cuda, or all; repeatable",
        &options->choices},
       {"-o,--output", "FILE|DIR",
        "The folder of the lists, or with one list a .json file; default: opledger",
        &options->output},
       {"--revision", "TEXT", "The revision to record in the lists; default: the commit",
        &options->revision},
       {"--dialect", "NAME|FILE", "The dialect of the framework: a name or a file",
        &options->dialect},
       {"--operators", "FILE", "Read this manifest instead of scanning", &options->operators},
       NoCacheOption(*options)},
      RunLists);
}

}  // namespace

extern const Command kListsCommand = {
    "lists", "Write plain lists from those that a framework keeps in its sources",
    "Examples:\n"
    "  opledger -C pytorch lists sync --output ../project/lists\n"
    "      a file per list; keeps annotations of entries, and shows what changes\n"
    "  opledger -C pytorch lists sync --output ../project/lists --check\n"
    "      in a pipeline: fails if the lists are out of date\n"
    "Exit status: 0 done, 1 with --check: a list differs, 2 could not run, 3 some of the "
    "framework's lists could not be read; nothing is written then.",
    PrepareLists};

}  // namespace opledger
