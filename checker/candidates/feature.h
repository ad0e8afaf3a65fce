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
  kShare,          // policies of the whole list; no value
  kAlike,          // the most similar operators; no value
  kSibling,        // the nearest by name: "near fp32", "far either", "none"
  kWord,           // a word of the name
  kInputs,         // number of tensors: "0", "1", "2"; "3": three or more; "": varies
  kInputName,      // such as "weight"
  kAttribute,      // such as "axis"
  kTypeInference,  // such as "ElemwiseType<1, 1>"
  kGradient,       // such as "ElemwiseGradUseIn"; "none"
  kMutates,        // "yes": it changes inputs in place
  kMacro,          // macro that registers it
  kFile,           // file that registers it
  kDtypes,         // "16-bit"; "float32": no 16-bit type; "none": no floating-point type
};
inline constexpr int kFeatureKindCount = static_cast<int>(FeatureKind::kDtypes) + 1;

// Returns the name in files, such as "input-name".
const char* FeatureKindName(FeatureKind kind);
// Returns nullopt if no kind has this name.
std::optional<FeatureKind> ParseFeatureKind(std::string_view name);
// Returns whether such a feature means the same in all frameworks.
bool IsSharedFeature(FeatureKind kind);

struct Feature {
  FeatureKind kind = FeatureKind::kWord;
  std::string value;

  auto operator<=>(const Feature&) const = default;
};

// Returns the features that the manifest alone gives, sorted: all but kShare, kAlike and kSibling.
// A policy that the source gives the operator is not a feature.
std::vector<Feature> ReadFeatures(const Operator& op);

}  // namespace opledger
