// Reads facts about MXNet's operators besides their policies: types, aliases, and the defaults of
// attributes. registry/operators/README.md describes registry/operators/mxnet-types.json.
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
  std::map<std::string, std::string, std::less<>> aliases;  // alias -> name
};

// Loads the shipped table. Both return nullopt, with an error, if the table is not valid.
std::optional<MxnetOperators> LoadMxnetOperators(Diagnostics& diagnostics);
std::optional<MxnetOperators> ParseMxnetOperators(const std::string& path, std::string text,
                                                  Diagnostics& diagnostics);

// Renames nodes to the names used by lists and types. The strings belong to `operators`.
void NameMxnetOperators(Graph& graph, const MxnetOperators& operators);

// Infers the types of all values. A variable without a declared type gets that of the inputs with
// the same type variable, or float32, as in MXNet.
Typing TypeMxnet(MxnetSymbol& symbol, MxnetOperators& operators);

}  // namespace opledger
