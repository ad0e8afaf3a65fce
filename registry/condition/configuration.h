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

// What `object` says of each; a configuration that is there already is replaced. False, with
// diagnostics, where it is malformed.
bool ReadConfigurations(const JsonDocument& document, const JsonValue& object,
                        Configurations& configurations, Diagnostics& diagnostics);

// The texts that configurations define the macro as.
std::set<std::string> TextsOf(const Configurations& configurations, const std::string& macro);

// One text that a macro may be defined as.
struct MacroText {
  std::string text;
  Condition when;   // excludes the other texts
  Condition shown;  // the same in fewer words, where it is exact in each configuration
};
// `rest`: the macro is defined as none of these. Texts that cannot be are left out.
std::vector<MacroText> TellApart(const std::string& macro, const std::set<std::string>& texts,
                                 Condition& rest);

// Each on one line.
void WriteConfigurations(JsonWriter& json, const Configurations& configurations);

}  // namespace opledger
