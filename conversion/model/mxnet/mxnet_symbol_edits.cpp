// Numbers entries in the order of MXNet's own writer if the file has that order, so that MXNet
// would write the same file. Otherwise a new entry follows the one it is made from.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet_symbol_edits.h"

#include <algorithm>

namespace opledger {
namespace {

// Returns the order of MXNet's writer, with entries that no head needs in their old position. Empty
// if that would reorder the file's entries.
std::vector<int> DepthFirst(const MxnetScope& place, int old) {
  const std::vector<int> order = MxnetOrder(place);
  const int count = static_cast<int>(place.entries.size());
  std::vector<bool> reached(static_cast<std::size_t>(count));
  for (const int entry : order) reached[entry] = true;
  std::vector<int> sequence;
  int next = 0;  // the first of the file's entries not yet in the sequence
  for (const int entry : order) {
    if (entry < old) {
      for (; next < entry; ++next) {
        if (reached[next]) return {};
        sequence.push_back(next);
      }
      if (entry != next++) return {};
    }
    sequence.push_back(entry);
  }
  for (; next < old; ++next) sequence.push_back(next);
  if (static_cast<int>(sequence.size()) != count) sequence.clear();
  return sequence;
}

}  // namespace

MxnetSymbolEdits::MxnetSymbolEdits(const MxnetSymbol& symbol)
    : symbol_(symbol), layout_(*symbol.document) {
  for (const MxnetScope& scope : symbol.scopes) {
    scopes_.push_back({scope, {}, std::vector<bool>(scope.entries.size()), false});
  }
}

int MxnetSymbolEdits::Add(ScopeId scope, MxnetNewEntry entry) {
  Changed& changed = scopes_[scope];
  changed.changed = true;
  MxnetEntry place;
  if (!entry.variable) place.inputs.push_back({entry.after, entry.output, false, {}, {}});
  changed.place.entries.push_back(std::move(place));
  changed.added.push_back(std::move(entry));
  return static_cast<int>(changed.place.entries.size()) - 1;
}

void MxnetSymbolEdits::Reroute(ScopeId scope, int entry, std::size_t input, int to, int output) {
  MxnetReference& reference = scopes_[scope].place.entries[entry].inputs[input];
  reference.entry = to;
  reference.output = output;
  scopes_[scope].changed = true;
}

void MxnetSymbolEdits::RerouteHead(ScopeId scope, std::size_t head, int to, int output) {
  MxnetReference& reference = scopes_[scope].place.heads[head];
  reference.entry = to;
  reference.output = output;
  scopes_[scope].changed = true;
}

void MxnetSymbolEdits::Remove(ScopeId scope, int entry) {
  scopes_[scope].removed[entry] = true;
  scopes_[scope].changed = true;
}

void MxnetSymbolEdits::SetAttribute(ScopeId scope, int entry, const std::string& key,
                                    const std::string& value) {
  const JsonValue& node = *symbol_.scopes[scope].entries[entry].json;
  const std::string name = '"' + key + '"';
  const std::string text = '"' + value + '"';
  const JsonValue* attributes = MxnetAttributes(node);
  // Old files have an operator's attributes in a separate object.
  const JsonValue* own = node.Find("param");
  if (own != nullptr && own->Find(key) != nullptr) attributes = own;
  if (attributes == nullptr) {
    const JsonMember& after = *std::find_if(node.members.begin(), node.members.end(),
                                            [](const JsonMember& m) { return m.key == "name"; });
    const std::string indent = layout_.IndentAt(after.key_span.begin);
    const std::string object = layout_.Object({{name, text}}, indent, false);
    const JsonLayout::Member member = {
        '"' + std::string(AttributesKey(symbol_.scopes[scope])) + '"', object};
    edits_.Insert(after.value.span.end,
                  {layout_.Separator(indent) + layout_.MemberText(member), 0, {}});
    return;
  }
  if (const JsonValue* old = attributes->Find(key)) {
    if (old->string != value) edits_.Replace(old->span, {text, 0, {}});
    return;
  }
  std::vector<JsonLayout::Member> members;
  bool set = false;
  for (const JsonMember& member : attributes->members) {
    if (!set && member.key > key) members.push_back({name, text});
    set = set || member.key > key;
    members.push_back(
        {symbol_.document->text.substr(member.key_span.begin, member.key_span.size()),
         symbol_.document->text.substr(member.value.span.begin, member.value.span.size())});
  }
  if (!set) members.push_back({name, text});
  const std::string indent = layout_.IndentAt(attributes->span.begin);
  edits_.Replace(attributes->span, {layout_.Object(members, indent, false), 0, {}});
}

void MxnetSymbolEdits::RemoveAttribute(ScopeId scope, int entry, const std::string& key) {
  const JsonValue& node = *symbol_.scopes[scope].entries[entry].json;
  const JsonValue* attributes = MxnetAttributes(node);
  if (attributes == nullptr || attributes->Find(key) == nullptr) return;
  if (attributes->members.size() == 1) {
    // Remove the whole object, starting at the end of the preceding member.
    std::size_t before = node.span.begin + 1;
    for (const JsonMember& member : node.members) {
      if (&member.value == attributes) break;
      before = member.value.span.end;
    }
    edits_.Replace({before, attributes->span.end}, {});
    return;
  }
  std::vector<JsonLayout::Member> members;
  for (const JsonMember& member : attributes->members) {
    if (member.key == key) continue;
    members.push_back(
        {symbol_.document->text.substr(member.key_span.begin, member.key_span.size()),
         symbol_.document->text.substr(member.value.span.begin, member.value.span.size())});
  }
  const std::string indent = layout_.IndentAt(attributes->span.begin);
  edits_.Replace(attributes->span, {layout_.Object(members, indent, false), 0, {}});
}

EditList MxnetSymbolEdits::Finish() {
  for (ScopeId id = 0; id < static_cast<ScopeId>(scopes_.size()); ++id) {
    if (scopes_[id].changed) FinishScope(id);
  }
  return std::move(edits_);
}

std::vector<int> MxnetSymbolEdits::Sequence(const MxnetScope& old, const Changed& scope) const {
  const int count = static_cast<int>(old.entries.size());
  std::vector<int> sequence = DepthFirst(scope.place, count);
  if (!sequence.empty()) return sequence;
  std::vector<std::vector<int>> after(old.entries.size());
  for (std::size_t i = 0; i < scope.added.size(); ++i) {
    after[scope.added[i].after].push_back(count + static_cast<int>(i));
  }
  for (int entry = 0; entry < count; ++entry) {
    sequence.push_back(entry);
    sequence.insert(sequence.end(), after[entry].begin(), after[entry].end());
  }
  return sequence;
}

void MxnetSymbolEdits::FinishScope(ScopeId id) {
  const MxnetScope& old = symbol_.scopes[id];
  const Changed& scope = scopes_[id];
  std::vector<int> sequence = Sequence(old, scope);
  std::vector<int> at(sequence.size());  // the new number of each entry
  std::erase_if(sequence, [&](int entry) {
    return entry < static_cast<int>(scope.removed.size()) && scope.removed[entry];
  });
  for (std::size_t i = 0; i < sequence.size(); ++i) at[sequence[i]] = static_cast<int>(i);
  for (std::size_t entry = 0; entry < old.entries.size(); ++entry) {
    if (scope.removed[entry]) continue;
    const MxnetEntry& was = old.entries[entry];
    for (std::size_t i = 0; i < was.inputs.size(); ++i) {
      Renumber(was.inputs[i], scope.place.entries[entry].inputs[i], at);
    }
    for (std::size_t i = 0; i < was.controls.size(); ++i) {
      const Span span = was.json->Find("control_deps")->items[i].span;
      if (at[was.controls[i]] != was.controls[i]) ReplaceNumber(span, at[was.controls[i]]);
    }
  }
  for (std::size_t i = 0; i < old.heads.size(); ++i) {
    Renumber(old.heads[i], scope.place.heads[i], at);
  }
  EditNumbers(old, scope, sequence, at);
  RemoveEntries(old, scope);
  InsertEntries(old, scope, sequence, at);
}

void MxnetSymbolEdits::ReplaceNumber(Span span, std::int64_t number) {
  edits_.Replace(span, {std::to_string(number), 0, {}});
}

void MxnetSymbolEdits::Renumber(const MxnetReference& was, const MxnetReference& is,
                                const std::vector<int>& at) {
  if (at[is.entry] != was.entry) ReplaceNumber(was.entry_span, at[is.entry]);
  if (is.output != was.output) ReplaceNumber(was.output_span, is.output);
}

// Updates arg_nodes and node_row_ptr.
void MxnetSymbolEdits::EditNumbers(const MxnetScope& old, const Changed& scope,
                                   const std::vector<int>& sequence, const std::vector<int>& at) {
  if (const JsonValue* arguments = old.json->Find("arg_nodes")) {
    std::vector<int> numbers;
    for (const JsonValue& item : arguments->items) {
      if (!scope.removed[item.integer]) numbers.push_back(at[item.integer]);
    }
    const bool sorted = std::is_sorted(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < scope.added.size(); ++i) {
      if (scope.added[i].variable) numbers.push_back(at[old.entries.size() + i]);
    }
    if (sorted) std::sort(numbers.begin(), numbers.end());
    std::vector<std::string> texts;
    for (const int number : numbers) texts.push_back(std::to_string(number));
    const std::string indent = layout_.IndentAt(arguments->span.begin);
    edits_.Replace(arguments->span, {layout_.Numbers(texts, indent), 0, {}});
  }
  if (const JsonValue* rows = old.json->Find("node_row_ptr")) {
    std::int64_t row = rows->items.front().integer;
    std::vector<std::string> texts = {std::to_string(row)};
    for (const int entry : sequence) {
      const bool added = entry >= static_cast<int>(old.entries.size());
      row += added ? 1 : rows->items[entry + 1].integer - rows->items[entry].integer;
      texts.push_back(std::to_string(row));
    }
    const std::string indent = layout_.IndentAt(rows->span.begin);
    edits_.Replace(rows->span, {layout_.Numbers(texts, indent), 0, {}});
  }
}

// Removes each entry with the separator before it. Entries at the start of the list are removed
// with the separator after them.
void MxnetSymbolEdits::RemoveEntries(const MxnetScope& old, const Changed& scope) {
  const int count = static_cast<int>(old.entries.size());
  int first = 0;  // first entry that stays
  while (first < count && scope.removed[first]) ++first;
  if (first > 0 && first < count) {
    edits_.Replace({old.entries.front().json->span.begin, old.entries[first].json->span.begin}, {});
  }
  for (int entry = first + 1; entry < count; ++entry) {
    if (!scope.removed[entry]) continue;
    edits_.Replace({old.entries[entry - 1].json->span.end, old.entries[entry].json->span.end}, {});
  }
}

void MxnetSymbolEdits::InsertEntries(const MxnetScope& old, const Changed& scope,
                                     const std::vector<int>& sequence, const std::vector<int>& at) {
  const std::string indent = layout_.IndentAt(old.entries.front().json->span.begin);
  const std::string separator = layout_.Separator(indent);
  std::string text;
  std::size_t place = old.entries.front().json->span.begin;
  bool first = true;  // no entry of the file comes before
  const auto flush = [&] {
    if (!text.empty()) edits_.Insert(place, {std::move(text), 0, {}});
    text.clear();
  };
  for (const int entry : sequence) {
    if (entry < static_cast<int>(old.entries.size())) {
      flush();
      place = old.entries[entry].json->span.end;
      first = false;
      continue;
    }
    const std::string added = Text(old, scope.added[entry - old.entries.size()], at, indent);
    text += first ? added + separator : separator + added;
  }
  flush();
}

// Returns "attr" or "attrs": the key of other nodes, or else that of the version.
const char* MxnetSymbolEdits::AttributesKey(const MxnetScope& scope) const {
  for (const MxnetEntry& entry : scope.entries) {
    if (entry.json->Find("attrs") != nullptr) return "attrs";
    if (entry.json->Find("attr") != nullptr) return "attr";
  }
  return symbol_.version < 10200 ? "attr" : "attrs";
}

std::string MxnetSymbolEdits::Text(const MxnetScope& old, const MxnetNewEntry& entry,
                                   const std::vector<int>& at, const std::string& indent) const {
  const JsonValue& sample = *old.entries.front().json;
  const bool before_nnvm = sample.Find("backward_source_id") != nullptr;
  const std::string inner = layout_.Deeper(indent);
  std::vector<std::string> reference;
  if (!entry.variable) {
    reference = {std::to_string(at[entry.after]), std::to_string(entry.output)};
    const std::vector<JsonValue>& heads = old.json->Find("heads")->items;
    if (heads.empty() || heads.front().items.size() == 3) reference.emplace_back("0");
  }
  const std::string inputs =
      reference.empty() ? layout_.Numbers({}, inner) : layout_.Reference(reference, inner);
  const std::string attributes =
      layout_.Object({{'"' + entry.dtype_key + '"', '"' + entry.dtype + '"'}}, inner, false);
  std::vector<JsonLayout::Member> members = {{"\"op\"", '"' + entry.op + '"'}};
  if (before_nnvm) {
    const std::string none = layout_.Object({}, inner, false);
    members.push_back({"\"param\"", entry.variable ? none : attributes});
  }
  members.push_back({"\"name\"", entry.name});
  const std::string key = '"' + std::string(AttributesKey(old)) + '"';
  if (!before_nnvm) members.push_back({key, attributes});
  members.push_back({"\"inputs\"", inputs});
  if (before_nnvm) members.push_back({"\"backward_source_id\"", "-1"});
  if (before_nnvm && entry.variable) members.push_back({"\"attr\"", attributes});
  return layout_.Object(members, indent, true);
}

}  // namespace opledger
