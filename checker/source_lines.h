// The lines that findings point at, for snippets: from the lists' own text, else from files below
// the root. What lies outside the root is never shown, whatever a manifest says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "registry/location.h"
#include "registry/precision_list.h"

namespace opledger {

class SourceLines {
 public:
  // `root` is absolute. The lists must outlive this.
  SourceLines(std::string root, const std::vector<PrecisionList>& lists);

  // Without its line end; empty where there is no such line, or it may not be shown.
  const std::string& Line(const Location& location);

 private:
  struct Text {
    std::string bytes;
    std::vector<std::size_t> line_starts;
  };
  const Text& Find(const std::string& path);
  std::string ReadBelowRoot(const std::string& path) const;

  std::string root_;
  std::map<std::string, Text> texts_;
  std::string line_;
};

}  // namespace opledger
