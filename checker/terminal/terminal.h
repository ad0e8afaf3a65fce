// Terminal output and exit statuses: diagnostics, color, source lines, links, and words quoted for
// a shell or for Markdown.
// May include: registry/precision_list, registry/project, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/text/diagnostics.h"

namespace opledger {

// The exit status of every verb. 2 takes precedence over 3, and 3 over 1.
inline constexpr int kExitClean = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitFailed = 2;      // could not run: usage, configuration, files
inline constexpr int kExitIncomplete = 3;  // ran, but could not read all of the source

// Prints to standard output.
void Print(std::string_view text);

// Prints to standard error. Fail() returns the exit status of a command that could not run.
int Fail(const Diagnostics& diagnostics);
void Show(const Diagnostics& diagnostics);

struct ColorUse {
  bool on = false;
  const char* why = "";  // such as "--color", "NO_COLOR", "TERM", "a terminal", "no terminal"
};
ColorUse DecideColor(const std::string& choice);

// Returns whether standard output is colored. `choice` is auto, always or never. "auto" requires a
// terminal, no NO_COLOR in the environment, and a TERM other than "dumb".
bool UseColor(const std::string& choice);

// Returns "src/a.cc:3:7", "src/a.cc" for a whole file, or "opledger" without a file.
std::string ShownPlace(const Location& location);

// Returns `path` in a form that no CI system takes for a command at the start of a line: "::error"
// becomes "./::error". Bytes that Printable() escapes become \xNN.
std::string ShownPath(std::string_view path);

}  // namespace opledger
