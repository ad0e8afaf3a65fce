// Detects the layout from the symbol's list of nodes, which every such file has.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/json_layout.h"

#include <algorithm>

namespace opledger {
namespace {

constexpr std::size_t kMaxNumbersOnALine = 10;  // as in dmlc-core's writer

// Returns the text between a key and its value.
std::string ColonOf(std::string_view text, const JsonValue& object) {
  if (object.members.empty()) return ": ";
  const JsonMember& member = object.members.front();
  return std::string(
      text.substr(member.key_span.end, member.value.span.begin - member.key_span.end));
}

// Returns the text between two numbers, searching from `value` inward. Empty if there are none.
std::string CommaOf(std::string_view text, const JsonValue& value) {
  if (value.kind == JsonValue::Kind::kArray) {
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      std::string inner = CommaOf(text, value.items[i]);
      if (!inner.empty()) return inner;
      if (i == 0 || value.items[i].kind != JsonValue::Kind::kInteger) continue;
      const std::size_t begin = value.items[i - 1].span.end;
      return std::string(text.substr(begin, value.items[i].span.begin - begin));
    }
  }
  for (const JsonMember& member : value.members) {
    std::string inner = CommaOf(text, member.value);
    if (!inner.empty()) return inner;
  }
  return {};
}

}  // namespace

JsonLayout::JsonLayout(const JsonDocument& document) : text_(document.text) {
  const JsonValue* nodes = document.root.Find("nodes");
  if (nodes == nullptr || nodes->items.empty()) return;
  colon_ = ColonOf(text_, document.root);
  const JsonValue& first = nodes->items.front();
  const std::string_view before =
      text_.substr(nodes->span.begin, first.span.begin - nodes->span.begin);
  if (before.find('\n') == std::string_view::npos) {
    const std::string comma = CommaOf(text_, document.root);
    if (!comma.empty() && comma.find('\n') == std::string::npos) comma_ = comma;
    return;
  }
  style_ = text_.find(", \n") != std::string_view::npos ? Style::kDmlc : Style::kSpread;
  const std::string outer = IndentAt(nodes->span.begin);
  const std::string inner = IndentAt(first.span.begin);
  step_ = inner.size() > outer.size() ? inner.substr(outer.size()) : "  ";
}

std::string JsonLayout::IndentAt(std::size_t at) const {
  const std::size_t line = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  const std::size_t end = std::min(text_.find_first_not_of(" \t", begin), text_.size());
  return std::string(text_.substr(begin, end - begin));
}

std::string JsonLayout::Separator(const std::string& indent) const {
  if (style_ == Style::kLine) return comma_;
  return (style_ == Style::kDmlc ? ", \n" : ",\n") + indent;
}

std::string JsonLayout::Join(const std::vector<std::string>& items, const char* brackets,
                             const std::string& indent, bool broken) const {
  std::string text(1, brackets[0]);
  const std::string inner = Deeper(indent);
  const std::string separator = broken ? Separator(inner) : comma_;
  if (broken && !items.empty()) text += "\n" + inner;
  for (std::size_t i = 0; i < items.size(); ++i) text += (i > 0 ? separator : "") + items[i];
  if (broken && !items.empty()) text += "\n" + indent;
  return text += brackets[1];
}

std::string JsonLayout::Numbers(const std::vector<std::string>& items,
                                const std::string& indent) const {
  const bool broken =
      style_ == Style::kSpread || (style_ == Style::kDmlc && items.size() > kMaxNumbersOnALine);
  return Join(items, "[]", indent, broken);
}

std::string JsonLayout::Reference(const std::vector<std::string>& items,
                                  const std::string& indent) const {
  const bool broken = style_ == Style::kSpread;
  return Join({Join(items, "[]", Deeper(indent), broken)}, "[]", indent, broken);
}

std::string JsonLayout::Object(const std::vector<Member>& members, const std::string& indent,
                               bool node) const {
  std::vector<std::string> items;
  for (const Member& member : members) items.push_back(MemberText(member));
  const bool broken =
      style_ == Style::kSpread || (style_ == Style::kDmlc && (node || members.size() > 1));
  return Join(items, "{}", indent, broken);
}

}  // namespace opledger
