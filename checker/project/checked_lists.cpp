// Flags take precedence over the project file, which takes precedence over shipped lists.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/checked_lists.h"

#include <algorithm>

#include "checker/project/autocast_use.h"
#include "checker/project/list_choice.h"
#include "registry/dialect/dialect.h"
#include "registry/list_source/derive.h"
#include "registry/platform/platform.h"
#include "registry/project/project_dialects.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// A list that is named twice, such as by file and by label, counts once.
void AddOnce(PrecisionList list, std::vector<PrecisionList>& chosen) {
  const auto same = [&](const PrecisionList& other) { return other.path == list.path; };
  if (std::none_of(chosen.begin(), chosen.end(), same)) chosen.push_back(std::move(list));
}

// Reads list files with the lists that they extend.
std::vector<PrecisionList> ReadListFiles(const std::vector<std::string>& paths, bool of_project,
                                         const Project& project, const Manifest& manifest,
                                         Diagnostics& diagnostics) {
  std::vector<PrecisionList> lists;
  for (const std::string& path : paths) {
    if (of_project && !IsOfProject(path, project, diagnostics)) continue;
    std::optional<PrecisionList> list = ReadListOfProject(path, project, diagnostics);
    if (!list) continue;
    if (list->framework != manifest.dialect) {
      const bool of_another = project.file() && HasDialect(*project.file(), list->framework);
      if (of_another) continue;
      const JsonValue* framework = list->document.root.Find("framework");
      ErrorAt(list->document, framework->span,
              "this list is for '" + list->framework + "', but the operators are of '" +
                  manifest.dialect + "'",
              "", diagnostics);
      continue;
    }
    lists.push_back(std::move(*list));
  }
  return lists;
}

// Returns the lists that the framework keeps, as if list files derived them.
std::vector<PrecisionList> ReadKeptLists(const Dialect& dialect, const Project& project,
                                         const Manifest& manifest, Diagnostics& diagnostics) {
  std::vector<PrecisionList> lists;
  // Files that cannot be examined are reported when they are read.
  const auto is_there = [&](const std::string& path) {
    return project.source().Examine(path).kind != PathKind::kAbsent;
  };
  for (const KeptList* kept : ChooseKeptLists(dialect, is_there, RegisteredIn(manifest))) {
    auto list = ParsePrecisionList(dialect.name + " dialect, " + kept->Label(),
                                   KeptListText(dialect, *kept), diagnostics);
    if (list) lists.push_back(std::move(*list));
  }
  return lists;
}

// A list for a device is checked in the configuration that the dialect gives for lists of that
// device.
void ChooseConfigurations(const Dialect& dialect, const Manifest& manifest,
                          std::vector<PrecisionList>& lists) {
  for (PrecisionList& list : lists) {
    if (list.device.empty() || !list.configuration.empty()) continue;
    for (const KeptList& kept : dialect.lists) {
      if (kept.device == list.device && manifest.configurations.contains(kept.configuration)) {
        list.configuration = kept.configuration;
      }
    }
  }
}

// Returns whether the operator has kernels, but only for other devices.
bool RunsOnlyElsewhere(const Operator& op, const DeviceKernels& kernels,
                       const std::string& device) {
  const auto values = op.fields.find(kernels.field);
  if (values == op.fields.end() || op.fields.contains(kernels.unless_field)) return false;
  const auto names = [](const std::vector<std::string>& keys, const std::string& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  bool elsewhere = false;
  for (const FieldValue& value : values->second) {
    if (names(kernels.no_device, value.key)) continue;
    const auto of = std::find_if(kernels.devices.begin(), kernels.devices.end(),
                                 [&](const auto& each) { return names(each.second, value.key); });
    if (of == kernels.devices.end() || of->first == device) return false;
    elsewhere = true;
  }
  return elsewhere;
}

// Returns the rule of a list, with a placeholder left for the operator's name.
std::string RuleText(const AutocastKernels& autocast, const PrecisionList& list) {
  std::string text = autocast.rule;
  const auto fill = [&](std::string_view what, const std::string& with) {
    const std::size_t at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), with);
  };
  fill("{device}", list.device.empty() ? autocast.default_device : list.device);
  fill("{dtype}", DtypeName(list.target_dtype));
  return text;
}

// Marks the operators that have an autocast rule as undecided. Those whose rule was understood also
// have an entry.
void FindUndecided(const AutocastKernels& autocast, const Manifest& manifest, PrecisionList& list) {
  const auto is_derived = [](const ListOrigin& origin) {
    return origin.format == ListFormat::kRegistrations;
  };
  if (std::none_of(list.derived_from.begin(), list.derived_from.end(), is_derived)) return;
  list.rule_text = RuleText(autocast, list);
  for (const Operator& op : manifest.operators) {
    if (HasAutocastKernel(op, autocast, list.device)) list.undecided.insert(op.name);
  }
}

