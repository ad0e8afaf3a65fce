// Configurations in JSON: {"gpu": {"USE_CUDA": 1, "VERSION": "201703L", "undefined": ["_DEBUG"]}}.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "registry/condition/condition.h"
#include "registry/json/json.h"
#include "registry/json/json_write.h"

namespace opledger {

using Configurations = std::map<std::string, Configuration>;

// What `object` says of each; a configuration that is there already is replaced. False, with
// diagnostics, where it is malformed.
bool ReadConfigurations(const JsonDocument& document, const JsonValue& object,
                        Configurations& configurations, Diagnostics& diagnostics);

// Each on one line.
void WriteConfigurations(JsonWriter& json, const Configurations& configurations);

}  // namespace opledger
