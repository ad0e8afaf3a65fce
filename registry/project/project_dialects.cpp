// Selects one dialect of a project.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/project_dialects.h"

#include <algorithm>

#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

void Append(const std::vector<std::string>& more, std::vector<std::string>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

// Combines the settings of an entry with those for all dialects. The entry takes precedence.
ProjectFile SeenBy(const NamedDialect& own, ProjectFile file) {
  file.dialect = own.dialect;
  file.sources = own.sources;
  Append(own.exclude, file.exclude);
  Append(own.include_directories, file.include_directories);
  for (const auto& [name, configuration] : own.configurations) {
    file.configurations[name] = configuration;
  }
  if (!own.default_configuration.empty()) file.default_configuration = own.default_configuration;
  file.docs = own.docs;
  if (!own.source_url.empty()) file.source_url = own.source_url;
  return file;
}

}  // namespace

std::optional<ProjectFile> ChooseDialect(const ProjectFile& file, const std::string& choice,
                                         Diagnostics& diagnostics) {
  const std::vector<NamedDialect>& all = file.dialects;
  if (all.empty()) return file;
  if (choice.empty() && all.size() == 1) return SeenBy(all.front(), file);
  std::vector<std::string> names;
  for (const NamedDialect& each : all) names.push_back(each.name);
  if (choice.empty()) {
    return diagnostics.Error({file.path, 0, 0, 0, 0},
                             "the project has several dialects: " + Join(names, ", "),
                             "choose one with --dialect NAME");
  }
  const auto found = std::find_if(all.begin(), all.end(), [&](const NamedDialect& each) {
    return each.name == choice || each.dialect == choice;
  });
  if (found != all.end()) return SeenBy(*found, file);
  return diagnostics.Error({file.path, 0, 0, 0, 0}, "the project has no dialect '" + choice + "'",
                           ChoiceHint(choice, names));
}

bool HasDialect(const ProjectFile& file, std::string_view name) {
  return std::any_of(file.dialects.begin(), file.dialects.end(),
                     [&](const NamedDialect& each) { return each.name == name; });
}

std::vector<std::string> DialectFiles(const ProjectFile& file) {
  std::vector<std::string> paths;
  const auto add = [&paths](const std::string& dialect) {
    if (IsDialectFile(dialect)) paths.push_back(dialect);
  };
  if (file.dialects.empty()) add(file.dialect);
  for (const NamedDialect& each : file.dialects) add(each.dialect);
  return paths;
}

bool IsDialectFile(std::string_view name_or_file) {
  return name_or_file.find('/') != std::string_view::npos || name_or_file.ends_with(".json");
}

}  // namespace opledger
