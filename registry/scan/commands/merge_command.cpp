// Runs `opledger merge`. The dialect is the one that the facts name, unless the project file or
// --dialect names another.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "registry/files/files.h"
#include "registry/scan/commands/build_output.h"
#include "registry/scan/commands/commands.h"
#include "registry/scan/merge/merge.h"

namespace opledger::scan {
namespace {

int Fail(const Diagnostics& diagnostics, int status) {
  std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
  return status;
}

}  // namespace

Defines DefinesOf(const std::vector<std::string>& flags) {
  Defines defines;
  for (const std::string& flag : flags) {
    const std::size_t equals = flag.find('=');
    const std::string value = equals == std::string::npos ? "1" : flag.substr(equals + 1);
    defines[flag.substr(0, equals)] = value;
  }
  return defines;
}

int RunMerge(MergeArguments& arguments) {
  Diagnostics diagnostics;
  if (arguments.request.files.empty()) {
    diagnostics.Error({}, "no facts file was named",
                      "`opledger scan --shard K/N -o FACTS` writes one");
    return Fail(diagnostics, 2);
  }
  arguments.context.default_dialect = DialectOfFacts(arguments.request.files);
  if (arguments.context.default_dialect.empty()) {
    // Unreadable files can be reported without a dialect.
    MergeFacts(Dialect(), arguments.request, diagnostics);
    return Fail(diagnostics, 3);
  }
  std::optional<ScanContext> context =
      FindScanContext(DiskSource(), arguments.context, diagnostics);
  const std::string& configuration = arguments.request.configuration;
  if (!context || !CheckConfiguration(context->dialect, configuration, diagnostics)) {
    return Fail(diagnostics, 2);
  }
  arguments.request.defines = DefinesOf(arguments.defines);
  auto& manifest =
      *new std::optional<Manifest>(MergeFacts(context->dialect, arguments.request, diagnostics));
  if (!manifest) return Fail(diagnostics, 3);
  for (const Incomplete& incomplete : manifest->incomplete) {
    diagnostics.Warning(incomplete.location, incomplete.detail);
  }
  if (manifest->operators.empty() && manifest->incomplete.empty()) {
    diagnostics.Error({}, "no operator found in " + std::to_string(manifest->files) + " files",
                      "was the right folder scanned, with the right dialect?");
    return Fail(diagnostics, 2);
  }
  const std::string text = WriteManifest(*manifest);
  const bool in_build = !arguments.request.unit_folder.empty();
  if (!(in_build ? WriteIfChanged(arguments.output, text, diagnostics)
                 : WriteFile(arguments.output, text, diagnostics))) {
    return Fail(diagnostics, 2);
  }
  return Fail(diagnostics, manifest->incomplete.empty() ? 0 : 3);
}

}  // namespace opledger::scan
