// A process that measures one way of running a model, on request: `opledger-run --bench-worker`.
// It says "ready OPEN PLAN ON_CPU" (CPU seconds to read the model and to plan it), "same WHY" (no
// node would run low) or "problem WHY" and ends, or answers these lines:
//   run N    ran CPU CLOCK         seconds of one of at least N runs, the median
//   kernels  SECONDS STEP ... end  of one more run; STEP: as in a recorded plan
//   memory   memory BYTES          the most since the process began, beyond what it had then; or -
//   shapes   shapes SEEN NEW       CPU seconds, as ShapeCosts; NEW: - where there are no new shapes
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "kernels/bench/suite.h"
#include "kernels/model/autocast_options.h"
#include "registry/platform/child_process.h"

namespace opledger {

struct WorkerOptions {
  BenchModel model;
  AutocastOptions autocast;
  std::string device = "cpu";
  int threads = 1;
};

// Until its input ends.
int BenchWorker(const WorkerOptions& options, std::string& text, Diagnostics& diagnostics);

// A process of this program that does so.
ChildProcess StartWorker(const WorkerOptions& options);

}  // namespace opledger
