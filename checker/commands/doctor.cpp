// opledger doctor: reports the environment, for bug reports, and problems with it.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/doctor.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "checker/commands/commands.h"
#include "checker/config/support_bundle.h"
#include "checker/terminal/terminal.h"
#include "registry/files/files.h"

namespace opledger {
namespace {

struct DoctorOptions {
  GlobalOptions global;
  std::string format = "text";
  std::string output;  // "" or "-": standard output
  std::string report;  // the file of the support bundle; "": none
  bool with_paths = false;
};

int StatusOf(const std::vector<DoctorCheck>& all) {
  const bool well = std::all_of(all.begin(), all.end(),
                                [](const DoctorCheck& each) { return each.problem.empty(); });
  return well ? kExitClean : kExitFindings;
}

int WriteBundle(const DoctorOptions& options) {
  const SupportBundle bundle =
      MakeSupportBundle(options.global, SiblingPrograms(), options.with_paths);
  Diagnostics diagnostics;
  if (!WriteFile(options.report, bundle.text, diagnostics)) return Fail(diagnostics);
  if (!options.global.quiet) {
    std::fprintf(stderr, "wrote %s; it contains %s\n", ShownPath(options.report).c_str(),
                 options.with_paths ? "names, paths and messages: read it before you send it"
                                    : "no text, names or paths of your files");
  }
  return StatusOf(bundle.examined);
}

int RunDoctor(const DoctorOptions& options) {
  if (options.report.empty() && options.with_paths) {
    return UsageError("--with-paths needs --report", "add --report FILE");
  }
  if (!options.report.empty() && (options.format != "text" || !options.output.empty())) {
    return UsageError("--report replaces --format and -o", "leave them out");
  }
  if (!options.report.empty()) return WriteBundle(options);
  const std::vector<DoctorCheck> all = RunDoctorChecks(options.global, SiblingPrograms());
  const std::string text = options.format == "json" ? DoctorJson(all) : DoctorText(all);
  Diagnostics diagnostics;
  const std::string output = options.output.empty() ? "-" : options.output;
  if (!WriteFile(output, text, diagnostics)) return Fail(diagnostics);
  return StatusOf(all);
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
       {"-o", "FILE", "The output file; default, or '-': standard output", &options->output},
       {"--report", "FILE",
        "Run `opledger check` too, and write a support bundle: versions, settings, counts, times, "
        "limits; no text, names or paths of your files",
        &options->report},
       {"--with-paths", "", "With --report: include names, paths and messages",
        &options->with_paths}},
      RunDoctor);
}

}  // namespace

extern const Command kDoctorCommand = {
    "doctor", "Report the environment and problems of this installation",
    "Examples:\n"
    "  opledger doctor\n"
    "      versions, programs, project file, cache, git, and problems with them\n"
    "  opledger doctor --report bundle.json\n"
    "      to attach to a bug report; contains nothing from your files\n"
    "Exit status: 0 no problems, 1 problems found.",
    PrepareDoctor};

}  // namespace opledger
