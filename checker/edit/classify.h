// Giving an operator a policy, as text of the list file in and text out: the core of
// `opledger classify`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/findings/findings.h"
#include "registry/precision_list/precision_list.h"

namespace opledger {

struct Classification {
  std::string op;
  Policy policy = Policy::kFp32;
  std::string reason;  // empty: what the entry has, where it stays under its policy
  std::string note;
  // Of kConditional.
  std::string attribute;
  std::vector<std::string> values;
  Policy then = Policy::kFp32;
  std::optional<Policy> otherwise;
};

enum class EntryChange { kNone, kAdded, kMoved, kChanged };

struct Classified {
  std::string text;  // of the whole file
  EntryChange change = EntryChange::kNone;
  Location location;  // of the entry afterwards
  bool lost_reason =
      false;  // it moved, what spoke for its old policy went, and nothing new is said
};

// The list file's text after the edit. It has been parsed again: exactly one entry names the
// operator, under the policy. None, with an error, where the list cannot be edited so.
std::optional<Classified> Classify(const PrecisionList& list, const Classification& wanted,
                                   Diagnostics& diagnostics);

// The same edit for an operator without a policy, of its likeliest one: for people to look at and
// to take or leave. None where no policy is likelier than all others together, or it is
// conditional.
std::optional<Edit> LikeliestEdit(const PrecisionList& list, const Finding& finding);

}  // namespace opledger
