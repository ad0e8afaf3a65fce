// Copies the members of the base list as text, so that their formatting stays.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/compare/override_list.h"

#include "registry/json/json.h"
#include "registry/json/json_write.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

std::string NamesMember(const char* key, const std::vector<std::string>& names) {
  std::string text = std::string(",\n  \"") + key + "\": [";
  for (const std::string& name : names) {
    text += (&name == names.data() ? "\n    " : ",\n    ") + JsonQuote(name);
  }
  return text + (names.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string ListOrShipped(const std::string& list, const std::string& framework,
                          const std::string& target_dtype) {
  if (!list.empty()) return list;
  return DataDirectory() + "/lists/" + framework + "/" + target_dtype + ".json";
}

std::optional<std::string> OverrideList(const std::string& base, const std::string& comment,
                                        const NodeOverrides& overrides, Diagnostics& diagnostics) {
  const auto document = ReadJson(base, diagnostics);
  if (!document) return std::nullopt;
  std::string text =
      "{\n  \"$comment\": " + JsonQuote(comment) + NamesMember("fp32_nodes", overrides.fp32_nodes);
  if (!overrides.either_nodes.empty()) text += NamesMember("either_nodes", overrides.either_nodes);
  if (overrides.opset) text += ",\n  \"opset\": " + std::to_string(*overrides.opset);
  for (const JsonMember& member : document->root.members) {
    if (member.key == "extends") {
      ErrorAt(*document, member.key_span, "a list that extends another one cannot be copied",
              "give one that does not extend another", diagnostics);
      return std::nullopt;
    }
    const bool replaced = member.key == "fp32_nodes" || member.key == "either_nodes" ||
                          (member.key == "opset" && overrides.opset);
    if (replaced || member.key.front() == '$') continue;
    const std::size_t begin = member.key_span.begin;
    text += ",\n  " + document->text.substr(begin, member.value.span.end - begin);
  }
  return text + "\n}\n";
}

}  // namespace opledger
