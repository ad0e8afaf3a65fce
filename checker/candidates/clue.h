// What is known of an operator that can speak for a policy, in a form that operators share.
//   exp: word "exp", inputs "1", input-name "data", type-inference "ElemwiseType<1, 1>", ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/manifest/manifest.h"

namespace opledger {

enum class ClueKind {
  kShare,          // how the policies of the list are spread; no value
  kAlike,          // the operators that share most with it; no value
  kSibling,        // the nearest by name: "near fp32", "far either", "none"
  kWord,           // of its name
  kInputs,         // how many tensors: "0", "1", "2", "3": three or more, "": varies
  kInputName,      // "weight"
  kAttribute,      // "axis"
  kTypeInference,  // "ElemwiseType<1, 1>"
  kGradient,       // "ElemwiseGradUseIn"; "none"
  kMutates,        // "yes": it changes inputs in place
  kMacro,          // that registers it
  kFile,           // that registers it
  kDtypes,         // "16-bit", "float32": but none of 16 bits, "none": no floating point type
};
inline constexpr int kClueKindCount = static_cast<int>(ClueKind::kDtypes) + 1;

// "input-name": in files.
const char* ClueKindName(ClueKind kind);
std::optional<ClueKind> ParseClueKind(std::string_view name);
// Whether such a clue means the same in all frameworks.
bool IsSharedClue(ClueKind kind);

struct Clue {
  ClueKind kind = ClueKind::kWord;
  std::string value;

  auto operator<=>(const Clue&) const = default;
};

// What the manifest says of the operator alone, sorted: no kShare, kAlike, kSibling. A policy that
// the source gives it is no clue.
std::vector<Clue> ReadClues(const Operator& op);

}  // namespace opledger
