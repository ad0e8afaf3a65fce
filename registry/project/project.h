// The project file, opledger.json: dialect, sources, configurations, lists, severities, ignored
// operators, guidelines. The nearest one upwards counts; nothing is merged. Beside it: which paths
// a project may name, the folder of its cache, the version of the program.
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
  std::string rule;    // kebab name, or "" for every rule
  std::string op;      // glob over operator names, or "" for all
  std::string path;    // glob over paths, or "" for all
  std::string reason;  // required
  Location location;
};

// What a project says of a dialect that describes its sources, or some of them.
struct ProjectDialect {
  std::string dialect;               // name, or path relative to the root; may be empty
  std::vector<std::string> sources;  // replace the dialect's where not empty
  std::vector<std::string> exclude;
  std::vector<std::string> include_directories;
  Configurations configurations;  // add to, or replace, the dialect's
  std::string default_configuration;
  std::vector<std::string> docs;  // documentation that is committed: paths relative to the root
  std::string source_url;         // of its links; a template that is not checked yet
};

// One of "dialects". Of a path, the name is the one that stands in the file.
struct NamedDialect : ProjectDialect {
  std::string name;
};

// With "dialects", what stands at the top holds for each of them, and `dialect` is empty until
// one is chosen.
struct ProjectFile : ProjectDialect {
  std::string path;                    // as shown
  std::string directory;               // absolute: the root
  std::vector<NamedDialect> dialects;  // in their order; empty: there is one dialect at most
  std::vector<std::string> lists;      // paths relative to the root
  std::string baseline;                // path relative to the root; empty: none named
  std::string evidence;                // path relative to the root; empty: none named
  // rule -> "error", "warning", "note" or "off"; the rule names are checked by the checker
  std::map<std::string, std::string> severities;
  std::map<std::string, Location> severity_locations;
  std::vector<IgnoreRule> ignore;
  std::vector<std::string> guidelines;  // lines, replacing the built-in block where not empty
};

// The nearest opledger.json, or an empty path if there is none. The search goes from `folder` up to
// the top of its repository. Outside of a repository it ends at the source's root, or covers only
// `folder` if that lies elsewhere: what is above belongs to somebody else.
std::string FindProjectFile(const Source& source, const std::string& folder);

// `folder` and those above it up to the top of its repository (a folder with .git, be that a folder
// or a file); without one, up to the source's root, or `folder` alone where it does not lie below.
std::vector<std::string> FoldersUpwards(const Source& source, const std::string& folder);
// Whether the folder is the top of a repository.
bool IsRepository(const Source& source, const std::string& folder);

// What stands for --config where that is not given; empty: nothing does.
inline constexpr const char* kProjectFileVariable = "OPLEDGER_CONFIG";
std::string ProjectFileOfEnvironment();

// A project file is not read through a link that leads out of its folder.
std::optional<ProjectFile> ReadProjectFile(const Source& source, const std::string& path,
                                           Diagnostics& diagnostics);
std::optional<JsonDocument> ReadProjectJson(const Source& source, const std::string& path,
                                            Diagnostics& diagnostics);

}  // namespace opledger
