// The script of the page of documentation: search, filters, order, links to operators. Without it
// the page shows everything.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opledger {

const char* PageScript();

// What a content security policy calls the script: "'sha256-...'". Nothing else runs in the page.
std::string PageScriptHash();

}  // namespace opledger
