// The text of a name is that of the file, escapes and all.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/mxnet_names.h"

#include "conversion/model/mxnet/mxnet.h"

namespace opledger {

MxnetNames::MxnetNames(const MxnetSymbol& symbol, const MxnetParams* params) : symbol_(symbol) {
  for (const Value& value : symbol.graph.values) taken_.insert(std::string(value.name));
  for (const Node& node : symbol.graph.nodes) taken_.insert(std::string(node.name));
  if (params == nullptr) return;
  for (const MxnetArray& array : params->arrays) {
    taken_.insert(std::string(MxnetVariableName(array.name)));
  }
}

std::string MxnetNames::Suffix(const MxnetEntry& entry, const std::string& wanted) {
  const std::string& name = entry.json->Find("name")->string;
  std::string suffix = wanted;
  for (int i = 1; !taken_.insert(name + suffix).second; ++i) {
    suffix = wanted + "_" + std::to_string(i);
  }
  return suffix;
}

std::string MxnetNames::Json(const MxnetEntry& entry, const std::string& suffix) const {
  const JsonValue& name = *entry.json->Find("name");
  const std::string& text = symbol_.document->text;
  return text.substr(name.span.begin, name.span.size() - 1) + suffix + '"';
}

}  // namespace opledger
