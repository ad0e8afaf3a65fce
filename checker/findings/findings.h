// Findings, which rules report about an operator in a list. Also what rules use besides manifest
// and lists: suppressions in the source and measured evidence.
// May include: checker/terminal, registry/files, registry/json, registry/manifest,
// registry/platform, registry/precision_list, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/json/json.h"
#include "registry/precision_list/policy.h"
#include "registry/text/diagnostics.h"
#include "registry/text/interned.h"

namespace opledger {

// Another place that helps to understand the finding.
struct Related {
  Location location;
  std::string message;
};

// Replaces bytes [offset, offset + length) of the file `path`.
struct Edit {
  InternedString path;
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;
};

struct Suggestion {
  std::string command;  // a command to copy, such as "opledger classify ..."; may be empty
  std::vector<Edit> edits;
  bool safe = false;  // --fix applies the edits, because they lose nothing that matters
};

// A piece of evidence: of the `of` classified operators with this feature, `agreeing` have the
// policy.
struct Support {
  std::string feature;  // kind of feature: "word", "inputs", "alike"
  std::string value;    // such as "exp"; may be empty
  int agreeing = 0;
  int of = 0;
  bool elsewhere = false;  // counted in shipped lists, because this list has none
  double weight = 0;       // natural logarithm by which it changes the odds of the policy
  std::string text;        // such as "6 of 7 with 'exp' in their names"
};

// A possible policy of an unclassified operator, with its evidence.
//   fp32, 0.93: 8 of the 10 operators most like it; 6 of 7 with 'exp' in their names
struct Candidate {
  Policy policy = Policy::kFp32;
  double probability = 0;
  std::vector<Support> support;  // the strongest first
};

// Whether a finding counts, and otherwise what silences it.
enum class FindingStatus { kNew, kBaseline, kSuppressed };

// Returns "new", "baseline" or "suppressed".
const char* StatusName(FindingStatus status);

struct Finding {
  InternedString rule;
  InternedString framework;  // the manifest's dialect; set by RunRules()
  Severity severity = Severity::kError;
  FindingStatus status = FindingStatus::kNew;
  std::string op;       // the operator, or the name in the list entry
  InternedString list;  // label, such as "float16"; empty if no list is concerned
  std::string message;
  Location location;
  std::vector<Related> related;
  std::vector<Suggestion> suggestions;
  std::vector<Candidate> candidates;  // for an operator without a policy; the likeliest first
  InternedString reason;  // for kSuppressed: the reason in the source or the project file
  std::string digest;     // for incomplete-scan: SHA-256 of the file; empty if it cannot be read

  // Returns a hash of rule, framework, operator and list, which does not change if lines move or
  // files are renamed. A finding without an operator uses its path and message instead. A finding
  // about a place that was not read uses the file's digest, the place, and the part of the message
  // that describes it, because any change of the file may register something.
  std::string Fingerprint() const;
};

// The beginning of the message of an incomplete-scan finding about a list that the framework keeps.
// Baselines do not silence these, because nothing can be checked without the whole list.
inline constexpr const char* kListIncomplete = "list incomplete";
bool IsIncompleteList(const Finding& finding);
// Returns whether the system prevented reading (no permission, disk error, no memory), as opposed
// to the contents of the source. The next run may succeed. `detail` is the detail of an Incomplete
// or the message of a finding.
bool IsFromSystem(std::string_view detail);

// Returns what to do: a command, or a description of the edits. Returns "" if nothing is known.
std::string FixText(const Finding& finding, const Suggestion& suggestion);

}  // namespace opledger
