// The source lines of findings, for snippets: from the lists' own text, otherwise from files below
// the root. Files outside the root are never shown, even if a manifest names them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/precision_list/precision_list.h"
#include "registry/source/source.h"
#include "registry/text/location.h"
#include "registry/text/text.h"

namespace opledger {

class SourceLines {
 public:
  // The lists must outlive this object.
  SourceLines(Source source, const std::vector<PrecisionList>& lists);

  // Uses the lists' own text for these lists, too.
  void Add(const std::vector<PrecisionList>& lists);

  // Returns the line without its line end, or "" if there is none or if it may not be shown.
  const std::string& Line(const Location& location);
  // Returns a whole file, valid as long as this object, or "" if it may not be shown.
  std::string_view Bytes(const std::string& path) { return Find(path).bytes; }
  // Like Bytes, but does not keep the file: valid until the next call.
  std::string_view Peek(const std::string& path);
  // Replaces the contents of the file.
  void Replace(const std::string& path, std::string bytes) {
    Text& text = texts_[path];
    text.own = std::move(bytes);
    text.bytes = text.own;
    text.lines.reset();
  }

 private:
  struct Text {
    std::string own;                 // contents of a file
    std::string_view bytes;          // `own`, or a list's text
    std::optional<LineIndex> lines;  // nullopt until a line is requested
  };
  Text& Find(const std::string& path);
  std::string Read(const std::string& path) const;

  Source source_;
  std::map<std::string, Text> texts_;
  std::string line_;
  std::string peeked_;
};

}  // namespace opledger
