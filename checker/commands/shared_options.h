// Options that several verbs share: where operators and lists come from, and which findings count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/commands/commands.h"
#include "checker/project/project.h"
#include "checker/terminal/source_link.h"

namespace opledger {

// Returns the options for operators and lists: --dialect, --operators, --list.
std::vector<VerbOption> SourceOptions(CheckOptions& options);
// Returns the options that say which findings count: --configuration, --baseline, --select and so
// on.
std::vector<VerbOption> RuleOptions(CheckOptions& options);
// Returns PATH, the two groups above, and the options of the scan.
std::vector<VerbOption> SelectionOptions(CheckOptions& options);
VerbOption ListOption(std::vector<std::string>& lists);
VerbOption ConfigurationOption(CheckOptions& options);
VerbOption NoCacheOption(CheckOptions& options);
// --source-url. ChooseSourceLink() prefers `flag` to the project file and returns an empty link if
// neither is set. Returns nullopt, with an error, if the template is not valid.
VerbOption SourceUrlOption(std::string& url);
std::optional<SourceLink> ChooseSourceLink(const std::string& flag, const Project& project,
                                           Diagnostics& diagnostics);

// Headings of the help of verbs with many options.
inline constexpr const char* kSourceGroup = "Sources and lists";
inline constexpr const char* kScanGroup = "Reading the sources";
inline constexpr const char* kRuleGroup = "What counts";
std::vector<VerbOption> InGroup(const char* group, std::vector<VerbOption> options);

// Returns `options` followed by `more`.
std::vector<VerbOption> Joined(std::vector<VerbOption> options, std::vector<VerbOption> more);

}  // namespace opledger
