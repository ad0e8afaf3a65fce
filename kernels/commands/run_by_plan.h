// What `opledger run` does about recorded plans: --plan FILE and --write-plan FILE.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/commands/commands.h"
#include "kernels/plan/plan_replay.h"

namespace opledger {

// Reads the plan that `options` name, and sets the process up as it was when the plan was made:
// threads, and how bfloat16 is multiplied. None, with errors: it cannot be read, or says otherwise
// than the other options.
std::optional<PlanReplay> OpenPlan(const RunOptions& options, Diagnostics& diagnostics);

// A record of this run, which the planner fills.
RecordedPlan BeginRecord(const RunOptions& options);
// Adds a line for each pass of planning to `text`:
//   fuse-contractions: 5 of 6 nodes in 3 steps, 0 casts, 0.012 ms
// and writes the plan after it, or reports an error. Returns nullptr if `options` ask for neither.
WatchPass WatchPasses(const RunOptions& options, std::string& text, Diagnostics& diagnostics);
// Writes it after planning.
bool WriteRecord(RecordedPlan recorded, const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
