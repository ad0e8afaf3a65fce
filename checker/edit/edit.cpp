// Edits a list's text by spans. New text copies the white space between its neighbors.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/edit.h"

#include <algorithm>
#include <span>

#include "checker/edit/sorted_place.h"
#include "checker/edit/source_rows.h"
#include "registry/json/json_write.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

// The layout of arrays in a list file: one line or one line per item, indentation, and line ends.
// Used for arrays that are new or were empty.
class ArrayLayout {
 public:
  explicit ArrayLayout(const JsonDocument& document);

  // Returns an array with one item. `offset` is in the line of the member.
  std::string Array(std::size_t offset, std::string_view item) const;

 private:
  const JsonDocument& document_;
  bool many_lines_ = false;
  std::string line_end_ = "\n";
  std::string unit_ = "  ";  // one level of indentation
};

// Returns the white space at the start of the line that contains `offset`.
std::string IndentationAt(const std::string& text, std::size_t offset) {
  const std::size_t line_end = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = line_end == std::string::npos ? 0 : line_end + 1;
  std::size_t end = begin;
  while (end < offset && (text[end] == ' ' || text[end] == '\t')) ++end;
  return text.substr(begin, end - begin);
}

bool HasLineBreak(const std::string& text, std::size_t begin, std::size_t end) {
  return text.substr(begin, end - begin).find('\n') != std::string::npos;
}

ArrayLayout::ArrayLayout(const JsonDocument& document) : document_(document) {
  const std::string& text = document.text;
  const std::vector<JsonMember>& members = document.root.members;
  if (text.find("\r\n") != std::string::npos) line_end_ = "\r\n";
  if (members.empty()) return;
  many_lines_ = HasLineBreak(text, document.root.span.begin, members.front().key_span.begin);
  if (many_lines_) {
    const std::string indentation = IndentationAt(text, members.front().key_span.begin);
    if (!indentation.empty()) unit_ = indentation;
  }
  // Take the layout of the first array with items.
  for (const JsonMember& member : members) {
    if (member.value.kind != JsonValue::Kind::kArray || member.value.items.empty()) continue;
    const std::size_t first = member.value.items.front().span.begin;
    many_lines_ = HasLineBreak(text, member.value.span.begin, first);
    const std::string outer = IndentationAt(text, member.key_span.begin);
    const std::string inner = IndentationAt(text, first);
    if (many_lines_ && inner.size() > outer.size() && inner.starts_with(outer)) {
      unit_ = inner.substr(outer.size());
    }
    break;
  }
}

std::string ArrayLayout::Array(std::size_t offset, std::string_view item) const {
  if (!many_lines_) return "[" + std::string(item) + "]";
  const std::string outer = IndentationAt(document_.text, offset);
  return "[" + line_end_ + outer + unit_ + std::string(item) + line_end_ + outer + "]";
}

const JsonValue* FindArray(const PrecisionList& list, Policy policy) {
  const JsonValue* value = list.document.root.Find(PolicyName(policy));
  return value != nullptr && value->kind == JsonValue::Kind::kArray ? value : nullptr;
}

using Entries = std::span<const ListEntry>;

bool IsOwn(const ListEntry& entry, Policy policy) {
  return entry.policy == policy && entry.source.empty();
}

// The entries of a policy are contiguous.
Entries EntriesOf(const PrecisionList& list, Policy policy) {
  const auto is_of = [policy](const ListEntry& entry) { return IsOwn(entry, policy); };
  const auto begin = std::find_if(list.entries.begin(), list.entries.end(), is_of);
  return {begin, std::find_if_not(begin, list.entries.end(), is_of)};
}

// Returns the index of an entry of the list's own file. Returns nullopt if the entry is inherited
// or was not read from a file.
std::optional<std::size_t> FindEntry(const PrecisionList& list, const ListEntry& entry) {
  if (entry.location.path != list.path) return std::nullopt;
  const auto found = std::lower_bound(
      list.entries.begin(), list.entries.end(), entry.item.begin,
      [](const ListEntry& each, std::size_t begin) { return each.item.begin < begin; });
  if (found == list.entries.end() || found->item != entry.item) return std::nullopt;
  return static_cast<std::size_t>(found - list.entries.begin());
}

std::vector<std::string_view> NamesOf(Entries items) {
  std::vector<std::string_view> names;
  for (const ListEntry& item : items) names.emplace_back(item.op);
  return names;
}

Edit InsertInto(const PrecisionList& list, const JsonValue& array, Entries items,
                std::string_view op, std::string_view json) {
  const std::string& text = list.document.text;
  const std::string item(json);
  if (items.empty()) {
    const std::string filled = ArrayLayout(list.document).Array(array.span.begin, item);
    return {list.path, array.span.begin, array.span.end - array.span.begin, filled};
  }
  const std::size_t place = SortedPlace(NamesOf(items), op);
  // Copy the separator of two neighbors, or the white space before a single item.
  std::string separator;
  if (items.size() > 1) {
    const std::size_t after = std::clamp<std::size_t>(place, 1, items.size() - 1);
    const std::size_t begin = items[after - 1].item.end;
    separator = text.substr(begin, items[after].item.begin - begin);
  } else {
    const std::size_t begin = array.span.begin + 1;
    const std::string before = text.substr(begin, items[0].item.begin - begin);
    separator = before.find('\n') != std::string::npos ? "," + before : ", ";
  }
  if (place < items.size()) return {list.path, items[place].item.begin, 0, item + separator};
  return {list.path, items.back().item.end, 0, separator + item};
}

