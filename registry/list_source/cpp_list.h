// Reads the lists of strings in a file of C++, macros or YAML, using the scanner.
//   Set<string> Lists::Deny() { return {"Exp", "Sum" "Tanh"}; }  ->  Lists::Deny: Exp, SumTanh
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "registry/list_source/list_module.h"
#include "registry/precision_list/derived_from.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// `text` is the contents of the file at `path`. Returns nullopt and reports an error if
// opledger-scan cannot read it.
std::optional<ListModule> ReadCppLists(ListFormat format, const std::string& path, std::string text,
                                       Diagnostics& diagnostics);

}  // namespace opledger
