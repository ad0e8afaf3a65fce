// Shells for which `opledger completion` writes a script, one file each under shells/, listed in
// shells.cpp. What can be completed comes from the verbs' syntax and from option_values.h; no
// script lists anything by hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/platform/command_line.h"

namespace opledger {

struct Shell {
  const char* name;
  // The script; verbs.front(), without a name, holds the options that stand before a verb.
  std::string (*script)(const std::vector<VerbSyntax>& verbs);
};

const std::vector<Shell>& Shells();
const Shell* FindShell(std::string_view name);

}  // namespace opledger
