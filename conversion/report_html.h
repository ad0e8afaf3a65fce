// A conversion report as one page for people: no network, no scripts, nothing beside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/report.h"

namespace opledger {

std::string RenderReportHtml(const ConversionReport& report, const Graph& graph);

// The style sheet of the page.
const char* ReportStyle();

}  // namespace opledger
