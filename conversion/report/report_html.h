// A conversion report as one page for people: no network, no scripts, nothing beside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/report/report.h"

namespace opledger {

std::string RenderReportHtml(const ConversionReport& report, const Graph& graph);

}  // namespace opledger
