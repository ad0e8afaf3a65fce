// What a kernel's registration says by its arguments: device, label, and the element types, which
// are written "::tensorflow::int32", "Eigen::half", "{DT_HALF, DT_FLOAT}" or "typename
// EnumToDataType<DT_HALF>::Type" -> our names.
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

// Adds to `types` what `text`, one type or a list of types, comes to: what the dialect names, lists
// in braces or of templates, names of lists of the file. What is not understood is unread.
void AddKernelTypes(const Dialect& dialect, TypeLists& lists, std::string_view text,
                    KernelTypes& types);

// Our word for the device that the argument names, without namespaces; else its last name.
std::string DeviceOf(const Dialect& dialect, TokenSpan argument);

// By what a table of kernels names one: "kCpu kOnnxDomain 7 Abs"; empty: an argument is missing.
std::string KernelKey(std::span<const TokenSpan> arguments, const std::vector<int>& indices);

// Adds to the kernel what the template arguments and arguments of one call say of it.
void AddKernelCall(const Dialect& dialect, TypeLists& lists, const KernelCall& call,
                   const std::vector<TokenSpan>& templates, const std::vector<TokenSpan>& arguments,
                   Kernel& kernel);

}  // namespace opledger::scan
