// Options that several verbs take, of where operators and lists come from and of what counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/commands/commands.h"
#include "checker/project/project.h"
#include "checker/terminal/source_link.h"

namespace opledger {

// Which operators and lists: --dialect, --operators, --list.
std::vector<VerbOption> SourceOptions(CheckOptions& options);
// What findings count for: --configuration, --baseline, --select and the like.
std::vector<VerbOption> RuleOptions(CheckOptions& options);
// What is checked, and how the sources are read: paths, the two above, and flags of the scan.
std::vector<VerbOption> SelectionOptions(CheckOptions& options);
VerbOption ListOption(std::vector<std::string>& lists);
VerbOption ConfigurationOption(CheckOptions& options);
VerbOption NoCacheOption(CheckOptions& options);
// --source-url; what it says, else the project file: no link where neither does. None, with an
// error, where that is no template.
VerbOption SourceUrlOption(std::string& url);
std::optional<SourceLink> ChooseSourceLink(const std::string& flag, const Project& project,
                                           Diagnostics& diagnostics);

// Headings of help, for verbs of many options.
inline constexpr const char* kSourceGroup = "Sources and lists";
inline constexpr const char* kScanGroup = "Reading the sources";
inline constexpr const char* kRuleGroup = "What counts";
std::vector<VerbOption> InGroup(const char* group, std::vector<VerbOption> options);

// `options` with `more` after them.
std::vector<VerbOption> Joined(std::vector<VerbOption> options, std::vector<VerbOption> more);

}  // namespace opledger
