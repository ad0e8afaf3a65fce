// MXNet's operators as a manifest, from the gold lists of the test data: their names, what exists
// only in some configuration, and aliases in MXNet's manner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "registry/json_text.h"
#include "registry/manifest.h"

namespace opledger {
inline std::string GoldPath() {
  const char* chosen = std::getenv("OPLEDGER_TEST_DATA");
  const std::string folder =
      chosen != nullptr ? chosen : std::string(OPLEDGER_SOURCE_DIR) + "/../shared";
  return folder + "/gold/mxnet.json";
}

// "MXNET_USE_CUDA", ".cu file only", "MXNET_USE_TENSORRT (outside CI gate builds)"
inline std::string ConditionOf(const std::string& key) {
  const std::string macro =
      key.starts_with(".cu") ? "MXNET_USE_CUDA" : key.substr(0, key.find(' '));
  return macro + " == 1";
}

// None, with a diagnostic that names what is missing, where the test data is not there.
inline std::optional<Manifest> MxnetManifest(Diagnostics& diagnostics) {
  const std::optional<JsonDocument> gold = ReadJson(GoldPath(), diagnostics);
  if (!gold) return std::nullopt;
  std::map<std::string, std::string> conditions;  // operator -> condition, sorted by name
  for (const char* list : {"fp16", "bf16"}) {
    for (const JsonMember& member : gold->root.Find(list)->members) conditions[member.key];
    for (const JsonValue& name : gold->root.Find("registered_but_in_no_list")->Find(list)->items) {
      conditions[name.string];
    }
    for (const JsonMember& member : gold->root.Find("feature_conditional")->Find(list)->members) {
      conditions[member.key] = ConditionOf("MXNET_USE_" + member.value.string);
    }
  }
  for (const JsonMember& member : gold->root.Find("registered_only_when")->members) {
    for (const JsonValue& name : member.value.items) {
      conditions[name.string] = ConditionOf(member.key);
    }
  }
  Manifest manifest;
  manifest.dialect = "mxnet";
  manifest.configurations = {
      {"cpu+onednn", {{"MXNET_USE_ONEDNN", "1"}}},
      {"gpu", {{"MXNET_USE_CUDA", "1"}, {"MXNET_USE_ONEDNN", "1"}}},
  };
  manifest.default_configuration = "gpu";
  for (const auto& [name, condition] : conditions) {
    Operator& op = manifest.operators.emplace_back();
    op.name = name;
    Site& site = op.sites.emplace_back();
    site.location = {"src/operator/" + name + ".cc", 1, 18, 1, 18 + static_cast<int>(name.size())};
    if (!condition.empty()) site.condition = Condition::FromExpression(condition);
    // As MXNet does, _npi_exp is also _np_exp, and one operator is its own alias.
    if (name == "_npx_foreach") op.aliases.push_back({name, site.location, {}});
    if (!name.starts_with("_npi_")) continue;
    const std::string alias = "_np_" + name.substr(5);
    if (!conditions.contains(alias)) op.aliases.push_back({alias, site.location, {}});
  }
  return manifest;
}

}  // namespace opledger
