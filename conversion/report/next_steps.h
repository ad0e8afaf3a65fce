// Suggests what a user may try next, based on a report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

struct ConversionReport;

struct NextStep {
  std::string text;     // why
  std::string command;  // the command with the model's name; empty: none
};

// Returns the format's suggestions and general ones. Each command is valid for opledger.
std::vector<NextStep> FindNextSteps(const ConversionReport& report);

// Returns `opledger convert` of the model with these options.
std::string ConvertCommand(const std::string& model, const std::string& options);
// Returns the last component of a path.
std::string FileName(const std::string& path);

}  // namespace opledger
