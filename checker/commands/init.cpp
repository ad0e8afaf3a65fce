// opledger init: writes a project file and lists to start from. The lists are derived from those
// that the framework keeps, otherwise copied from the shipped ones, otherwise empty ones for
// float16 and bfloat16. Reports what a check would find, and what makes the next run clean. Can
// also add a hook for pre-commit.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>

#include "checker/commands/commands.h"
#include "checker/config/starter_files.h"
#include "checker/filter/filter.h"
#include "checker/project/autocast_use.h"
#include "checker/project/checked_lists.h"
#include "checker/project/checked_project.h"
#include "checker/project/discovery.h"
#include "checker/project/scan_source.h"
#include "checker/project/tracked_files.h"
#include "checker/terminal/terminal.h"
#include "registry/dialect/dialect.h"
#include "registry/files/files.h"
#include "registry/files/replacement.h"
#include "registry/platform/platform.h"
#include "registry/project/contained_path.h"
#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

struct InitOptions {
  GlobalOptions global;
  std::string dialect;
  bool pre_commit = false;  // also add the hook
};

namespace fs = std::filesystem;

constexpr char kProjectFile[] = "opledger.json";
constexpr char kListFolder[] = "opledger";
constexpr char kDialectFile[] = "opledger/dialect.json";
constexpr std::size_t kMostSeen = 8;  // registries printed
constexpr char kUnclassifiedRule[] = "unclassified-operator";
constexpr char kPreCommitFile[] = ".pre-commit-config.yaml";

// Like .pre-commit-hooks.yaml, but for a local hook.
constexpr char kPreCommitHook[] =
    "  - repo: local\n"
    "    hooks:\n"
    "      - id: opledger\n"
    "        name: opledger\n"
    "        entry: opledger check --staged --against HEAD\n"
    "        language: system\n"
    "        always_run: true  # a file that was removed counts too\n"
    "        pass_filenames: false\n"
    "        require_serial: true\n";
constexpr std::size_t kLargestList = 16 << 20;
constexpr const char* kRequired = "required";

struct NewFile {
  std::string path;
  std::string text;
};

