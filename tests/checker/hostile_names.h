// Names and paths that no honest project has, but a pull request may.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

// Line breaks and workflow commands.
inline std::vector<std::string> HostileLines() {
  return {
      "a\nb",
      "a\r\nb",
      "a\rb",
      "\n",
      "\n\n\n",
      "x\n::error::forged",
      "::error::forged",
      "::error file=a,line=1::forged",
      "::set-output name=a::b",
      "::stop-commands::x",
      "##[error]forged",
      "##vso[task.complete]",
      "x\n##[group]y",
      "a%0Ab",
      "a%0D%0A::error::b",
      "%25",
      "a,b:c=d",
      "::add-mask::x",
      "\x0B::error::x",
      "\x0C::error::x",
  };
}

// Terminal control sequences.
inline std::vector<std::string> HostileTerminal() {
  using std::string_literals::operator""s;
  return {
      "\x1b[31mred\x1b[0m",
      "\x1b]0;title\x07",
      "\x1b]8;;http://x\x1b\\link",
      "a\bb",
      "\x7f",
      "\x9b"
      "31m",
      "\xC2\x9B"
      "31m",
      "a\tb",
      "a\0b"s,
      "\0"s,
  };
}

// Bidirectional and invisible characters.
inline std::vector<std::string> HostileTurning() {
  return {
      "a\xEF\xBF\xBE",  // U+FFFE and U+FFFF, invalid in XML
      "a\xEF\xBF\xBF",
      "\xE2\x80\xAE"
      "evil",
      "\xE2\x81\xA6x\xE2\x81\xA9",
      "a\xE2\x80\xA8"
      "b",
      "a\xE2\x80\xA9"
      "b",
      "\xEF\xBB\xBFop",
  };
}

// Invalid UTF-8.
inline std::vector<std::string> HostileNotUtf8() {
  return {
      "\xFF", "\xC3\x28", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC0\xAF", "op\x80op", "\xE2\x82",
  };
}

// Markup and templates.
inline std::vector<std::string> HostileMarkup() {
  return {
      "<script>alert(1)</script>",
      "</script><!--",
      "&amp;&lt;",
      "\"quoted\"",
      "'single'",
      "back\\slash",
      "\\u0041",
      "\\x1b",
      "{0}",
      "{{0}}",
      "[link](http://x)",
      "![i](http://x)",
      "](",
      "`code`",
      "${HOME}",
      "$(rm -rf .)",
      "; rm -rf .",
      "| cat",
      "-rf",
      "--list",
  };
}

// Paths.
inline std::vector<std::string> HostilePaths() {
  return {
      "../../../etc/passwd", "/etc/passwd", "C:\\x", "//host/share", "a b", "a#b?c", "a:1:1",
  };
}

// Length.
inline std::vector<std::string> HostileLong() {
  return {
      std::string(65536, 'x'),
      std::string(3000, '%'),
      std::string(3000, '\n'),
  };
}

inline std::vector<std::string> HostileNames() {
  std::vector<std::string> all;
  for (const auto& names : {HostileLines(), HostileTerminal(), HostileTurning(), HostileNotUtf8(),
                            HostileMarkup(), HostilePaths(), HostileLong()}) {
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

}  // namespace opledger
