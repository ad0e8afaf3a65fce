// The element types that a kernel's registration writes: "::tensorflow::int32", "Eigen::half",
// "{DT_HALF, DT_FLOAT}", "typename EnumToDataType<DT_HALF>::Type" -> our names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/manifest/kernel.h"

namespace opledger::scan {

// What stands behind the last "::" that is in no template argument.
std::string_view LastComponent(std::string_view name);

// Adds to `types` what `text`, one type or a list of types in braces, comes to; what cannot be
// understood makes all of them unread.
void AddKernelTypes(const Dialect& dialect, std::string_view text, KernelTypes& types);

}  // namespace opledger::scan
