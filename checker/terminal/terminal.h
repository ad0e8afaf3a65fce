// What a command prints to, and what it prints safely: diagnostics, colour, source lines, links,
// words quoted for a shell or for Markdown; exit statuses.
// May include: registry/precision_list, registry/project, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "registry/text/diagnostics.h"

namespace opledger {

// The exit status of every verb. 2 beats 3 beats 1.
inline constexpr int kExitClean = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitFailed = 2;      // could not run: usage, configuration, files
inline constexpr int kExitIncomplete = 3;  // ran, but could not read all of the source

// On standard output.
void Print(std::string_view text);

// Shows them on standard error; gives the exit status of a command that could not run.
int Fail(const Diagnostics& diagnostics);
void Show(const Diagnostics& diagnostics);

struct ColorUse {
  bool on = false;
  const char* why = "";  // "--color", "NO_COLOR", "TERM", "a terminal", "no terminal"
};
ColorUse DecideColor(const std::string& choice);

// Whether standard output takes colour: `choice` is auto, always or never. "auto" means a terminal,
// without NO_COLOR in the environment and with a TERM that is not "dumb".
bool UseColor(const std::string& choice);

// "src/a.cc:3:7", "src/a.cc" for a whole file, "opledger" for no file at all.
std::string ShownPlace(const Location& location);

// `path` so that no line that starts with it is taken for a command of a pipeline: "::error"
// becomes "./::error". What Printable() escapes becomes \xNN.
std::string ShownPath(std::string_view path);

}  // namespace opledger
