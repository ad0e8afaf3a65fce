// Span arithmetic over a list's text. New text copies the white space it finds between its
// neighbours, so it looks like them.
// SPDX-License-Identifier: Apache-2.0
#include "checker/edit/edit.h"

#include <algorithm>

#include "registry/json/json_write.h"

namespace opledger {
namespace {

// How a list file lays out its arrays, learnt from the file itself, for arrays that are new or were
// empty: on one line or one item a line, with which indentation and which line ends.
class ArrayLayout {
 public:
  explicit ArrayLayout(const JsonDocument& document);

  // An array with one item, for a member whose line holds the byte at `offset`.
  std::string Array(std::size_t offset, std::string_view item) const;

 private:
  const JsonDocument& document_;
  bool many_lines_ = false;
  std::string line_end_ = "\n";
  std::string unit_ = "  ";  // one level of indentation
};

// The white space at the start of the line that holds `offset`.
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
  // The first array with items shows how arrays are written here.
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

// The array that holds the item, and its place in it.
struct ItemPlace {
  const JsonValue* array = nullptr;
  std::size_t index = 0;
};

ItemPlace FindItem(const PrecisionList& list, Span item) {
  for (const JsonMember& member : list.document.root.members) {
    const std::vector<JsonValue>& items = member.value.items;
    const auto found = std::lower_bound(
        items.begin(), items.end(), item.begin,
        [](const JsonValue& each, std::size_t begin) { return each.span.begin < begin; });
    if (found != items.end() && found->span == item) {
      return {&member.value, static_cast<std::size_t>(found - items.begin())};
    }
  }
  return {};
}

bool IsInherited(const PrecisionList& list, const ListEntry& entry) {
  return entry.location.path != list.path || FindItem(list, entry.item).array == nullptr;
}

std::string_view NameOf(const JsonValue& item) {
  if (item.kind == JsonValue::Kind::kString) return item.string;
  const JsonValue* op = item.Find("op");
  return op != nullptr ? std::string_view(op->string) : std::string_view();
}

bool LessIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return lower(x) < lower(y); });
}

// Where `op` belongs among the items: by bytes or, failing that, ignoring case; else at the end.
std::size_t SortedPlace(const std::vector<JsonValue>& items, std::string_view op) {
  using Less = bool (*)(std::string_view, std::string_view);
  const Less by_bytes = [](std::string_view a, std::string_view b) { return a < b; };
  for (const Less less : {by_bytes, Less(LessIgnoringCase)}) {
    const bool sorted = std::is_sorted(
        items.begin(), items.end(),
        [&](const JsonValue& a, const JsonValue& b) { return less(NameOf(a), NameOf(b)); });
    if (!sorted) continue;
    std::size_t place = 0;
    while (place < items.size() && !less(op, NameOf(items[place]))) ++place;
    return place;
  }
  return items.size();
}

Edit InsertInto(const PrecisionList& list, const JsonValue& array, std::string_view op,
                std::string_view json) {
  const std::string& text = list.document.text;
  const std::vector<JsonValue>& items = array.items;
  const std::string item(json);
  if (items.empty()) {
    const std::string filled = ArrayLayout(list.document).Array(array.span.begin, item);
    return {list.path, array.span.begin, array.span.end - array.span.begin, filled};
  }
  const std::size_t place = SortedPlace(items, op);
  // Any two neighbours show what stands between items here; a single item shows what precedes it.
  std::string separator;
  if (items.size() > 1) {
    const std::size_t after = std::clamp<std::size_t>(place, 1, items.size() - 1);
    const std::size_t begin = items[after - 1].span.end;
    separator = text.substr(begin, items[after].span.begin - begin);
  } else {
    const std::size_t begin = array.span.begin + 1;
    const std::string before = text.substr(begin, items[0].span.begin - begin);
    separator = before.find('\n') != std::string::npos ? "," + before : ", ";
  }
  if (place < items.size()) return {list.path, items[place].span.begin, 0, item + separator};
  return {list.path, items.back().span.end, 0, separator + item};
}

// The array of a policy the list does not have yet: after the last policy that comes before it,
// else before the first policy of all. A list has at least one.
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

std::optional<Edit> RemoveEntry(const PrecisionList& list, const ListEntry& entry) {
  if (IsInherited(list, entry)) return std::nullopt;
  const ItemPlace place = FindItem(list, entry.item);
  const std::vector<JsonValue>& items = place.array->items;
  Span span = entry.item;
  if (items.size() == 1) {
    span = {place.array->span.begin + 1, place.array->span.end - 1};
  } else if (place.index + 1 < items.size()) {
    span.end = items[place.index + 1].span.begin;
  } else {
    span.begin = items[place.index - 1].span.end;
  }
  return Edit{list.path, span.begin, span.end - span.begin, ""};
}

std::optional<Edit> RenameEntry(const PrecisionList& list, const ListEntry& entry,
                                std::string_view name) {
  if (IsInherited(list, entry)) return std::nullopt;
  const ItemPlace place = FindItem(list, entry.item);
  const JsonValue& item = place.array->items[place.index];
  const JsonValue* op = item.kind == JsonValue::Kind::kObject ? item.Find("op") : &item;
  if (op == nullptr) return std::nullopt;
  return Edit{list.path, op->span.begin, op->span.end - op->span.begin, JsonQuote(name)};
}

Edit InsertEntry(const PrecisionList& list, Policy policy, std::string_view op,
                 std::string_view json) {
  const JsonValue* array = FindArray(list, policy);
  return array != nullptr ? InsertInto(list, *array, op, json) : InsertArray(list, policy, json);
}

Edit ReplaceEntry(const PrecisionList& list, const ListEntry& entry, std::string_view json) {
  return {list.path, entry.item.begin, entry.item.end - entry.item.begin, std::string(json)};
}

std::string ApplyEdit(std::string text, const Edit& edit) {
  return text.replace(edit.offset, edit.length, edit.text);
}

}  // namespace opledger
