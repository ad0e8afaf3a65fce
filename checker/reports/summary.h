// Counts of operators and policies in each list, of findings, and of the baseline.
//   "mxnet: 997 operators (308 exempt); float16 (gpu): 688 decided, 1 unclassified; 1 error"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/filter/baseline.h"
#include "checker/index/evidence_use.h"
#include "checker/index/index.h"

namespace opledger {

// The counts of a list.
struct ListSummary {
  std::string label;
  std::string path;
  std::string_view text;  // contents of the list's file
  std::string configuration;
  int classified = 0;  // operators that need a policy and have an entry
  int unclassified = 0;
  int undecided = 0;                 // with an autocast rule whose casts are not known
  int unlisted = 0;                  // without an entry, but with the default policy of the list
  const char* unlisted_policy = "";  // the default policy
  int absent = 0;                    // operators that exist in other configurations only
  std::vector<std::string_view> operators;  // the classified ones, by name
};

struct Summary {
  std::string dialect;
  int operators = 0;
  int exempt = 0;
  int ignored = 0;      // findings silenced by an ignore rule or a suppression
  int baseline = 0;     // findings in the baseline
  int off = 0;          // findings whose rule is off or not selected
  int excluded = 0;     // the project's globs that exclude sources
  std::string against;  // revision compared with; may be empty
  int of_revision = 0;  // findings of the revision that are not in the baseline
  int resolved = 0;     // entries of the baseline that are no longer found
  int incomplete = 0;   // places that the scan could not read, without ignored ones
  std::vector<ListSummary> lists;
  std::map<std::string, int> by_rule;
  bool has_evidence = false;                                  // measurements were given
  std::map<EvidenceFate, std::vector<std::string>> evidence;  // measured operators by fate

  int errors = 0;
  int warnings = 0;
  int notes = 0;
  // Likewise, but an operator without an entry in several lists counts once.
  int shown_errors = 0;
  int shown_warnings = 0;
  int shown_notes = 0;
};

// Counts manifest and lists. CountFindings() adds the findings.
Summary Summarise(const CheckIndex& index);
// Counts findings and silenced findings. Those silenced as known that are not in `baseline` are
// counted as the revision's.
void CountFindings(const std::vector<Finding>& findings, const std::vector<Finding>& silenced,
                   const Baseline& baseline, const Manifest& manifest, Summary& summary);

// Returns "mxnet: 997 operators (308 exempt); float16 (gpu): 688 decided, 1 unclassified; evidence:
// 12 operators measured, 9 used, 3 without a row in the atlas; 1 error".
std::string SummaryLine(const Summary& summary);

// `opledger baseline show`: returns the number of findings by rule, and the ones that are gone.
// `found` are the current findings; `whole_scan` says whether the scan was complete.
std::string BaselineSummary(const Baseline& baseline, const std::string& path,
                            const std::vector<Finding>& found, bool whole_scan);

}  // namespace opledger
