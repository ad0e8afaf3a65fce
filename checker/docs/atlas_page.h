// The atlas as a page of its own, and as a Markdown table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/docs/atlas.h"

namespace opledger {

std::string AtlasHtml(const Atlas& atlas);  // needs no script; an anchor for each operation
std::string AtlasMarkdown(const Atlas& atlas);

}  // namespace opledger
