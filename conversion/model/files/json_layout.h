// How a JSON file is laid out, so that what is put into it looks like what is there.
//   dmlc     MXNet's own writer: two blanks a level, ", " also before a line break; up to ten
//            numbers on one line, objects of one member too
//   spread   every object and array over lines, as JSON is often printed
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

  // The blanks that begin the line in which `at` stands.
  std::string IndentAt(std::size_t at) const;
  // One level deeper.
  std::string Deeper(const std::string& indent) const { return indent + step_; }

  // Items and members are given as they are to be written, in a line that begins with `indent`.
  std::string Numbers(const std::vector<std::string>& items, const std::string& indent) const;
  // [[1, 0, 0]]: a list of one reference.
  std::string Reference(const std::vector<std::string>& items, const std::string& indent) const;
  struct Member {
    std::string key;    // with its quotes
    std::string value;  // likewise
  };
  // `node`: over lines in dmlc too, however few members there are.
  std::string Object(const std::vector<Member>& members, const std::string& indent,
                     bool node) const;
  std::string MemberText(const Member& member) const { return member.key + colon_ + member.value; }
  // What stands between two items in lines that begin with `indent`.
  std::string Separator(const std::string& indent) const;

 private:
  enum class Style { kDmlc, kSpread, kLine };
  std::string Join(const std::vector<std::string>& items, const char* brackets,
                   const std::string& indent, bool broken) const;

  std::string_view text_;
  Style style_ = Style::kLine;
  std::string step_;          // of one level
  std::string comma_ = ", ";  // between items on one line
  std::string colon_ = ": ";
};

}  // namespace opledger
