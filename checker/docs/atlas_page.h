// Renders the atlas as an HTML page and as Markdown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/docs/atlas.h"

namespace opledger {

std::string AtlasHtml(const Atlas& atlas);  // needs no script; has an anchor for each operation
std::string AtlasMarkdown(const Atlas& atlas);

}  // namespace opledger
