// Gives an operator a policy by editing the text of a list file. The core of `opledger classify`.
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
  std::string reason;  // empty: keeps the reason if the policy stays
  std::string note;
  // For kConditional.
  std::string attribute;
  std::vector<std::string> values;
  Policy then = Policy::kFp32;
  std::optional<Policy> otherwise;
};

enum class EntryChange { kNone, kAdded, kMoved, kChanged };

struct Classified {
  std::string text;  // of the whole file
  EntryChange change = EntryChange::kNone;
  Location location;  // of the entry after the edit
  // The entry moved, which drops the reason for its old policy, and no new one is given.
  bool lost_reason = false;
};

// Returns the list file's text after the edit. It was parsed again to verify that exactly one entry
// names the operator, under the policy. Returns nullopt, with an error, if the edit is not
// possible.
std::optional<Classified> Classify(const PrecisionList& list, const Classification& wanted,
                                   Diagnostics& diagnostics);

// Returns the edit for the likeliest policy of an unclassified operator, as a suggestion. Returns
// nullopt if no policy is likelier than all others together, or if it is conditional.
std::optional<Edit> LikeliestEdit(const PrecisionList& list, const Finding& finding);

}  // namespace opledger
