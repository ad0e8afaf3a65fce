// Reads kernels whose device and element types are given by a condition:
//   (Device() == kCPU) && (Type("in", 0) == kFloat || Type("in", 0) == GetDataType<half>::value)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/kernel.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/tokens/type_lists.h"

namespace opledger::scan {

// One alternative under which the condition holds.
struct KernelAlternative {
  std::string device;                        // empty: any device
  std::map<std::string, KernelTypes> types;  // by type variable: "in", "in[1]"
  bool operator==(const KernelAlternative&) const = default;
};

// Returns all alternatives; at least one. Ignores parts that are not about the device or a type.
// Parts that are, but do not use "==", leave a type unread and a device open. If there are more
// than 64 alternatives, all types are unread.
std::vector<KernelAlternative> KernelAlternatives(const Dialect& dialect, TypeLists& lists,
                                                  const KernelCall& call, TokenSpan condition);

}  // namespace opledger::scan
