// Links from documentation to the source: --source-url TEMPLATE with {path} and {line} in it.
//   https://github.com/apache/mxnet/blob/master/{path}#L{line}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "registry/text/diagnostics.h"

namespace opledger {

// Whether it can serve: http or https, an address before the first {path}. Else what is wrong.
std::optional<std::string> SourceUrlProblem(std::string_view text);

class SourceLink {
 public:
  SourceLink() = default;
  // `url`: a template without a problem, or empty: places are text.
  explicit SourceLink(std::string url) : url_(std::move(url)) {}

  // Empty where there is no template, or the path leads outside the source.
  std::string Url(const Location& location) const;
  // "src/a.cc:3". The line is left out where there is a template without {line}: then nothing of
  // the documentation changes when lines only move.
  std::string Text(const Location& location) const;
  bool has_lines() const { return url_.find("{line}") != std::string::npos; }

 private:
  std::string url_;
};

// The anchor of an operator, "op-exp": letters, digits, `_`, `.`, `:` and `-` as they are, other
// bytes as ~XX. Different names have different anchors.
std::string OperatorAnchor(std::string_view name);

}  // namespace opledger
