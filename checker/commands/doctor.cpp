// opledger doctor: what a report of a bug needs, and what is wrong here.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/doctor.h"

#include <algorithm>

#include "checker/commands/commands.h"
#include "checker/terminal/terminal.h"
#include "registry/platform/files.h"

namespace opledger {

int RunDoctor(const DoctorOptions& options) {
  const std::vector<Examined> all = Examine(options.global, SiblingPrograms());
  const std::string text = options.format == "json" ? ExaminationJson(all) : ExaminationText(all);
  Diagnostics diagnostics;
  const std::string output = options.output.empty() ? "-" : options.output;
  if (!WriteFile(output, text, diagnostics)) return Fail(diagnostics);
  const bool well = std::all_of(all.begin(), all.end(),
                                [](const Examined& each) { return each.problem.empty(); });
  return well ? kExitClean : kExitFindings;
}

}  // namespace opledger