void FindOperatorsElsewhere(const DeviceKernels& kernels, const Manifest& manifest,
                            PrecisionList& list) {
  if (!kernels.devices.contains(list.device)) return;
  for (const Operator& op : manifest.operators) {
    if (RunsOnlyElsewhere(op, kernels, list.device)) list.without_kernel.insert(op.name);
  }
}

// Adds the entries that the framework keeps elsewhere to the lists.
void DeriveLists(const std::optional<Dialect>& dialect, const Project& project, Manifest& manifest,
                 std::vector<PrecisionList>& lists) {
  if (dialect) ChooseConfigurations(*dialect, manifest, lists);
  for (PrecisionList& list : lists) {
    if (!dialect) continue;
    list.runs_unlisted = ParsePolicy(dialect->unlisted_default);
    FindOperatorsElsewhere(dialect->device_kernels, manifest, list);
    FindUndecided(dialect->autocast_kernels, manifest, list);
  }
  ListDeriver deriver(project.source(), manifest);
  for (PrecisionList& list : lists) deriver.Derive(list);
}

// Returns the lists that are checked without --list.
std::vector<PrecisionList> ReadUsualLists(const std::optional<Dialect>& dialect,
                                          const Project& project, const Manifest& manifest,
                                          Diagnostics& diagnostics) {
  const bool named = project.file() && !project.file()->lists.empty();
  std::vector<PrecisionList> lists;
  if (named) lists = ReadListFiles(project.file()->lists, true, project, manifest, diagnostics);
  // The lists of the project file may all be for its other dialects.
  if (named && (!lists.empty() || !project.NamesDialects())) return lists;
  if (dialect) lists = ReadKeptLists(*dialect, project, manifest, diagnostics);
  if (!lists.empty()) return lists;
  return ReadListFiles(ShippedLists(manifest.dialect, diagnostics), false, project, manifest,
                       diagnostics);
}

// Drops the lists that no label matches. A label of another dialect's list is an error only if
// nothing is left and `needed` is true.
void KeepLabelled(const std::vector<std::string>& labels, const Project& project, bool needed,
                  std::vector<PrecisionList>& lists, Diagnostics& diagnostics) {
  const std::vector<ListName> names = NamesOf(lists);
  std::vector<PrecisionList> kept;
  Diagnostics unknown;
  for (const std::string& label : labels) {
    Diagnostics problems;
    for (const std::size_t place : FindChosen(label, names, problems)) {
      AddOnce(lists[place], kept);
    }
    Diagnostics elsewhere;
    const bool of_another = problems.has_errors() && project.NamesDialects() &&
                            !FindChosen(label, ListsOfProject(project), elsewhere).empty();
    for (const Diagnostic& each : problems.all()) (of_another ? unknown : diagnostics).Add(each);
  }
  if (needed && kept.empty()) {
    for (const Diagnostic& each : unknown.all()) diagnostics.Add(each);
  }
  lists = std::move(kept);
}

}  // namespace

IsRegistered RegisteredIn(const Manifest& manifest) {
  return [&manifest](const std::string& field, const std::string& device) {
    return std::any_of(
        manifest.operators.begin(), manifest.operators.end(), [&](const Operator& op) {
          const auto values = op.fields.find(field);
          return values != op.fields.end() &&
                 std::any_of(values->second.begin(), values->second.end(),
                             [&](const FieldValue& value) { return value.key == device; });
        });
  };
}

std::optional<Dialect> DialectOf(const CheckOptions& options, const Project& project,
                                 const Manifest& manifest) {
  std::string name = manifest.dialect;
  Reach reach = Reach::kAnywhere;
  if (!options.dialect.empty() && !project.NamesDialects()) {
    name = IsDialectFile(options.dialect) ? project.FromRoot(options.dialect) : options.dialect;
  } else if (project.file() && !project.file()->dialect.empty()) {
    name = project.file()->dialect;
    reach = Reach::kBelow;
  }
  Diagnostics ignored;
  return FindDialect(project.source(), name, reach, ignored);
}

