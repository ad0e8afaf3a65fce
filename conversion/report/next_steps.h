// What a model's author may try next, of what a report holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

struct ConversionReport;

struct NextStep {
  std::string text;     // why
  std::string command;  // what to type, with the model's name; empty: nothing
};

// Those of the format, and what else there is. Each command is one that opledger takes.
std::vector<NextStep> FindNextSteps(const ConversionReport& report);

// `opledger convert` of the model with these options.
std::string ConvertCommand(const std::string& model, const std::string& options);
// A path's last part.
std::string FileName(const std::string& path);

}  // namespace opledger
