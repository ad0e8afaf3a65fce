// The version, as set by the file VERSION.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/version.h"

namespace opledger {

const char* Version() { return OPLEDGER_VERSION; }

}  // namespace opledger
