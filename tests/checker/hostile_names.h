// Names and paths as nobody sane would write them, but a pull request may.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

inline std::vector<std::string> HostileNames() {
  using std::string_literals::operator""s;
  std::vector<std::string> names = {
      // Lines and workflow commands.
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
      // Terminals.
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
      // Text that turns or hides.
      "\xE2\x80\xAE"
      "evil",
      "\xE2\x81\xA6x\xE2\x81\xA9",
      "a\xE2\x80\xA8"
      "b",
      "a\xE2\x80\xA9"
      "b",
      "\xEF\xBB\xBFop",
      // Not UTF-8.
      "\xFF",
      "\xC3\x28",
      "\xED\xA0\x80",
      "\xF4\x90\x80\x80",
      "\xC0\xAF",
      "op\x80op",
      "\xE2\x82",
      // Markup and languages.
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
      // Paths.
      "../../../etc/passwd",
      "/etc/passwd",
      "C:\\x",
      "//host/share",
      "a b",
      "a#b?c",
      "a:1:1",
      // Size.
      std::string(65536, 'x'),
      std::string(3000, '%'),
      std::string(3000, '\n'),
  };
  return names;
}

}  // namespace opledger
