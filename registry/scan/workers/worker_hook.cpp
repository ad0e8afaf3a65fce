// The hook of the product does nothing.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/workers/worker_hook.h"

namespace opledger::scan {

void WorkerHook(std::string_view, std::string_view) {}

}  // namespace opledger::scan
