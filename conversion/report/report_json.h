// A conversion report as JSON, for programs: schemas/conversion.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conversion/report/report.h"

namespace opledger {

// The same conversion gives the same bytes anywhere: no time, no host, no place of installation.
std::string RenderReportJson(const ConversionReport& report);

}  // namespace opledger
