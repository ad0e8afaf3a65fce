// What a rule reports about one operator in one list; and what rules look at beside manifest and
// lists: suppressions in the source, measured evidence.
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

// A further place that helps to understand the finding.
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
  std::string command;  // to copy: "opledger classify ..."; may be empty
  std::vector<Edit> edits;
  bool safe = false;  // --fix makes the edits: nothing that counts is lost by them
};

// One observation: of `of` classified operators that share it, `agreeing` have the policy.
struct Support {
  std::string feature;  // kind of feature: "word", "inputs", "alike"
  std::string value;    // "exp"; may be empty
  int agreeing = 0;
  int of = 0;
  bool elsewhere = false;  // counted in shipped lists, since this list has none
  double weight = 0;       // natural logarithm of the odds that it adds to those of the policy
  std::string text;        // "6 of 7 with 'exp' in their names"
};

// A policy that fits an operator without one, with the evidence for it.
//   fp32, 0.93: 8 of the 10 operators most like it; 6 of 7 with 'exp' in their names
struct Candidate {
  Policy policy = Policy::kFp32;
  double probability = 0;
  std::vector<Support> support;  // the heaviest first
};

// Whether a finding counts, and if not, what silences it.
enum class FindingStatus { kNew, kBaseline, kSuppressed };

// "new", "baseline" or "suppressed".
const char* StatusName(FindingStatus status);

struct Finding {
  InternedString rule;
  InternedString framework;  // the manifest's dialect; RunRules fills it in
  Severity severity = Severity::kError;
  FindingStatus status = FindingStatus::kNew;
  std::string op;       // the operator, or the list entry's name
  InternedString list;  // its label ("float16"); empty where no list is concerned
  std::string message;
  Location location;
  std::vector<Related> related;
  std::vector<Suggestion> suggestions;
  std::vector<Candidate> candidates;  // of an operator without a policy; the likeliest first
  InternedString reason;              // of kSuppressed: the reason given in the source
  std::string digest;  // of incomplete-scan: SHA-256 of the file's bytes; empty: not readable

  // Stable across line moves and file renames: from rule, framework, operator and list. A finding
  // about no operator is known by its path and message instead. One about a place that was not read
  // is known by the file's digest, the place and what its message says of the place: any change of
  // the file may register something.
  std::string Fingerprint() const;
};

// How the message of an incomplete-scan finding begins that is about a list which the framework
// keeps itself. No baseline holds one: without the whole list nothing can be judged.
inline constexpr const char* kListIncomplete = "list incomplete";
bool IsIncompleteList(const Finding& finding);
// Whether what could not be read was kept from us by the system (no permission, an error of the
// disk, no memory) and not by what stands in the source: the next run may read it. The detail of an
// Incomplete, or the message of a finding.
bool IsFromSystem(std::string_view detail);

// What to do, in words for people: a command, or what the edits come to. Empty: nothing is known.
std::string FixText(const Finding& finding, const Suggestion& suggestion);

}  // namespace opledger
