// Reads the arguments of a kernel's registration: device, label and element types. Maps spellings
// of types such as "::tensorflow::int32", "Eigen::half", "{DT_HALF, DT_FLOAT}" and "typename
// EnumToDataType<DT_HALF>::Type" to opledger's names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/kernel.h"
#include "registry/scan/lex/token_text.h"
#include "registry/scan/tokens/type_lists.h"

namespace opledger::scan {

// Adds to `types` what `text`, one type or a list, refers to: types that the dialect names, lists
// in braces or templates, and names of lists of the file. Text that is not understood is added to
// `unread`.
void AddKernelTypes(const Dialect& dialect, TypeLists& lists, std::string_view text,
                    KernelTypes& types);

// Returns opledger's name for the device that the argument names; for unknown devices, the last
// part of the argument.
std::string DeviceOf(const Dialect& dialect, TokenSpan argument);

// Returns the key by which a table refers to a kernel: "kCpu kOnnxDomain 7 Abs"; "" if an argument
// is missing.
std::string KernelKey(std::span<const TokenSpan> arguments, const std::vector<int>& indices);

// Adds what the template arguments and arguments of a call state about the kernel.
void AddKernelCall(const Dialect& dialect, TypeLists& lists, const KernelCall& call,
                   const std::vector<TokenSpan>& templates, const std::vector<TokenSpan>& arguments,
                   Kernel& kernel);

}  // namespace opledger::scan
