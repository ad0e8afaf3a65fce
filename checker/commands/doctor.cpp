// opledger doctor: reports the environment, for bug reports, and problems with it.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/doctor.h"

#include <algorithm>
#include <memory>

#include "checker/commands/commands.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"

namespace opledger {
namespace {

struct DoctorOptions {
  GlobalOptions global;
  std::string format = "text";
  std::string output;  // "" or "-": standard output
};

int RunDoctor(const DoctorOptions& options) {
  const std::vector<DoctorCheck> all = RunDoctorChecks(options.global, SiblingPrograms());
  const std::string text = options.format == "json" ? DoctorJson(all) : DoctorText(all);
  Diagnostics diagnostics;
  const std::string output = options.output.empty() ? "-" : options.output;
  if (!WriteFile(output, text, diagnostics)) return Fail(diagnostics);
  const bool well = std::all_of(all.begin(), all.end(),
                                [](const DoctorCheck& each) { return each.problem.empty(); });
  return well ? kExitClean : kExitFindings;
}

VerbCall PrepareDoctor() {
  auto options = std::make_shared<DoctorOptions>();
  return MakeCall(
      options,
      {{"--format",
        "FORMAT",
        "The output format; default: text",
        &options->format,
        {"text", "json"}},
       {"-o", "FILE", "The output file; default, or '-': standard output", &options->output}},
      RunDoctor);
}

}  // namespace

extern const Command kDoctorCommand = {
    "doctor", "Report the environment and problems of this installation",
    "Examples:\n"
    "  opledger doctor\n"
    "      versions, programs, project file, cache, git, and problems with them\n"
    "  opledger doctor --format json -o doctor.json\n"
    "      to attach to a bug report; contains nothing from your files\n"
    "Exit status: 0 no problems, 1 problems found.",
    PrepareDoctor};

}  // namespace opledger