std::optional<std::vector<PrecisionList>> ReadCheckedLists(const CheckOptions& options,
                                                           const Project& project,
                                                           Manifest& manifest,
                                                           Diagnostics& diagnostics) {
  const std::optional<Dialect> dialect = DialectOf(options, project, manifest);
  std::vector<std::string> files;
  std::vector<std::string> labels;
  for (const std::string& choice : options.lists) {
    IsListFile(choice) ? files.push_back(project.FromRoot(choice)) : labels.push_back(choice);
  }
  std::vector<PrecisionList> lists = ReadListFiles(files, false, project, manifest, diagnostics);
  if (files.empty() || !labels.empty()) {
    std::vector<PrecisionList> usual = ReadUsualLists(dialect, project, manifest, diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    if (!labels.empty() && !usual.empty()) {
      KeepLabelled(labels, project, lists.empty(), usual, diagnostics);
    }
    if (files.empty()) {
      lists = std::move(usual);
    } else {
      for (PrecisionList& list : usual) AddOnce(std::move(list), lists);
    }
  }
  if (diagnostics.has_errors()) return std::nullopt;
  if (lists.empty()) {
    return diagnostics.Error(
        {}, "there is no precision list for dialect '" + manifest.dialect + "'",
        "name one with --list, or under \"lists\" in opledger.json, which `opledger "
        "init` writes");
  }
  DeriveLists(dialect, project, manifest, lists);
  return lists;
}

std::optional<std::vector<PrecisionList>> ReadFrameworkLists(const CheckOptions& options,
                                                             const Project& project,
                                                             Manifest& manifest,
                                                             Diagnostics& diagnostics) {
  const std::optional<Dialect> dialect = DialectOf(options, project, manifest);
  std::vector<PrecisionList> lists;
  if (project.file()) {
    lists = ReadListFiles(project.file()->lists, true, project, manifest, diagnostics);
    std::erase_if(lists, [](const PrecisionList& list) { return !list.IsDerived(); });
  }
  if (lists.empty() && dialect) lists = ReadKeptLists(*dialect, project, manifest, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  if (lists.empty()) {
    return diagnostics.Error(
        {}, "dialect '" + manifest.dialect + "' describes no list that is kept in these sources",
        "name where it is under \"derived_from\" in a list of the project");
  }
  DeriveLists(dialect, project, manifest, lists);
  return lists;
}

namespace {

// Reads a list without those that it extends, because only the file itself is edited.
std::optional<PrecisionList> ReadForEdit(const std::string& path, const Project& project,
                                         Diagnostics& diagnostics) {
  if (IsShipped(project.source().Absolute(path))) {
    return diagnostics.Error({path, 0, 0, 0, 0}, "lists that opledger ships cannot be edited",
                             "`opledger init` copies the shipped lists into a project");
  }
  return ReadListAlone(project.source(), path, Reach::kAnywhere, diagnostics);
}

std::string Names(const std::vector<PrecisionList>& lists) {
  return Join(lists, ", ",
              [](const PrecisionList& list) { return list.Label() + " (" + list.path + ")"; });
}

}  // namespace

namespace {

bool OfOneFramework(const std::vector<PrecisionList>& lists) {
  return std::all_of(lists.begin(), lists.end(), [&](const PrecisionList& list) {
    return list.framework == lists.front().framework;
  });
}

// Adds the project's lists with this label, its only list, or all lists.
bool AddChosen(const std::string& choice, const std::string& framework, const Project& project,
               std::vector<PrecisionList>& chosen, Diagnostics& diagnostics) {
  if (IsListFile(choice)) {
    auto list = ReadForEdit(project.FromRoot(choice), project, diagnostics);
    if (list) AddOnce(std::move(*list), chosen);
    return list.has_value();
  }
  if (!project.file() || project.file()->lists.empty()) {
    return diagnostics.Error({}, "there is no list to edit: no opledger.json names one",
                             "name a file with --list, or run `opledger init`");
  }
  std::vector<PrecisionList> all;
  for (const std::string& path : project.file()->lists) {
    if (!IsOfProject(path, project, diagnostics)) return false;
    std::optional<PrecisionList> list = ReadForEdit(path, project, diagnostics);
    if (!list) return false;
    if (framework.empty() || list->framework == framework) all.push_back(std::move(*list));
  }
  std::vector<PrecisionList> lists;
  for (const std::size_t place :
       FindChosen(choice.empty() ? kAllLists : choice, NamesOf(all), diagnostics)) {
    lists.push_back(std::move(all[place]));
  }
  if (lists.size() > 1 && choice != kAllLists) {
    return diagnostics.Error({}, "there are several lists to choose from: " + Names(lists),
                             !OfOneFramework(lists) ? "name its file with --list"
                             : choice.empty()       ? "name one with --list, or all with --list all"
                                                    : "name its file with --list");
  }
  for (PrecisionList& list : lists) AddOnce(std::move(list), chosen);
  return !lists.empty();
}

}  // namespace

std::vector<PrecisionList> ChooseLists(const std::vector<std::string>& choices,
                                       const Project& project, Diagnostics& diagnostics,
                                       const std::string& framework) {
  std::vector<PrecisionList> chosen;
  std::vector<std::string> all = choices;
  if (all.empty()) all.emplace_back();
  for (const std::string& choice : all) {
    if (!AddChosen(choice, framework, project, chosen, diagnostics)) return {};
  }
  return chosen;
}

}  // namespace opledger
