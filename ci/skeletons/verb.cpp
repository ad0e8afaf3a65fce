// opledger @NAME@: prints its name.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "checker/commands/commands.h"

namespace opledger {
namespace {

VerbCall Prepare@PASCAL@() {
  VerbCall call;
  call.run = [](const GlobalOptions& global) {
    if (!global.quiet) std::puts("@NAME@");
    return 0;
  };
  return call;
}

}  // namespace

extern const Command k@PASCAL@Command = {.name = "@NAME@",
                                         .summary = "Print a name",
                                         .examples = "Examples:\n"
                                                     "  opledger @NAME@\n"
                                                     "      prints its name\n"
                                                     "  opledger @NAME@ -q\n"
                                                     "      prints nothing",
                                         .prepare = Prepare@PASCAL@};

}  // namespace opledger
