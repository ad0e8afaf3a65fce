// Finds lines of YAML, CMake and TableGen files that name one thing each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "registry/scan/discover/discover.h"

namespace opledger::scan {

// "- op: abs", "- func: add(Tensor a) -> Tensor"
FileUses FindYamlUses(std::string_view text);

// "add_layer(Abs)". Ignores CMake's own commands.
FileUses FindCMakeUses(std::string_view text);

// "def Abs_Op : Op<"abs">"
FileUses FindTableGenUses(std::string_view text);

}  // namespace opledger::scan
