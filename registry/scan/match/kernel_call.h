// What a kernel's registration says by its arguments: device, label, and the element types, which
// are written "::tensorflow::int32", "Eigen::half", "{DT_HALF, DT_FLOAT}" or "typename
// EnumToDataType<DT_HALF>::Type" -> our names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/kernel.h"
#include "registry/scan/lex/token_text.h"

namespace opledger::scan {

// Adds to `types` what `text`, one type or a list of types in braces, comes to; what cannot be
// understood makes all of them unread.
void AddKernelTypes(const Dialect& dialect, std::string_view text, KernelTypes& types);

// Adds to the kernel what the template arguments and arguments of one call say of it.
void AddKernelCall(const Dialect& dialect, const KernelCall& call,
                   const std::vector<TokenSpan>& templates, const std::vector<TokenSpan>& arguments,
                   Kernel& kernel);

}  // namespace opledger::scan
