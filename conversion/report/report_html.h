// Renders a conversion report as a single page that loads nothing else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/report/report.h"

namespace opledger {

std::string RenderReportHtml(const ConversionReport& report, const Graph& graph);

}  // namespace opledger
