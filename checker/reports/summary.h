// Counts: of operators and their policies in each list, of findings, and of what a baseline holds.
//   "mxnet: 997 operators (308 exempt); float16 (gpu): 688 decided, 1 open; 1 error"
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

// How one list stands.
struct ListSummary {
  std::string label;
  std::string path;
  std::string_view text;  // the list's bytes
  std::string configuration;
  int classified = 0;  // operators that need a class and have one
  int unclassified = 0;
  int undecided = 0;                 // with an autocast rule whose casts are not known
  int unlisted = 0;                  // without a policy, in a list that does not require one
  const char* unlisted_policy = "";  // under which the framework runs them
  int absent = 0;                    // operators that need a class, in other configurations only
  std::vector<std::string_view> operators;  // the classified ones, sorted by name
};

struct Summary {
  std::string dialect;
  int operators = 0;
  int exempt = 0;
  int ignored = 0;      // findings that an ignore rule or a suppression took out
  int baseline = 0;     // findings that stand in the baseline
  int off = 0;          // findings of rules that are off, or not selected
  int excluded = 0;     // globs of the project that leave sources out
  std::string against;  // the revision that is compared with; empty: none
  int of_revision = 0;  // findings that it has, too, and the baseline has not
  int resolved = 0;     // what stands in the baseline and is found no longer
  int incomplete = 0;   // places the scan could not read, without the ignored ones
  std::vector<ListSummary> lists;
  std::map<std::string, int> by_rule;
  bool has_evidence = false;                                  // whether something was measured
  std::map<EvidenceFate, std::vector<std::string>> evidence;  // what became of which operators

  int errors = 0;
  int warnings = 0;
  int notes = 0;
  // The same as people see them: an operator that several lists miss is one.
  int shown_errors = 0;
  int shown_warnings = 0;
  int shown_notes = 0;
};

// What to count, of a manifest and its lists, before rules are silenced.
Summary Summarise(const CheckIndex& index);
// Counts the findings that remain, and those that are silenced: what is known and does not stand in
// the baseline is the revision's.
void CountFindings(const std::vector<Finding>& findings, const std::vector<Finding>& silenced,
                   const Baseline& baseline, const Manifest& manifest, Summary& summary);

// "mxnet: 997 operators (308 exempt); float16 (gpu): 688 decided, 1 open; evidence: 12
// operators measured, 9 used, 3 without a row in the atlas; 1 error"
std::string SummaryLine(const Summary& summary);

// `opledger baseline show`: how many findings of which rules a baseline holds, and which are gone.
// `found` is what the rules find now, of a whole scan or of one that is incomplete.
std::string BaselineSummary(const Baseline& baseline, const std::string& path,
                            const std::vector<Finding>& found, bool whole_scan);

}  // namespace opledger
