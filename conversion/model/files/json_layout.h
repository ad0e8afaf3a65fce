// Detects the layout of a JSON file, so that insertions look like the rest.
//   dmlc     MXNet's own writer: two spaces per level, ", " even before a line break; up to ten
//            numbers per line, objects with one member too
//   spread   every object and array on several lines, as in pretty-printed JSON
//   line     everything on one line
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/json/json.h"

namespace opledger {

class JsonLayout {
 public:
  explicit JsonLayout(const JsonDocument& document);

  // Returns the indentation of the line that contains `at`.
  std::string IndentAt(std::size_t at) const;
  // Adds one level.
  std::string Deeper(const std::string& indent) const { return indent + step_; }

  // Format items and members, which are given as JSON, for a line indented by `indent`.
  std::string Numbers(const std::vector<std::string>& items, const std::string& indent) const;
  // [[1, 0, 0]]: a list of one reference.
  std::string Reference(const std::vector<std::string>& items, const std::string& indent) const;
  struct Member {
    std::string key;    // with quotes
    std::string value;  // as JSON
  };
  // `node`: use several lines in dmlc too, even for few members.
  std::string Object(const std::vector<Member>& members, const std::string& indent,
                     bool node) const;
  std::string MemberText(const Member& member) const { return member.key + colon_ + member.value; }
  // Returns the text between two items on lines indented by `indent`.
  std::string Separator(const std::string& indent) const;

 private:
  enum class Style { kDmlc, kSpread, kLine };
  std::string Join(const std::vector<std::string>& items, const char* brackets,
                   const std::string& indent, bool broken) const;

  std::string_view text_;
  Style style_ = Style::kLine;
  std::string step_;          // per level
  std::string comma_ = ", ";  // between items on one line
  std::string colon_ = ": ";
};

}  // namespace opledger
