// The style sheet of the page of documentation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opledger {

// To stand behind that of every page (registry/text/page_style.h).
const char* DocsStyle();

}  // namespace opledger
