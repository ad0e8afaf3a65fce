// What a command prints to: diagnostics on standard error, results on standard output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "registry/text/diagnostics.h"

namespace opledger {

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

}  // namespace opledger
