// What can follow on a command line of opledger: its words, and the verbs' options -> candidates,
// as the script of a shell reads them. The scripts, completion.bash and completion.zsh, know no
// verb.
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

// The answer to a shell that completes the last of `words`, which stand after "opledger": lines of
//   KIND       "words"; "nospace": none after a word; "commas": likewise, and a comma may follow;
//              "files" or "folders": those too, which the shell finds
//   LEAD       what stands before the part of the last word that is completed: "--color="
//   CANDIDATE  any number; those that begin as the word does, after a tab what help says of them
// The first of `verbs` has no name and holds the options that stand before a verb.
std::string Complete(const std::vector<VerbSyntax>& verbs, const std::vector<std::string>& words);

// The verb that stands in `words`, the last of which is not finished; empty: none.
std::string VerbAmong(const VerbSyntax& before, const std::vector<std::string>& words);

// The script for "bash" or "zsh".
std::string CompletionScript(const std::string& shell);

// Of a manifest beside the project file, else of the lists: these lack unclassified operators, but
// completion needs no scan. A name that would need quotes is left out: the source may be untrusted.
std::set<std::string> OperatorNames(const GlobalOptions& global);

}  // namespace opledger
