// Declares shared options in the order of the help.
// SPDX-License-Identifier: Apache-2.0
#include "checker/commands/shared_options.h"

#include <iterator>

namespace opledger {
namespace {

std::string JobsProblem(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  const bool whole = digits && text.size() <= 4 && text.find_first_not_of('0') < text.size();
  return whole ? std::string() : "must be a whole number from 1 to 9999, not '" + text + "'";
}

}  // namespace

std::vector<VerbOption> Joined(std::vector<VerbOption> options, std::vector<VerbOption> more) {
  options.insert(options.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  return options;
}

std::vector<VerbOption> InGroup(const char* group, std::vector<VerbOption> options) {
  for (VerbOption& option : options) option.group = group;
  return options;
}

VerbOption ListOption(std::vector<std::string>& lists) {
  return {"--list", "FILE|LABEL",
          "A precision list: a file, a label such as float16-cuda, or all; repeatable", &lists};
}

VerbOption ConfigurationOption(CheckOptions& options) {
  return {"--configuration", "NAME",
          "The configuration to check, instead of each list's own; 'union' for all",
          &options.configuration};
}

VerbOption NoCacheOption(CheckOptions& options) {
  return {"--no-cache", "", "Scan everything again, without the cache", &options.no_cache};
}

VerbOption SourceUrlOption(std::string& url) {
  return {"--source-url", "TEMPLATE", "URL template of a source line, with {path} and {line}",
          &url};
}

std::optional<SourceLink> ChooseSourceLink(const std::string& flag, const Project& project,
                                           Diagnostics& diagnostics) {
  const bool of_project = flag.empty() && project.file();
  const std::string url = of_project ? project.file()->source_url : flag;
  if (url.empty()) return SourceLink();
  const std::optional<std::string> problem = SourceUrlProblem(url);
  if (!problem) return SourceLink(url);
  return diagnostics.Error({of_project ? project.file()->path : "", 0, 0, 0, 0},
                           (of_project ? "\"source_url\" '" : "--source-url '") + url +
                               "' is not a valid template: " + *problem,
                           "for example https://github.com/OWNER/NAME/blob/main/{path}#L{line}");
}

std::vector<VerbOption> SourceOptions(CheckOptions& options) {
  return {{"--dialect", "NAME|FILE", "The dialect of the framework: a name or a file",
           &options.dialect},
          {"--operators", "FILE", "Read this manifest instead of scanning", &options.operators},
          ListOption(options.lists)};
}

std::vector<VerbOption> RuleOptions(CheckOptions& options) {
  return {ConfigurationOption(options),
          {"--baseline", "FILE",
           "The baseline, instead of opledger-baseline.json; 'none' for no baseline",
           &options.baseline},
          {"--evidence", "FILE",
           "Measured errors to check lists against: from `opledger characterize`, or your own "
           "(CSV, JSON)",
           &options.evidence},
          {.names = "--select",
           .value = "RULE,RULE",
           .help = "Count findings of these rules only",
           .target = &options.select,
           .commas = true},
          {.names = "--ignore",
           .value = "RULE,RULE",
           .help = "Count no findings of these rules",
           .target = &options.ignore,
           .commas = true},
          {"--severity", "RULE=LEVEL", "Set the severity of a rule: error, warning, note or off",
           &options.severities}};
}

std::vector<VerbOption> SelectionOptions(CheckOptions& options) {
  std::vector<VerbOption> all = {
      {"PATH", "", "The paths to scan again; the rest comes from the cache", &options.paths}};
  all = Joined(std::move(all), InGroup(kSourceGroup, SourceOptions(options)));
  std::vector<VerbOption> scan = {
      {"-p", "BUILD", "Build folder with compile_commands.json", &options.build},
      {"-D", "X=Y", "Define a macro while scanning: X or X=Y; repeatable", &options.defines},
      {.names = "-j",
       .value = "N",
       .help = "Worker processes of the scan",
       .target = &options.jobs,
       .problem = JobsProblem},
      {"--mode", "MODE", "The scan mode; default: fast", &options.mode, {"fast", "exhaustive"}},
      NoCacheOption(options)};
  all = Joined(std::move(all), InGroup(kScanGroup, std::move(scan)));
  return Joined(std::move(all), InGroup(kRuleGroup, RuleOptions(options)));
}

}  // namespace opledger
