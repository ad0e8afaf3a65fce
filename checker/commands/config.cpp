// opledger config: shows settings and their origin, validates files, prints JSON Schemas.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/config.h"

#include <memory>
#include <set>

#include "checker/commands/commands.h"
#include "checker/commands/shared_options.h"
#include "checker/config/config_schema.h"
#include "checker/config/validate_config.h"
#include "checker/project/scan_source.h"
#include "checker/terminal/terminal.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

struct ConfigOptions : CheckOptions {
  std::string action;           // "show", "validate" or "schema"
  std::string schema = "list";  // one of ConfigSchemaNames()
  bool with_ops = false;        // include the names of the operators
};

int ShowSettings(const CheckOptions& options) {
  Diagnostics diagnostics;
  std::optional<Project> project = Project::Open(options.global, ".", diagnostics);
  if (!project) return Fail(diagnostics);
  if (!options.dialect.empty() && !project->Choose(options.dialect, diagnostics)) {
    return Fail(diagnostics);
  }
  const std::vector<EffectiveSetting> settings = EffectiveSettings(options, *project, diagnostics);
  if (diagnostics.has_errors()) return Fail(diagnostics);
  Print(SettingsText(settings));
  return kExitClean;
}

// Does not open the file as a project, which would stop at the first errors instead of reporting
// all.
int Validate(const CheckOptions& options) {
  Diagnostics diagnostics;
  const std::string& choice = options.global.project_file;
  std::string path = choice == "none" ? "" : choice;
  const Source& here = options.global.here;
  if (choice.empty()) path = FindProjectFile(here, ".");
  if (path.empty() || here.Examine(path).kind == PathKind::kAbsent) {
    diagnostics.Error({path, 0, 0, 0, 0}, "no project file found", "`opledger init` writes one");
    return Fail(diagnostics);
  }
  const std::vector<std::string> files = ValidateConfig(here, path, diagnostics);
  // A file that could not be read was not validated.
  if (diagnostics.incomplete()) return Fail(diagnostics);
  Print(RenderDiagnostics(diagnostics));
  if (diagnostics.has_errors()) return kExitFindings;
  if (!options.global.quiet) Print(Counted(files.size(), "file") + " checked, no problems found\n");
  return kExitClean;
}

int PrintSchema(const ConfigOptions& options) {
  Diagnostics diagnostics;
  std::set<std::string> operators;
  if (options.with_ops) {
    std::optional<Project> project = Project::Open(options.global, ".", diagnostics);
    if (!project) return Fail(diagnostics);
    const std::optional<Manifest> manifest =
        GetManifest(options, FieldsOfCheck({}), *project, diagnostics);
    if (!manifest) return Fail(diagnostics);
    for (const Operator& op : manifest->operators) {
      operators.insert(op.name);
      for (const Alias& alias : op.aliases) operators.insert(alias.name);
    }
  }
  const std::optional<std::string> schema =
      ConfigSchema(options.schema, {operators.begin(), operators.end()}, diagnostics);
  if (!schema) return Fail(diagnostics);
  Print(*schema);
  return kExitClean;
}

int RunConfig(const ConfigOptions& options) {
  if (options.action == "show") return ShowSettings(options);
  if (options.action == "validate") return Validate(options);
  return PrintSchema(options);
}

VerbCall PrepareConfig() {
  auto options = std::make_shared<ConfigOptions>();
  return MakeCall(
      options,
      Joined({{"ACTION",
               "",
               "What to do: show the settings, validate the files, or print a JSON Schema",
               &options->action,
               {"show", "validate", "schema"},
               true},
              {"--file", "KIND", "With schema: the kind of file; default: list", &options->schema,
               ConfigSchemaNames()},
              {"--with-ops", "", "With schema: include the names of all operators",
               &options->with_ops}},
             Joined(SourceOptions(*options), RuleOptions(*options))),
      RunConfig);
}

}  // namespace

extern const Command kConfigCommand = {
    "config", "Show the settings and their sources, validate the files, print JSON Schemas",
    "Examples:\n"
    "  opledger config show\n"
    "      every setting, its value, and the file and line, flag or variable that sets it\n"
    "  opledger config validate\n"
    "      all errors in the form of opledger.json, its dialect and its lists\n"
    "  opledger config schema --with-ops > list.schema.json\n"
    "      a JSON Schema that knows this project's operators: with \"$schema\": "
    "\"list.schema.json\"\n"
    "      in a list, editors complete names and flag unknown ones\n"
    "Exit status: 0 clean, 1 errors in the files, 2 could not run, 3 a file could not be read.",
    PrepareConfig};

}  // namespace opledger
