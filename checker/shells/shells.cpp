// The table of shells.
// SPDX-License-Identifier: Apache-2.0
#include "checker/shells/shells.h"

namespace opledger {

extern const Shell kBashShell;
extern const Shell kZshShell;

const std::vector<Shell>& Shells() {
  static const std::vector<Shell> shells = {kBashShell, kZshShell};
  return shells;
}

const Shell* FindShell(std::string_view name) {
  for (const Shell& shell : Shells()) {
    if (shell.name == name) return &shell;
  }
  return nullptr;
}

}  // namespace opledger
