// What a manifest says about the attributes of an operator and the values they may have.
//   field "parameters": {key "act_type", value "relu,sigmoid"}, {key "axis", value ""}
//   a kernel's detail "parameters": "act_type: relu, sigmoid; axis"
//   -> act_type: {relu, sigmoid}, axis: {}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "registry/manifest/manifest.h"

namespace opledger {

// Attribute -> its values; no values: any. Empty: nothing is known of the operator's attributes.
using OperatorAttributes = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;

OperatorAttributes ReadOperatorAttributes(const Operator& op);

// Whether registrations of kernels say which parameters they read, as those of our own dialect do:
// an operator none of whose kernels says one has none.
bool KernelsSayParameters(const Manifest& manifest);

}  // namespace opledger
