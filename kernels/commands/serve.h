// `opledger run --serve FD MODEL`: one process that runs a model on request, for programs that run
// it often. Requests are lines of standard input, replies lines of standard output
// (schemas/session.schema.json); tensors lie in a memory file that the starter made and whose
// descriptor FD it left open to this program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/commands/commands.h"

namespace opledger {

struct ServeOptions {
  int memory = -1;   // the descriptor
  RunOptions model;  // how to open it and what to run it on; of one run nothing
};

// Until standard input ends. 0: it ended; 2, with errors: the model could not be opened, or what
// was asked is no request. What is wrong with one request's inputs is its reply.
int Serve(const ServeOptions& options, std::string& text, Diagnostics& diagnostics);

}  // namespace opledger
