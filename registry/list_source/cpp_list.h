// Reads the lists of strings in a file of C++, of macros or of YAML, by the scanner.
//   Set<string> Lists::Deny() { return {"Exp", "Sum" "Tanh"}; }  ->  Lists::Deny: Exp, SumTanh
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/list_source/list_module.h"
#include "registry/precision_list/derived_from.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// `text` is what the file at `path` holds. None, with an error, where opledger-scan cannot read it.
std::optional<ListModule> ReadCppLists(ListFormat format, const std::string& path, std::string text,
                                       Diagnostics& diagnostics);

}  // namespace opledger
