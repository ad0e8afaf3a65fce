// Recorded plans in `opledger run`: --plan FILE and --write-plan FILE.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/commands/commands.h"
#include "kernels/plan/plan_replay.h"

namespace opledger {

// Reads the plan named in `options`, and restores the process's settings at its recording: threads,
// and how bfloat16 is multiplied. Returns nullopt, with errors, if the plan cannot be read or
// contradicts other options.
std::optional<PlanReplay> OpenPlan(const RunOptions& options, Diagnostics& diagnostics);

// Starts a record of this run, which the planner completes.
RecordedPlan BeginRecord(const RunOptions& options);
// Returns a function that adds a line for each pass of planning to `text`:
//   fuse-contractions: 5 of 6 nodes in 3 steps, 0 casts, 0.012 ms
// and writes the plan after it, or reports an error. Returns nullptr if `options` request neither.
WatchPass WatchPasses(const RunOptions& options, std::string& text, Diagnostics& diagnostics);
// Writes the record after planning. Returns false, with an error, on failure.
bool WriteRecord(RecordedPlan recorded, const std::string& path, Diagnostics& diagnostics);

}  // namespace opledger
