// The lines that findings point at, for snippets: from the lists' own text, else from files below
// the root. Files outside the root are never shown, whatever a manifest says.
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
  // The lists must outlive this.
  SourceLines(Source source, const std::vector<PrecisionList>& lists);

  // Of these lists, too, the lines are those of their own text.
  void Add(const std::vector<PrecisionList>& lists);

  // Without its line end; empty where there is no such line, or it may not be shown.
  const std::string& Line(const Location& location);
  // All of a file, until this is gone; empty where it may not be shown.
  std::string_view Bytes(const std::string& path) { return Find(path).bytes; }
  // The same where it is not to be kept: valid until the next call.
  std::string_view Peek(const std::string& path);
  // From now on the file is as if it held these bytes.
  void Replace(const std::string& path, std::string bytes) {
    Text& text = texts_[path];
    text.own = std::move(bytes);
    text.bytes = text.own;
    text.lines.reset();
  }

 private:
  struct Text {
    std::string own;                 // of a file
    std::string_view bytes;          // `own`, or a list's text
    std::optional<LineIndex> lines;  // none until a line is asked for
  };
  Text& Find(const std::string& path);
  std::string Read(const std::string& path) const;

  Source source_;
  std::map<std::string, Text> texts_;
  std::string line_;
  std::string peeked_;
};

}  // namespace opledger
