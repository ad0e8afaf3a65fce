// The words that flags choose from, where no table of files holds them. The command line, its help,
// completions and suggestions all read them here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

std::vector<std::string> ColorChoices();
std::vector<std::string> FailOnChoices();  // "never" among them
std::vector<std::string> ScanModes();
std::vector<std::string> DiffFormats();
std::vector<std::string> BaselineActions();
std::vector<std::string> TargetDtypes();  // of lists
std::vector<std::string> PolicyChoices();
std::vector<std::string> OutcomeChoices();  // the policies that a condition may have
std::vector<std::string> ConfigActions();
std::vector<std::string> DoctorFormats();
std::vector<std::string> CompletionChoices();  // the shells, and "operators"

}  // namespace opledger
