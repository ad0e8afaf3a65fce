// The first entry is never removed, since the entry that replaces a removed one precedes it.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/duplicate_nodes_mxnet.h"

#include <algorithm>
#include <map>

#include "conversion/model/files/json_layout.h"

namespace opledger {
namespace {

// Marks entries with control dependencies in either direction; these must stay where they are.
std::vector<bool> Ordered(const MxnetSymbol& symbol) {
  std::vector<bool> ordered(symbol.graph.nodes.size());
  for (const MxnetScope& scope : symbol.scopes) {
    for (const MxnetEntry& entry : scope.entries) {
      for (const int control : entry.controls) {
        const NodeId other = scope.entries[control].node;
        if (other != kNone) ordered[other] = true;
        if (entry.node != kNone) ordered[entry.node] = true;
      }
    }
  }
  return ordered;
}

class MxnetRemoval {
 public:
  MxnetRemoval(const MxnetSymbol& symbol, const DuplicateNodes& found)
      : symbol_(symbol), found_(found), layout_(*symbol.document) {}

  EditList Edits() {
    entry_of_.resize(symbol_.graph.values.size());
    for (const MxnetScope& scope : symbol_.scopes) {
      for (std::size_t i = 0; i < scope.entries.size(); ++i) {
        const MxnetEntry& entry = scope.entries[i];
        for (int output = 0; output < entry.outputs; ++output) {
          entry_of_[entry.first_value + output] = static_cast<int>(i);
        }
      }
    }
    for (const MxnetScope& scope : symbol_.scopes) EditScope(scope);
    return std::move(edits_);
  }

 private:
  bool IsRemoved(const MxnetEntry& entry) const {
    return entry.node != kNone && found_.removed[entry.node];
  }

  void EditScope(const MxnetScope& scope) {
    if (std::none_of(scope.entries.begin(), scope.entries.end(),
                     [&](const MxnetEntry& entry) { return IsRemoved(entry); })) {
      return;
    }
    std::vector<int> at;  // the new index of each remaining entry
    int next = 0;
    for (const MxnetEntry& entry : scope.entries) at.push_back(IsRemoved(entry) ? -1 : next++);
    for (std::size_t i = 0; i < scope.entries.size(); ++i) {
      const MxnetEntry& entry = scope.entries[i];
      if (IsRemoved(entry)) {
        edits_.Replace({scope.entries[i - 1].json->span.end, entry.json->span.end}, {});
        continue;
      }
      for (const MxnetReference& input : entry.inputs) Renumber(scope, input, at);
      for (std::size_t control = 0; control < entry.controls.size(); ++control) {
        Number(entry.json->Find("control_deps")->items[control].span, entry.controls[control],
               at[entry.controls[control]]);
      }
    }
    for (const MxnetReference& head : scope.heads) Renumber(scope, head, at);
    EditNumbers(scope, at);
  }

  void Number(Span span, int was, int is) {
    if (was != is) edits_.Replace(span, {std::to_string(is), 0, {}});
  }

  void Renumber(const MxnetScope& scope, const MxnetReference& reference,
                const std::vector<int>& at) {
    const ValueId value = scope.entries[reference.entry].first_value + reference.output;
    const ValueId kept = found_.kept[value];
    const int entry = entry_of_[kept];
    Number(reference.entry_span, reference.entry, at[entry]);
    Number(reference.output_span, reference.output, kept - scope.entries[entry].first_value);
  }

  void Numbers(const JsonValue& array, const std::vector<std::int64_t>& numbers) {
    std::vector<std::string> texts;
    for (const std::int64_t number : numbers) texts.push_back(std::to_string(number));
    edits_.Replace(array.span, {layout_.Numbers(texts, layout_.IndentAt(array.span.begin)), 0, {}});
  }

  void EditNumbers(const MxnetScope& scope, const std::vector<int>& at) {
    if (const JsonValue* arguments = scope.json->Find("arg_nodes")) {
      std::vector<std::int64_t> numbers;
      for (const JsonValue& item : arguments->items) {
        if (at[item.integer] >= 0) numbers.push_back(at[item.integer]);
      }
      Numbers(*arguments, numbers);
    }
    if (const JsonValue* rows = scope.json->Find("node_row_ptr")) {
      std::int64_t row = rows->items.front().integer;
      std::vector<std::int64_t> numbers = {row};
      for (std::size_t i = 0; i < at.size(); ++i) {
        if (at[i] < 0) continue;
        row += rows->items[i + 1].integer - rows->items[i].integer;
        numbers.push_back(row);
      }
      Numbers(*rows, numbers);
    }
  }

  const MxnetSymbol& symbol_;
  const DuplicateNodes& found_;
  JsonLayout layout_;
  std::vector<int> entry_of_;  // per value
  EditList edits_;
};

}  // namespace

DuplicateNodes FindMxnetDuplicates(const MxnetSymbol& symbol, const Typing& typing) {
  const std::vector<bool> ordered = Ordered(symbol);
  std::vector<bool> writes(symbol.graph.nodes.size());
  for (const MxnetScope& scope : symbol.scopes) {
    for (const MxnetEntry& entry : scope.entries) {
      for (const MxnetReference& input : entry.inputs) {
        if (input.writes) writes[entry.node] = true;
      }
    }
  }
  // Inner graphs of MXNet cannot refer to the graphs around them.
  const AttributesText text = [&](NodeId id) -> std::optional<std::string> {
    const Node& node = symbol.graph.nodes[id];
    if (ordered[id] || writes[id]) return std::nullopt;
    for (const ValueId input : node.inputs) {
      if (symbol.auxiliary[input]) return std::nullopt;
    }
    std::map<std::string_view, std::string_view> attributes;
    for (const Attribute& attribute : node.attributes) {
      if (!attribute.scopes.empty()) return std::nullopt;
      attributes.emplace(attribute.name, attribute.text);
    }
    std::string all = std::to_string(node.scope);
    for (const auto& [name, value] : attributes) {
      all.append(1, '\0').append(name).append(1, '\0').append(value);
    }
    return all;
  };
  return FindDuplicates(symbol.graph, typing, text);
}

EditList RemoveDuplicates(const MxnetSymbol& symbol, const DuplicateNodes& found) {
  return MxnetRemoval(symbol, found).Edits();
}

}  // namespace opledger
