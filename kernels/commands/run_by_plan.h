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
// One line for each pass of planning is added to `text`, if `options` ask for it:
//   fuse-contractions: 5 of 6 nodes in 3 steps, 0 casts, 0.012 ms
// and the plan after it written; with an error if it cannot be. Empty: nobody asks.
WatchPass WatchPasses(const RunOptions& options, std::string& text, Diagnostics& diagnostics);
// Writes it after planning.
bool WriteRecord(RecordedPlan recorded, const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
