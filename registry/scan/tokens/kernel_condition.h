// Kernels whose device and element types are said by a condition:
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

// One way for the condition to hold.
struct KernelAlternative {
  std::string device;                        // empty: it may be any
  std::map<std::string, KernelTypes> types;  // by type variable: "in", "in[1]"
  bool operator==(const KernelAlternative&) const = default;
};

// All ways, one at least. What is not about the device or a type is not asked; what is, but not by
// "==", leaves a type unread and a device open. More than 64 ways: all types of it are unread.
std::vector<KernelAlternative> KernelAlternatives(const Dialect& dialect, TypeLists& lists,
                                                  const KernelCall& call, TokenSpan condition);

}  // namespace opledger::scan
