// What is known of MXNet's operators beside their policies: their types, other names, and the
// values attributes have where a file leaves them out. registry/operators/mxnet-types.json;
// registry/operators/README.md describes its fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "conversion/model/graph/signature.h"
#include "conversion/model/graph/types.h"
#include "conversion/model/mxnet/mxnet_symbol.h"

namespace opledger {

struct MxnetOperators {
  Signatures signatures;
  std::map<std::string, std::string, std::less<>> aliases;  // other name -> name
};

// The shipped table.
std::optional<MxnetOperators> LoadMxnetOperators(Diagnostics& diagnostics);
std::optional<MxnetOperators> ParseMxnetOperators(const std::string& path, std::string text,
                                                  Diagnostics& diagnostics);

// Nodes get the names used by lists and types; texts are those of `operators`.
void NameMxnetOperators(Graph& graph, const MxnetOperators& operators);

// The types of all values. A variable without a declared type has that of the others of
// its node's type variable, else float32, as in MXNet.
Typing TypeMxnet(MxnetSymbol& symbol, MxnetOperators& operators);

}  // namespace opledger
