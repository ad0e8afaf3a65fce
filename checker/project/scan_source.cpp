// Reads a manifest, or runs the scanner to make one.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/scan_source.h"

#include <algorithm>

#include "checker/candidates/candidates.h"
#include "checker/reports/statistics.h"
#include "checker/rules/rules.h"
#include "checker/terminal/terminal.h"
#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/platform/platform.h"
#include "registry/platform/run_git.h"
#include "registry/project/project_dialects.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

std::vector<std::string> ScannerArguments(const CheckOptions& options,
                                          const std::set<std::string>& fields,
                                          const Project& project) {
  std::vector<std::string> arguments = {"--for-check", fields.empty() ? "*" : Join(fields, ",")};
  const auto add = [&arguments](const char* flag, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {flag, value});
  };
  const std::string& choice = options.global.project_file;
  add("--config", choice == "none" ? choice : project.FromRoot(choice));
  add("--dialect",
      IsDialectFile(options.dialect) ? project.FromRoot(options.dialect) : options.dialect);
  add("--mode", options.mode);
  add("-p", project.FromRoot(options.build));
  add("-j", options.jobs);
  for (const std::string& define : options.defines) add("-D", define);
  if (options.allow_empty) arguments.emplace_back("--allow-empty");
  if (options.no_cache) arguments.emplace_back("--no-cache");
  if (project.source().files()->IsDisk()) {
    add("-C", project.root());
  } else {
    arguments.emplace_back("--source");
    add("--git-timeout", std::to_string(GitTimeout()));
  }
  arguments.emplace_back("--");
  for (const std::string& path : options.paths) {
    const std::string seen = project.FromRoot(path);
    arguments.push_back(seen.empty() ? "." : seen);
  }
  return arguments;
}

std::optional<Manifest> Scan(const CheckOptions& options, const std::set<std::string>& fields,
                             Project& project, Diagnostics& diagnostics) {
  std::string output;
  SiblingStreams streams;
  if (options.scanner != nullptr) streams = *options.scanner;
  streams.silent = options.silent;
  if (!project.source().files()->IsDisk()) streams.input = project.source().Pack();
  const std::optional<int> status = RunSibling(
      "opledger-scan", ScannerArguments(options, fields, project), output, diagnostics, streams);
  if (!status || *status == kExitFailed) return std::nullopt;
  if (*status == kExitIncomplete && output.empty()) {  // the scanner has reported why
    diagnostics.MarkIncomplete();
    return std::nullopt;
  }
  if (*status != kExitClean && *status != kExitIncomplete) {
    return diagnostics.Error({}, "opledger-scan ended with status " + std::to_string(*status));
  }
  // With --for-check, the first line is the root, and the packed manifest follows.
  const std::size_t line = std::min(output.find('\n'), output.size());
  if (!project.file()) project.MoveTo(output.substr(0, line));
  std::optional<Manifest> manifest =
      UnpackManifest(std::string_view(output).substr(std::min(line + 1, output.size())));
  if (!manifest) {
    diagnostics.Error({}, "the versions of opledger-scan and opledger differ",
                      "install both programs from one build");
  }
  return manifest;
}

}  // namespace

Source NamedIn(const CheckOptions& options, const Project& project, const std::string& path) {
  const auto named = options.named_in.find(path);
  return named == options.named_in.end() ? project.source() : named->second;
}

std::set<std::string> FieldsOfCheck(const std::set<std::string>& turned_on) {
  std::set<std::string> fields(std::begin(kCandidateFields), std::end(kCandidateFields));
  fields.insert(std::begin(kUncheckedFields), std::end(kUncheckedFields));
  for (const Rule& rule : Rules()) {
    if (Runs(rule, turned_on)) fields.insert(rule.reads.begin(), rule.reads.end());
  }
  return fields;
}

std::optional<Manifest> GetManifest(const CheckOptions& options,
                                    const std::set<std::string>& fields, Project& project,
                                    Diagnostics& diagnostics) {
  std::optional<Manifest> manifest;
  if (options.operators.empty()) {
    if (!project.Choose(options.dialect, diagnostics)) return std::nullopt;
    manifest = Scan(options, fields, project, diagnostics);
  } else {
    manifest = ReadManifest(NamedIn(options, project, options.operators),
                            project.FromRoot(options.operators), diagnostics);
    if (manifest && !project.Choose(manifest->dialect, diagnostics)) return std::nullopt;
  }
  if (!manifest || !project.file()) return manifest;
  for (const auto& [name, configuration] : project.file()->configurations) {
    manifest->configurations[name] = configuration;
  }
  if (!project.file()->default_configuration.empty()) {
    manifest->default_configuration = project.file()->default_configuration;
  }
  return manifest;
}

}  // namespace opledger
