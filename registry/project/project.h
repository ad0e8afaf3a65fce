// The project file, opledger.json: dialect, sources, configurations, lists, severities, ignored
// operators, guidelines. The nearest one in the folders upward is used; files are not merged. Also:
// paths that a project may name, the cache folder, the version of the program.
// In: that file (schemas/project.schema.json), the environment. Out: settings.
// May include: registry/condition, registry/json, registry/platform, registry/source,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "registry/condition/configuration.h"
#include "registry/json/json.h"

namespace opledger {

struct IgnoreRule {
  std::string rule;    // name of a rule, or "" for every rule
  std::string op;      // glob over operator names, or "" for all
  std::string path;    // glob over paths, or "" for all
  std::string reason;  // required
  Location location;
};

// The project's settings for a dialect that describes all or some of its sources.
struct ProjectDialect {
  std::string dialect;               // name, or path relative to the root; may be empty
  std::vector<std::string> sources;  // replace the dialect's if not empty
  std::vector<std::string> exclude;
  std::vector<std::string> include_directories;
  Configurations configurations;  // added to the dialect's, or replacing them
  std::string default_configuration;
  std::vector<std::string> docs;  // committed documentation: paths relative to the root
  std::string source_url;         // template for its links; not checked yet
};

// One of "dialects". If the dialect is a path, the name is the one in the file.
struct NamedDialect : ProjectDialect {
  std::string name;
};

// If "dialects" is used, the settings at the top level apply to each of them, and `dialect` is
// empty until one is chosen.
struct ProjectFile : ProjectDialect {
  std::string path;                    // as displayed
  std::string directory;               // absolute; the root
  std::vector<NamedDialect> dialects;  // in file order; empty: there is at most one dialect
  std::vector<std::string> lists;      // paths relative to the root
  std::string baseline;                // path relative to the root; may be empty
  std::string evidence;                // path relative to the root; may be empty
  // Rule -> "error", "warning", "note" or "off". The checker validates the names of rules.
  std::map<std::string, std::string> severities;
  std::map<std::string, Location> severity_locations;
  std::vector<IgnoreRule> ignore;
  std::vector<std::string> guidelines;  // lines; replace the built-in block if not empty
};

// Returns the nearest opledger.json, or an empty path if there is none. Searches from `folder` up
// to the top of its repository. Outside a repository, the search ends at the source's root, or
// covers only `folder` if that is not below the root, because folders above may belong to someone
// else.
std::string FindProjectFile(const Source& source, const std::string& folder);

// Returns `folder` and its parents up to the top of its repository (which has a .git folder or
// file). Outside a repository, ends at the source's root, or returns only `folder` if that is not
// below the root.
std::vector<std::string> FoldersUpwards(const Source& source, const std::string& folder);
// Returns whether the folder is the top of a repository.
bool IsRepository(const Source& source, const std::string& folder);

// The default of --config; may be empty.
inline constexpr const char* kProjectFileVariable = "OPLEDGER_CONFIG";
std::string ProjectFileOfEnvironment();

// Read a project file, or only its JSON. Links that lead out of its folder are not followed. Return
// nullopt, with errors, if the file cannot be read or is not valid.
std::optional<ProjectFile> ReadProjectFile(const Source& source, const std::string& path,
                                           Diagnostics& diagnostics);
std::optional<JsonDocument> ReadProjectJson(const Source& source, const std::string& path,
                                            Diagnostics& diagnostics);

}  // namespace opledger