// Returns the shipped dialects that match registrations in the sources, or nullopt with an error if
// the scanner cannot run.
std::optional<std::vector<std::string>> DetectDialects(Diagnostics& diagnostics) {
  std::string output;
  if (!RunSibling("opledger-scan", {"--detect-dialect"}, output, diagnostics)) return std::nullopt;
  std::vector<std::string> names;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

// Scans with the dialect. Returns an empty manifest if the scanner cannot run.
Manifest ManifestFor(const InitOptions& options, const std::string& dialect) {
  CheckOptions check;
  check.global = options.global;
  check.global.project_file = "none";
  check.dialect = dialect;
  check.allow_empty = true;
  check.silent = true;
  Diagnostics ignored;
  std::optional<Project> project = Project::Open(check.global, ".", ignored);
  std::optional<Manifest> manifest;
  if (project && access(SiblingProgram("opledger-scan").c_str(), X_OK) == 0) {
    // The same fields as the check that follows, so that it finds the result in the cache.
    std::set<std::string> fields = FieldsOfCheck({});
    fields.insert({"policy", "kernels"});
    manifest = GetManifest(check, fields, *project, ignored);
  }
  return manifest.value_or(Manifest());
}

// Returns lists derived from those that the framework keeps. Reports an error if a file cannot be
// examined.
std::vector<NewFile> MakeDerivedLists(const InitOptions& options, const Dialect& dialect,
                                      const Manifest& manifest, Diagnostics& diagnostics) {
  std::vector<NewFile> files;
  const auto is_there = [&](const std::string& path) {
    return options.global.here.Exists(path, diagnostics).value_or(false);
  };
  for (const KeptList* list : ChooseKeptLists(dialect, is_there, RegisteredIn(manifest))) {
    files.push_back(
        {std::string(kListFolder) + '/' + list->Label() + ".json", KeptListText(dialect, *list)});
  }
  return files;
}

std::optional<std::vector<NewFile>> MakeLists(const InitOptions& options, const Dialect& dialect,
                                              const Manifest& manifest, Diagnostics& diagnostics) {
  std::vector<NewFile> files = MakeDerivedLists(options, dialect, manifest, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  if (!files.empty()) return files;
  const std::vector<std::string> shipped =
      ShippedLists(dialect.extends.empty() ? dialect.name : dialect.extends, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  for (const std::string& path : shipped) {
    std::optional<std::string> text = ReadFile(path, kLargestList, diagnostics);
    if (!text) return std::nullopt;
    const std::string name = fs::path(path).filename().string();
    if (dialect.unlisted_default != kRequired) {
      *text = WithUnlisted(std::move(*text), dialect.unlisted_default);
    }
    files.push_back({std::string(kListFolder) + '/' + name, std::move(*text)});
  }
  if (!files.empty()) return files;
  for (const char* dtype : {"bfloat16", "float16"}) {
    files.push_back({std::string(kListFolder) + '/' + dtype + ".json",
                     StarterList(dialect.name, dtype, dialect.unlisted_default)});
  }
  return files;
}

// Also true if the path cannot be examined.
bool MayBeThere(const Source& here, const std::string& path) {
  return here.ExamineLink(path).kind != PathKind::kAbsent;
}

// A project file must not name files outside the project.
bool CheckDialect(const Source& here, const std::string& name, Diagnostics& diagnostics) {
  const Diagnostic outside = {.location = {name, 0, 0, 0, 0},
                              .message = "this dialect is outside the project",
                              .hint = "copy it into this folder"};
  if (StaysBelow(name)) return here.MustHold(name, outside, diagnostics);
  diagnostics.Add(outside);
  return false;
}

// A symbolic link would put the lists somewhere else.
bool CheckFolder(const Source& here, Diagnostics& diagnostics) {
  const PathKind kind = here.ExamineLink(kListFolder).kind;
  if (kind == PathKind::kAbsent || kind == PathKind::kFolder) return true;
  return diagnostics.Error({std::string(kListFolder) + '/', 0, 0, 0, 0},
                           "this is not a folder, but the lists are written there", "remove it");
}

bool CheckAbsent(const Source& here, const std::vector<NewFile>& files, Diagnostics& diagnostics) {
  bool absent = true;
  for (const NewFile& file : files) {
    if (!MayBeThere(here, file.path)) continue;
    diagnostics.Error({file.path, 0, 0, 0, 0}, "this file exists; init never overwrites files",
                      "remove it, or edit it by hand");
    absent = false;
  }
  return absent;
}

// Fails if the file has been created since CheckAbsent().
bool WriteNew(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  Replacement replacement;
  replacement.produce = [&](OutputSink& sink) { return sink.Write(text); };
  replacement.is_new = true;
  return WriteFile(path, replacement, diagnostics);
}

// --pre-commit. If the file exists, or the repository's root is another folder, prints the lines
// instead of writing them.
bool AddHook(const Source& here, bool quiet, Diagnostics& diagnostics) {
  const bool is_root = IsRepository(here, "");
  if (!is_root || MayBeThere(here, kPreCommitFile)) {
    std::printf("add to \"repos\" of %s%s:\n%s", kPreCommitFile,
                is_root ? "" : " in the repository's root, with -C FOLDER after `opledger`",
                kPreCommitHook);
    return true;
  }
  if (!WriteNew(kPreCommitFile, std::string("repos:\n") + kPreCommitHook, diagnostics)) {
    return false;
  }
  if (!quiet) std::printf("wrote %s\n", kPreCommitFile);
  return true;
}

// Counts the findings of a check if operators without an entry run as `unlisted`. Leaves out places
// that the scan could not read, as lists cannot change these.
std::size_t CountWith(std::optional<Policy> unlisted, CheckedProject& checked) {
  for (PrecisionList& list : checked.lists) list.unlisted = unlisted;
  checked.MakeIndex();
  const FilteredFindings filtered = FindingsOf(checked);
  return static_cast<std::size_t>(
      std::count_if(filtered.counted.begin(), filtered.counted.end(), [](const Finding& each) {
        return each.severity != Severity::kNote && each.rule != "incomplete-scan";
      }));
}

std::string UnreadLine(const Manifest& manifest) {
  if (manifest.IsWhole()) return {};
  return "not read:               " + Counted(manifest.incomplete.size(), "place") +
         " that may register more; `opledger check` says what each needs, and `--against` counts "
         "those of files that changed\n";
}

// Returns one line for each way to adopt the check, with its findings today, then the command that
// makes the next check clean.
std::string Proposal(const Dialect& dialect, CheckedProject& checked) {
  const std::optional<Policy> policy = ParsePolicy(dialect.unlisted_default);
  const std::size_t all = CountWith(std::nullopt, checked);
  std::size_t without = 0;
  for (const ListIndex& list : checked.index->lists()) without += list.unclassified.size();
  const std::size_t fresh = CountWith(policy.value_or(Policy::kFp32), checked);
  const std::size_t left = policy ? fresh : all;
  const auto line = [](const char* way, bool proposed, std::size_t findings,
                       const std::string& what) {
    std::string head = std::string(way) + (proposed ? " (proposed)" : "") + ':';
    head.resize(24, ' ');
    return head + Counted(findings, "finding") + " today; " + what + '\n';
  };
  const std::string as = policy ? std::string("\"") + PolicyName(*policy) + '"' : "POLICY";
  return line("require all", all == 0, all,
              "every operator needs a policy in each list; " + std::to_string(without) +
                  (without == 1 ? " is missing" : " are missing")) +
         line("require new", all > 0 && policy.has_value(), fresh,
              "\"unlisted\": " + as + " in the lists requires one only for new operators") +
         line("baseline", all > 0 && !policy, 0,
              "`opledger baseline write` records today's, and only new ones count") +
         UnreadLine(*checked.manifest) +
         (left > 0 ? "next: opledger baseline write\n" : "next: opledger check\n");
}

// Returns nullopt for dialects without autocast.
std::optional<AutocastUse> UseOf(const Dialect& dialect, const Source& here,
                                 const Manifest& manifest) {
  if (dialect.autocast_kernels.context.empty() || manifest.operators.empty()) return std::nullopt;
  return FindAutocastUse(here, dialect.autocast_kernels, manifest);
}

std::string AutocastLine(const AutocastUse& use) {
  std::string line = "autocast:               ";
  const std::string first = ShownPlace(use.first.value_or(Location()));
  if (use.IsAvoided()) {
    return line + "only disabled, first in " + first + ", so " + kUnclassifiedRule +
           " is \"off\" in " + kProjectFile + '\n';
  }
  if (use.calls > 0) {
    line += "enabled at " + Counted(use.calls, "place") + ", the first in " + first + "; ";
  }
  if (use.operators == 0) return line + "no operator has a rule for it\n";
  return line + Counted(use.operators, "operator") + (use.operators > 1 ? " have" : " has") +
         " a rule for it\n";
}

// If nothing can be measured, such as without a scanner, proposes only the check, which shows why.
std::string MeasuredProposal(const InitOptions& options, const Dialect& dialect, bool judged) {
  CheckOptions check;
  check.global = options.global;
  check.allow_empty = true;
  CheckedProject checked;
  Diagnostics ignored;
  const bool opened = access(SiblingProgram("opledger-scan").c_str(), X_OK) == 0 &&
                      OpenCheckedProject(check, checked, ignored);
  const bool any = opened && !checked.manifest->operators.empty();
  if (any && judged) return Proposal(dialect, checked);
  return (any ? UnreadLine(*checked.manifest) : std::string()) + "next: opledger check\n";
}

// Prints the paths that git ignores, and the lines for .gitignore that change this.
void ShowIgnored(const Source& here, const std::vector<std::string>& paths) {
  const IgnoredFiles ignored = FindIgnored(here, paths);
  if (ignored.paths.empty()) return;
  std::string text = IgnoredText(ignored) + "; add to .gitignore:\n";
  for (const std::string& line : ignored.lines) text += "  " + line + '\n';
  Print(text);
}

bool MakeFolder(const Source& here, Diagnostics& diagnostics) {
  if (!CheckFolder(here, diagnostics)) return false;
  std::error_code error;
  fs::create_directory(kListFolder, error);
  return !error || diagnostics.Error({kListFolder, 0, 0, 0, 0},
                                     "cannot create this folder: " + error.message());
}

// The dialect of the project, and what else was found in the tree.
struct DialectChoice {
  std::string name;                    // or path
  std::optional<Discovery> discovery;  // nullopt if the user named the dialect
  bool written = false;                // generated from the discovery
};

// Writes a dialect from what looks like registrations, because no shipped dialect fits.
bool WriteDialect(const InitOptions& options, DialectChoice& choice, Diagnostics& diagnostics) {
  const Source& here = options.global.here;
  std::vector<SeenRegistry> seen = choice.discovery->seen;
  if (choice.discovery->dialect.empty()) {
    const std::string lines = SeenLines(seen, kMostSeen);
    if (!lines.empty() && !options.global.quiet) Print("looks most like registrations:\n" + lines);
    return diagnostics.Error(
        {}, "the sources match no dialect, and nothing in them is clearly a registration",
        "name a dialect with --dialect: " + ChoiceHint("", ShippedDialects(diagnostics)) +
            "; or describe the framework in a file (registry/dialects/README.md)");
  }
  if (!MakeFolder(here, diagnostics) || !CheckAbsent(here, {{kDialectFile, ""}}, diagnostics) ||
      !WriteNew(kDialectFile, choice.discovery->dialect, diagnostics)) {
    return false;
  }
  choice.name = kDialectFile;
  choice.written = true;
  if (options.global.quiet) return true;
  std::vector<SeenRegistry> others = seen;
  std::erase_if(seen, [](const SeenRegistry& each) { return !each.chosen; });
  std::erase_if(others, [](const SeenRegistry& each) { return each.chosen || !each.likely; });
  Print("no shipped dialect matches; " + std::string(kDialectFile) +
        " reads what looks most like registrations:\n" + SeenLines(seen, seen.size()));
  if (!others.empty()) Print("it does not read:\n" + SeenLines(others, kMostSeen));
  std::printf("wrote %s\n", kDialectFile);
  std::fflush(stdout);
  return true;
}

// Returns the dialect that finds the most operators, and prints the others.
std::string MostOperators(const InitOptions& options, const std::vector<std::string>& dialects) {
  if (dialects.size() == 1) return dialects.front();
  std::string most;
  std::size_t count = 0;
  std::string text = "the sources match several dialects:";
  for (const std::string& dialect : dialects) {
    const std::size_t operators = ManifestFor(options, dialect).operators.size();
    text += (most.empty() ? " " : ", ") + dialect + " (" + Counted(operators, "operator") + ")";
    if (most.empty() || operators > count) most = dialect;
    count = std::max(count, operators);
  }
  if (!options.global.quiet) {
    Print(text + "\nthis project checks those of " + most + "; \"dialects\": [{\"dialect\": \"" +
          most + "\"}, ...] in opledger.json checks others, too\n");
  }
  return most;
}

std::optional<DialectChoice> ChooseDialect(const InitOptions& options, Diagnostics& diagnostics) {
  if (!options.dialect.empty()) return DialectChoice{options.dialect, {}, false};
  const std::optional<std::vector<std::string>> fitting = DetectDialects(diagnostics);
  if (!fitting) return std::nullopt;
  DialectChoice choice;
  choice.discovery = Discover(diagnostics);
  if (!choice.discovery) return std::nullopt;
  if (!fitting->empty()) {
    choice.name = MostOperators(options, *fitting);
  } else if (!WriteDialect(options, choice, diagnostics)) {
    return std::nullopt;
  }
  return choice;
}

// Describes what looks like a registration but is not read by the dialect, and what to do about it.
std::string DiscoveryText(const DialectChoice& choice, const Dialect& dialect,
                          const Manifest& manifest) {
  if (!choice.discovery) return {};
  std::set<std::string> seen;
  for (const SeenRegistry& each : choice.discovery->seen) {
    if (!each.chosen) continue;
    for (const auto& [name, place] : each.names) seen.insert(name);
  }
  std::string text = "the dialect reads:      " + Counted(manifest.operators.size(), "operator");
  text += choice.written ? " of " + Counted(seen.size(), "name") + " seen\n"
                         : " (" + dialect.name + ")\n";
  if (choice.written) {
    return text +
           "make it exact:          `opledger scan --explain FILE` shows how a file was read; "
           "`opledger scan --verify NAMES.json` compares with known names, `python -m "
           "opledger.registry` with the running framework\n";
  }
  const std::vector<SeenRegistry> unexplained = Unexplained(*choice.discovery, dialect, manifest);
  if (unexplained.empty()) return text;
  return text + "it does not read what looks like registrations:\n" +
         SeenLines(unexplained, kMostSeen) +
         "if some of it registers operators, add it in a dialect with \"extends\": \"" +
         dialect.name + "\" (registry/dialects/README.md)\n";
}

int RunInit(const InitOptions& options) {
  Diagnostics diagnostics;
  const Source& here = options.global.here;
  if (options.pre_commit && MayBeThere(here, kProjectFile)) {
    return AddHook(here, options.global.quiet, diagnostics) ? kExitClean : Fail(diagnostics);
  }
  // Check the most likely obstacle before anything slow.
  if (!CheckAbsent(here, {{kProjectFile, ""}}, diagnostics)) return Fail(diagnostics);
  const std::optional<DialectChoice> choice = ChooseDialect(options, diagnostics);
  if (!choice) return Fail(diagnostics);
  const std::string& name = choice->name;
  const std::optional<Dialect> dialect = FindDialect(here, name, Reach::kAnywhere, diagnostics);
  if (!dialect || !CheckDialect(here, name, diagnostics)) return Fail(diagnostics);
  const bool measured = !dialect->lists.empty() || choice->discovery.has_value();
  const Manifest manifest = measured ? ManifestFor(options, name) : Manifest();
  const auto lists = MakeLists(options, *dialect, manifest, diagnostics);
  if (!lists || !CheckAbsent(here, *lists, diagnostics) || !MakeFolder(here, diagnostics)) {
    return Fail(diagnostics);
  }
  std::vector<NewFile> files = *lists;
  std::vector<std::string> paths;
  for (const NewFile& list : *lists) paths.push_back(list.path);
  const std::optional<AutocastUse> use = UseOf(*dialect, here, manifest);
  std::vector<std::string> off;
  if (use && use->IsAvoided()) off.emplace_back(kUnclassifiedRule);
  files.push_back({kProjectFile, StarterProjectFile(name, *dialect, off, paths)});
  for (const NewFile& file : files) {
    if (!WriteNew(file.path, file.text, diagnostics)) return Fail(diagnostics);
    if (options.global.quiet) continue;
    std::printf("wrote %s\n", ShownPath(file.path).c_str());
  }
  if (options.pre_commit && !AddHook(here, options.global.quiet, diagnostics))
    return Fail(diagnostics);
  if (options.global.quiet) return kExitClean;
  paths.emplace_back(kProjectFile);
  if (choice->written) paths.emplace_back(kDialectFile);
  if (options.pre_commit) paths.emplace_back(kPreCommitFile);
  paths.emplace_back(kBaselineFile);
  std::fflush(stdout);
  ShowIgnored(here, paths);
  if (use) Print(AutocastLine(*use));
  Print(DiscoveryText(*choice, *dialect, manifest));
  Print(MeasuredProposal(options, *dialect, off.empty()));
  return kExitClean;
}

VerbCall PrepareInit() {
  auto options = std::make_shared<InitOptions>();
  return MakeCall(
      options,
      {{"--dialect", "NAME|FILE", "The dialect: a name or a file; default: detected or generated",
        &options->dialect},
       {"--pre-commit", "", "Also add a hook to .pre-commit-config.yaml", &options->pre_commit}},
      RunInit);
}

}  // namespace

extern const Command kInitCommand = {"init",
                                     "Write opledger.json and precision lists to start from",
                                     "Examples:\n"
                                     "  opledger init\n"
                                     "      detects the dialect\n"
                                     "  opledger -C incubator-mxnet init --dialect mxnet\n"
                                     "Never overwrites a file.",
                                     PrepareInit};

}  // namespace opledger