// Adds an array for a policy that the list lacks: after the last policy that precedes it, otherwise
// before the first one. A list has at least one.
Edit InsertArray(const PrecisionList& list, Policy policy, std::string_view json) {
  const std::string& text = list.document.text;
  const std::vector<JsonMember>& members = list.document.root.members;
  std::size_t neighbour = members.size();
  bool after = false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::optional<Policy> other = ParsePolicy(members[i].key);
    if (!other) continue;
    if (*other < policy) {
      neighbour = i;
      after = true;
    } else if (neighbour == members.size()) {
      neighbour = i;
    }
  }
  if (neighbour == members.size()) neighbour = 0;
  const JsonMember& member = members[neighbour];
  const std::size_t gap =
      neighbour == 0 ? list.document.root.span.begin + 1 : members[neighbour - 1].value.span.end;
  std::string white = text.substr(gap, member.key_span.begin - gap);
  white.erase(std::remove(white.begin(), white.end(), ','), white.end());
  const std::string colon =
      text.substr(member.key_span.end, member.value.span.begin - member.key_span.end);
  const std::string added = JsonQuote(PolicyName(policy)) + colon +
                            ArrayLayout(list.document).Array(member.key_span.begin, json);
  if (after) return {list.path, member.value.span.end, 0, "," + white + added};
  return {list.path, member.key_span.begin, 0, added + "," + white};
}

}  // namespace

std::optional<JsonDocument> ParseItem(const PrecisionList& list, const ListEntry& entry) {
  Diagnostics none;
  return ParseJson(list.path, list.document.text.substr(entry.item.begin, entry.item.size()), none);
}

std::optional<Edit> RemoveEntry(const PrecisionList& list, const ListEntry& entry) {
  if (!entry.source.empty()) return RemoveRow(list, entry);
  const JsonValue* const array = FindArray(list, entry.policy);
  const std::optional<std::size_t> found = FindEntry(list, entry);
  if (array == nullptr || !found) return std::nullopt;
  const std::size_t index = *found;
  const std::vector<ListEntry>& entries = list.entries;
  Span span = entry.item;
  if (index + 1 < entries.size() && IsOwn(entries[index + 1], entry.policy)) {
    span.end = entries[index + 1].item.begin;
  } else if (index > 0 && IsOwn(entries[index - 1], entry.policy)) {
    span.begin = entries[index - 1].item.end;
  } else {
    span = {array->span.begin + 1, array->span.end - 1};
  }
  return Edit{list.path, span.begin, span.end - span.begin, ""};
}

std::optional<Edit> RenameEntry(const PrecisionList& list, const ListEntry& entry,
                                std::string_view name) {
  if (!entry.source.empty()) return RenameRow(list, entry, name);
  if (!FindEntry(list, entry)) return std::nullopt;
  const std::optional<JsonDocument> item = ParseItem(list, entry);
  if (!item) return std::nullopt;
  const JsonValue* op = &item->root;
  if (op->kind == JsonValue::Kind::kObject) op = op->Find("op");
  if (op == nullptr) return std::nullopt;
  return Edit{list.path, entry.item.begin + op->span.begin, op->span.size(), JsonQuote(name)};
}

Edit InsertEntry(const PrecisionList& list, Policy policy, std::string_view op,
                 std::string_view json) {
  const JsonValue* array = FindArray(list, policy);
  return array != nullptr ? InsertInto(list, *array, EntriesOf(list, policy), op, json)
                          : InsertArray(list, policy, json);
}

std::optional<Edit> ReplaceEntry(const PrecisionList& list, const ListEntry& entry,
                                 const std::vector<std::string>& names) {
  if (!entry.source.empty()) return ReplaceRow(list, entry, names);
  return ReplaceEntry(list, entry, Join(names, ", ", JsonQuote));
}

Edit ReplaceEntry(const PrecisionList& list, const ListEntry& entry, std::string_view json) {
  return {list.path, entry.item.begin, entry.item.end - entry.item.begin, std::string(json)};
}

namespace {

// Returns whether the text can be cut here: not within a character or "\r\n".
bool IsBoundary(std::string_view text, std::size_t offset) {
  if (offset == 0 || offset >= text.size()) return true;
  const bool within = (static_cast<unsigned char>(text[offset]) & 0xC0U) == 0x80U;
  return !within && !(text[offset] == '\n' && text[offset - 1] == '\r');
}

}  // namespace

Edit EditBetween(const std::string& path, std::string_view before, std::string_view after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  const auto changed = std::mismatch(
      before.begin(), before.begin() + static_cast<std::ptrdiff_t>(shorter), after.begin());
  auto begin = static_cast<std::size_t>(changed.first - before.begin());
  while (!IsBoundary(before, begin) || !IsBoundary(after, begin)) --begin;
  std::size_t same = 0;  // length of the common suffix
  while (same < shorter - begin &&
         before[before.size() - 1 - same] == after[after.size() - 1 - same]) {
    ++same;
  }
  while (!IsBoundary(before, before.size() - same) || !IsBoundary(after, after.size() - same)) {
    --same;
  }
  return Edit{path, begin, before.size() - same - begin,
              std::string(after.substr(begin, after.size() - same - begin))};
}

std::string ApplyEdit(std::string text, const Edit& edit) {
  return text.replace(edit.offset, edit.length, edit.text);
}

}  // namespace opledger
