// Completes a command line of opledger, given its words and the options of the verbs. The answer is
// read by completion.bash and completion.zsh, which know no verbs themselves.
// May include: checker/filter, checker/project, checker/reports, checker/rules, registry/dialect,
// registry/manifest, registry/platform, registry/precision_list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "checker/project/check_options.h"
#include "registry/platform/command_line.h"

namespace opledger {

// Completes the last of `words`, which follow "opledger" on the command line. The first of `verbs`
// has no name and holds the global options. The answer has the lines
//   KIND       "words"; "nospace": no space after a word; "commas": likewise, or a comma follows;
//              "files" or "folders": the shell offers these, too
//   LEAD       the beginning of the last word that is not completed, such as "--color="
//   CANDIDATE  any number; each begins with the typed text, and may have a tab and help after it
std::string Complete(const std::vector<VerbSyntax>& verbs, const std::vector<std::string>& words);

// Returns the verb in `words`, whose last word is unfinished, or "" if they contain no verb.
std::string VerbAmong(const VerbSyntax& before, const std::vector<std::string>& words);

// Returns the script for "bash" or "zsh".
std::string CompletionScript(const std::string& shell);

// Returns the names in a manifest next to the project file, otherwise those in the lists. Lists
// lack unclassified operators, but need no scan. Leaves out names that would need quotes in a
// shell.
std::set<std::string> OperatorNames(const GlobalOptions& global);

}  // namespace opledger
