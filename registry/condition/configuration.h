// Configurations in JSON: {"gpu": {"USE_CUDA": 1, "VERSION": "201703L", "undefined": ["_DEBUG"]}}.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/condition/condition.h"
#include "registry/json/json.h"
#include "registry/json/json_write.h"

namespace opledger {

using Configurations = std::map<std::string, Configuration>;

// Reads the configurations of `object`; those that already exist are replaced. Returns false and
// reports diagnostics if the JSON is malformed.
bool ReadConfigurations(const JsonDocument& document, const JsonValue& object,
                        Configurations& configurations, Diagnostics& diagnostics);

// Returns the texts that configurations define the macro as.
std::set<std::string> TextsOf(const Configurations& configurations, const std::string& macro);

// A text that a macro may be defined as.
struct MacroText {
  std::string text;
  Condition when;   // excludes the other texts
  Condition shown;  // shorter, but exact in every known configuration
};
// Sets `rest` to the condition that the macro is defined as something else. Omits impossible texts.
std::vector<MacroText> TellApart(const std::string& macro, const std::set<std::string>& texts,
                                 Condition& rest);

// Writes each configuration on one line.
void WriteConfigurations(JsonWriter& json, const Configurations& configurations);

}  // namespace opledger
