// `opledger run --serve FD MODEL`: a process that runs a model on request, for programs that run it
// often. Requests are lines of standard input, replies lines of standard output
// (schemas/session.schema.json); tensors are in a memory file that the caller creates and whose
// descriptor FD this program inherits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/commands/commands.h"

namespace opledger {

struct ServeOptions {
  int memory = -1;   // the descriptor
  RunOptions model;  // the model and how to run it; options of a single run are unused
};

// Runs until standard input ends, then returns 0. Returns 2, with errors, if the model could not be
// opened or a line is not a request. Invalid inputs are reported in the reply.
int Serve(const ServeOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
