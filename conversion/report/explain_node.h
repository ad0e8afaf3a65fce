// What `opledger convert --explain NODE` says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/report/report.h"
#include "registry/text/diagnostics.h"

namespace opledger {

// Appends, of every node that is called `name` or computes a value of that name: its rule, why it
// is placed as it is, its casts, and what would change it. False, with an error: there is none.
bool ExplainNode(const ConversionReport& report, const Graph& graph, const std::string& name,
                 std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
