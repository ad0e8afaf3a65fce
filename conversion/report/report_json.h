// Renders a conversion report as JSON (schemas/conversion.schema.json).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/report/report.h"

namespace opledger {

// The output is reproducible: it contains no time, host or installation path.
std::string RenderReportJson(const ConversionReport& report);

}  // namespace opledger
