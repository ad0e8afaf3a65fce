// A process that measures one way of running a model: `opledger-run --bench-worker`. It first
// prints "ready OPEN PLAN ON_CPU" (CPU seconds to read and to plan the model, CpuShareText()), or
// prints "same WHY" (no node would run low) or "problem WHY" and exits. Then it answers requests,
// one per line:
//   run N    ran CPU CLOCK         seconds of a run, the median of at least N runs
//   kernels  SECONDS STEP ... end  one more run; STEP: as in a recorded plan
//   memory   memory BYTES          peak beyond the bytes at the start, or -
//   shapes   shapes SEEN NEW       CPU seconds, see ShapeCosts; NEW is - if there are no new shapes
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

// Answers requests until the standard input ends or one fails. `text` and `diagnostics` are not
// used. Returns 0.
int BenchWorker(const WorkerOptions& options, std::string& text, Diagnostics& diagnostics);

// Starts a process of this program that runs BenchWorker.
ChildProcess StartWorker(const WorkerOptions& options);

}  // namespace opledger
