// Facts about an operator that are evidence for a policy, in a form that operators share.
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

enum class FeatureKind {
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
inline constexpr int kFeatureKindCount = static_cast<int>(FeatureKind::kDtypes) + 1;

// "input-name": in files.
const char* FeatureKindName(FeatureKind kind);
std::optional<FeatureKind> ParseFeatureKind(std::string_view name);
// Whether such a feature means the same in all frameworks.
bool IsSharedFeature(FeatureKind kind);

struct Feature {
  FeatureKind kind = FeatureKind::kWord;
  std::string value;

  auto operator<=>(const Feature&) const = default;
};

// What the manifest says of the operator alone, sorted: no kShare, kAlike, kSibling. A policy that
// the source gives it is no feature.
std::vector<Feature> ReadFeatures(const Operator& op);

}  // namespace opledger
