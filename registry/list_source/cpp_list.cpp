// Reads lists with opledger-scan. Names are sets: what C++ code builds has no significant order.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/cpp_list.h"

#include "registry/dialect/cpp_lists.h"
#include "registry/platform/platform.h"

namespace opledger {

std::optional<ListModule> ReadCppLists(ListFormat format, const std::string& path, std::string text,
                                       Diagnostics& diagnostics) {
  std::string output;
  SiblingStreams streams;
  streams.input = text.empty() ? "\n" : text;
  const std::optional<int> status = RunSibling(
      "opledger-scan", {"--string-lists", ListFormatName(format)}, output, diagnostics, streams);
  if (!status || *status != 0) return std::nullopt;
  const std::optional<std::vector<CppList>> lists = UnpackCppLists(output);
  if (!lists) {
    return diagnostics.Error({}, "the versions of opledger-scan and opledger differ",
                             "install both programs from the same build");
  }
  ListModule module;
  module.source = std::make_shared<const SourceText>(path, std::move(text));
  for (const CppList& list : *lists) {
    NamedList& named = module.lists.emplace_back();
    named.name = list.name;
    named.kind = LiteralValue::Kind::kSet;
    named.location = module.source->At(list.begin, list.end);
    named.shared = list.called;
    named.complete = list.removed.empty();
    for (std::size_t place : list.removed) {
      module.source->Warn(
          module.source->At(place, place + 1),
          "'" + list.name + "' is changed or computed here in a way that cannot be interpreted",
          "write the names as literals", diagnostics);
    }
    for (const CppString& string : list.strings) {
      ListItem& item = named.items.emplace_back();
      item.value.kind = LiteralValue::Kind::kString;
      item.value.text = string.text;
      item.value.joined = string.joined;
      item.value.location = module.source->At(string.begin, string.end);
      if (!string.condition.empty()) item.feature = Condition::FromExpression(string.condition);
    }
  }
  return module;
}

}  // namespace opledger
