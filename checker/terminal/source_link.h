// Links from documentation to the source, from --source-url TEMPLATE with {path} and {line}.
//   https://github.com/apache/mxnet/blob/master/{path}#L{line}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/text/diagnostics.h"

namespace opledger {

// Returns what is wrong with a template, or nullopt if it is valid: http or https, with a host
// before the first {path}.
std::optional<std::string> SourceUrlProblem(std::string_view text);

class SourceLink {
 public:
  SourceLink() = default;
  // `url` is a valid template. If it is empty, places are plain text.
  explicit SourceLink(std::string url) : url_(std::move(url)) {}

  // Returns "" if there is no template, or if the path leaves the source tree.
  std::string Url(const Location& location) const;
  // Returns "src/a.cc:3". Omits the line if the template has no {line}, so that documentation does
  // not change if lines only move.
  std::string Text(const Location& location) const;
  bool has_lines() const { return url_.find("{line}") != std::string::npos; }

 private:
  std::string url_;
};

// Returns the anchor of an operator, such as "op-exp". Keeps letters, digits, `_`, `.`, `:` and
// `-`; encodes other bytes as ~XX. Anchors of different names differ.
std::string OperatorAnchor(std::string_view name);

}  // namespace opledger
