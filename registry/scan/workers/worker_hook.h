// Called in a worker with each file that it is about to read. Does nothing. Tests link another
// version that makes the worker fail on demand (tests/registry/scan/workers/worker_faults.cpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opledger::scan {

// `stage`: "outline" or "facts".
void WorkerHook(std::string_view stage, std::string_view path);

}  // namespace opledger::scan
