// opledger: the front program. Reads the command line into the options of one verb and runs it;
// `scan`, `convert` and their like go to siblings untouched. The only file that knows CLI11.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "checker/commands/choices.h"
#include "checker/commands/commands.h"
#include "checker/config/config_schema.h"
#include "checker/docs/docs.h"
#include "checker/import/import.h"
#include "checker/terminal/terminal.h"
#include "registry/platform/command_line.h"
#include "registry/platform/platform.h"
#include "registry/precision_list/precision_list.h"
#include "registry/project/project.h"
#include "registry/project/version.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

struct CommandLine {
  GlobalOptions global;
  std::string directory;  // -C
  CheckOptions check;
  BaselineOptions baseline;
  DiffOptions diff;
  ClassifyOptions classify;
  ExplainOptions explain;
  InitOptions init;
  ImportOptions import;
  DocsOptions docs;
  ConfigOptions config;
  DoctorOptions doctor;
  CompletionOptions completion;
};

// An option that may be repeated and takes one value each time: CLI11 would otherwise go on and
// swallow the paths that follow.
CLI::Option* AddRepeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& help) {
  return app.add_option(name, values, help)->allow_extra_args(false);
}

void AddGlobal(CLI::App& app, CommandLine& line) {
  app.add_option("-C", line.directory, "Work in this folder")->type_name("DIR");
  app.add_option("--config", line.global.project_file,
                 "The project file, instead of $OPLEDGER_CONFIG or the nearest opledger.json; "
                 "'none' for no file")
      ->type_name("FILE");
  TakesOneOf(app.add_option("--color", line.global.color, "Whether reports are coloured")
                 ->type_name("WHEN"),
             ColorChoices());
  app.add_flag("-q,--quiet", line.global.quiet, "Print findings only");
  app.set_version_flag("--version", std::string("opledger ") + Version());
}

void AddConfiguration(CLI::App& app, CheckOptions& options) {
  app.add_option("--configuration", options.configuration,
                 "The build to judge in, instead of each list's own; 'union' for all")
      ->type_name("NAME");
}

// What findings count for.
void AddRuleChoice(CLI::App& app, CheckOptions& options) {
  AddConfiguration(app, options);
  app.add_option("--baseline", options.baseline,
                 "Findings that do not count, instead of opledger-baseline.json; 'none' for none")
      ->type_name("FILE");
  app.add_option("--evidence", options.evidence,
                 "What `opledger characterize -o FILE` measured, to hold lists and kernels against")
      ->type_name("FILE");
  for (const char* flag : {"--select", "--ignore"}) {
    const bool select = flag == std::string("--select");
    AddRepeatable(
        app, flag, select ? options.select : options.ignore,
        select ? "Count findings of these rules only" : "Count no findings of these rules")
        ->delimiter(',')
        ->type_name("RULE,RULE");
  }
  AddRepeatable(app, "--severity", options.severities, "Of one rule: error, warning, note or off")
      ->type_name("RULE=LEVEL");
}

// Which operators and lists: of every verb that looks at them.
void AddSource(CLI::App& app, CheckOptions& options) {
  app.add_option("--dialect", options.dialect, "How the framework registers: a name or a file")
      ->type_name("NAME|FILE");
  app.add_option("--operators", options.operators, "This manifest instead of a scan")
      ->type_name("FILE");
  AddRepeatable(app, "--list", options.lists, "A precision list; repeatable")->type_name("FILE");
}

void AddNoCache(CLI::App& app, CheckOptions& options) {
  app.add_flag("--no-cache", options.no_cache, "Scan everything anew");
}

// What is checked, and how the sources are read.
void AddSelection(CLI::App& app, CheckOptions& options) {
  app.add_option("PATH", options.paths, "What to look at again; the rest comes from the cache")
      ->type_name("");
  AddSource(app, options);
  app.add_option("-p", options.build, "Build folder with compile_commands.json")
      ->type_name("BUILD");
  AddRepeatable(app, "-D", options.defines, "Define a macro while scanning; repeatable")
      ->type_name("X=Y");
  const CLI::Validator positive(
      [](const std::string& text) {
        const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
        const bool whole = digits && text.size() <= 4 && text.find_first_not_of('0') < text.size();
        return whole ? std::string() : "must be a whole number from 1 to 9999, not '" + text + "'";
      },
      "");
  app.add_option("-j", options.jobs, "Worker processes of the scan")
      ->type_name("N")
      ->check(positive);
  TakesOneOf(
      app.add_option("--mode", options.mode, "How to scan; default: fast")->type_name("MODE"),
      ScanModes());
  AddNoCache(app, options);
  AddRuleChoice(app, options);
}

void AddCheck(CLI::App& app, CheckOptions& options) {
  AddSelection(app, options);
  AddRepeatable(
      app, "--output-format", options.formats,
      "text, concise, json, sarif, github, gitlab, junit or markdown; repeatable with files")
      ->type_name("FMT[=FILE]");
  TakesOneOf(app.add_option("--fail-on", options.fail_on,
                            "The least severity that fails; default: warning")
                 ->type_name("SEVERITY"),
             FailOnChoices());
  app.add_option("--against", options.against,
                 "A git revision: only what is found now and not there counts")
      ->type_name("REV");
  app.add_flag("--staged", options.staged, "Check what is staged for a commit, not the files");
  app.add_flag("--fix", options.fix, "Make the safe fixes in the files");
  app.add_flag("--diff", options.diff, "Show what --fix would do, and write nothing");
  app.add_flag("--statistics", options.statistics,
               "Say on standard error what each rule found and what took how long");
}

void AddBaseline(CLI::App& app, BaselineOptions& options) {
  TakesOneOf(
      app.add_option("ACTION", options.action, "What to do with it")->required()->type_name(""),
      BaselineActions());
  AddSelection(app, options.check);
  app.add_flag("--add", options.add, "Of write: take up new findings too");
}

void AddDiff(CLI::App& app, DiffOptions& options) {
  app.add_option("BASE", options.base, "A git revision, or a manifest")->required()->type_name("");
  app.add_option("HEAD", options.head, "The same; none: the tree as it is")->type_name("");
  TakesOneOf(app.add_option("--format", options.format, "How to write it; default: text")
                 ->type_name("FORMAT"),
             DiffFormats());
  AddSource(app, options.check);
}

void AddClassify(CLI::App& app, ClassifyOptions& options) {
  app.add_option("OPERATOR", options.op, "The operator")->required()->type_name("");
  TakesOneOf(app.add_option("--as", options.policy, "Its policy")->required()->type_name("POLICY"),
             PolicyChoices());
  app.add_option("--list", options.list, "Which list: a file, or float16 or bfloat16")
      ->type_name("FILE|DTYPE");
  TakesOneOf(app.add_option("--reason", options.reason, "Why, in one word; more in --note")
                 ->type_name("REASON"),
             ReasonNames());
  app.add_option("--note", options.note, "Why, in words")->type_name("TEXT");
  app.add_option("--attribute", options.attribute, "Of --as conditional: the attribute")
      ->type_name("NAME");
  AddRepeatable(app, "--values", options.values, "Its values, separated by commas")
      ->delimiter(',')
      ->type_name("V,W");
  TakesOneOf(
      app.add_option("--then", options.then, "The policy for these values")->type_name("POLICY"),
      OutcomeChoices());
  TakesOneOf(
      app.add_option("--otherwise", options.otherwise, "The policy for all others; default: either")
          ->type_name("POLICY"),
      OutcomeChoices());
}

void AddImport(CLI::App& app, ImportOptions& options) {
  app.add_option("FILE", options.file,
                 "The Python or C++ file, or operators.json with policies in it")
      ->required()
      ->type_name("");
  app.add_option("--dialect", options.framework, "Of which framework; none: guess")
      ->type_name("NAME");
  TakesOneOf(app.add_option("--target-dtype", options.target_dtype, "Of the list; none: guess")
                 ->type_name("DTYPE"),
             TargetDtypes());
  app.add_option("--device", options.device, "The device the list is for; none: guess")
      ->type_name("NAME");
  app.add_option("--configuration", options.configuration, "The build the list is for")
      ->type_name("NAME");
  app.add_flag("--bare", options.bare, "Do not say where each entry stands in FILE");
  AddRepeatable(app, "--map", options.maps, "What a list in the file means; repeatable")
      ->type_name("NAME=POLICY");
  app.add_option("-o", options.output, "Where to write; none, or '-': standard output")
      ->type_name("FILE");
}

void AddDocs(CLI::App& app, DocsOptions& options) {
  TakesOneOf(app.add_option("--format", options.format,
                            "How to write it; default: by the name of the output, else md")
                 ->type_name("FORMAT"),
             DocsFormatNames());
  app.add_option("-o", options.output, "Where to write; a folder gets operators.md and the like")
      ->type_name("FILE|DIR");
  app.add_flag("--check", options.check_only,
               "Write nothing; fail where the output is out of date");
  app.add_option("--source-url", options.source_url,
                 "Address of a place in the source, with {path} and {line} in it")
      ->type_name("TEMPLATE");
  AddSource(app, options.check);
  AddConfiguration(app, options.check);
  AddNoCache(app, options.check);
}

void AddConfig(CLI::App& app, ConfigOptions& options) {
  TakesOneOf(app.add_option("ACTION", options.action, "What to do")->required()->type_name(""),
             ConfigActions());
  TakesOneOf(
      app.add_option("--file", options.schema, "Of schema: the files that it is for; default: list")
          ->type_name("KIND"),
      ConfigSchemaNames());
  app.add_flag("--with-ops", options.with_ops, "Of schema: with the names of all operators");
  AddSource(app, options.check);
  AddRuleChoice(app, options.check);
}

void AddDoctor(CLI::App& app, DoctorOptions& options) {
  TakesOneOf(app.add_option("--format", options.format, "How to write it; default: text")
                 ->type_name("FORMAT"),
             DoctorFormats());
  app.add_option("-o", options.output, "Where to write; none, or '-': standard output")
      ->type_name("FILE");
}

void AddExplain(CLI::App& app, ExplainOptions& options) {
  app.add_option("RULE", options.name, "A rule, or an operator; none: list the rules")
      ->type_name("");
  AddSource(app, options.check);
}

int Import(const ImportOptions& options) {
  std::string text;
  Diagnostics diagnostics;
  const int status = RunImport(options, text, diagnostics);
  std::fwrite(text.data(), 1, text.size(), stdout);
  Show(diagnostics);
  return status;
}

void AddVerbs(CLI::App& app, CommandLine& line) {
  for (const Command& command : Commands()) {
    CLI::App& verb = *app.add_subcommand(command.name, command.summary);
    verb.group("Verbs");
    if (command.examples == nullptr) continue;
    verb.footer(std::string(command.examples) +
                "\nEvery verb takes -C DIR, --config FILE, --color WHEN and -q: see `opledger "
                "--help`.");
  }
  AddCheck(*app.get_subcommand("check"), line.check);
  AddBaseline(*app.get_subcommand("baseline"), line.baseline);
  AddDiff(*app.get_subcommand("diff"), line.diff);
  AddClassify(*app.get_subcommand("classify"), line.classify);
  AddExplain(*app.get_subcommand("explain"), line.explain);
  CLI::App& init = *app.get_subcommand("init");
  init.add_option("--dialect", line.init.dialect, "A name or a file; none: find it")
      ->type_name("NAME|FILE");
  init.add_flag("--pre-commit", line.init.pre_commit, "Also a hook in .pre-commit-config.yaml");
  AddImport(*app.get_subcommand("import"), line.import);
  AddDocs(*app.get_subcommand("docs"), line.docs);
  AddConfig(*app.get_subcommand("config"), line.config);
  AddDoctor(*app.get_subcommand("doctor"), line.doctor);
  TakesOneOf(app.get_subcommand("completion")
                 ->add_option("SHELL", line.completion.what, "Of which shell")
                 ->required()
                 ->type_name(""),
             CompletionChoices());
}

int Run(const std::string& verb, CommandLine& line) {
  line.check.global = line.classify.global = line.explain.check.global = line.global;
  line.init.global = line.baseline.check.global = line.diff.check.global = line.global;
  line.config.check.global = line.docs.check.global = line.completion.global = line.global;
  line.doctor.global = line.global;
  if (verb == "check") return RunCheck(line.check);
  if (verb == "baseline") return RunBaseline(line.baseline);
  if (verb == "diff") return RunDiff(line.diff);
  if (verb == "classify") return RunClassify(line.classify);
  if (verb == "explain") return RunExplain(line.explain);
  if (verb == "init") return RunInit(line.init);
  if (verb == "docs") return RunDocs(line.docs);
  if (verb == "config") return RunConfig(line.config);
  if (verb == "doctor") return RunDoctor(line.doctor);
  if (verb == "completion") return RunCompletion(line.completion);
  return Import(line.import);
}

// The flag, else the environment, else the search for the nearest.
void ChooseProjectFile(GlobalOptions& global) {
  if (!global.project_file.empty()) return;
  global.project_file = ProjectFileOfEnvironment();
  if (!global.project_file.empty()) global.project_file_from = kProjectFileVariable;
}

int ChangeDirectory(const std::string& directory) {
  std::error_code error;
  if (!directory.empty()) std::filesystem::current_path(directory, error);
  if (!error) return kExitClean;
  return UsageError("-C " + directory + ": " + error.message(), "");
}

// What stands before a verb, then the verbs; those of siblings still without their options.
std::vector<VerbSyntax> Verbs(const CLI::App& app) {
  std::vector<VerbSyntax> verbs = {{"", "", SyntaxOf(app), true}};
  const std::vector<OptionSyntax> common = verbs.front().options;
  for (const Command& command : Commands()) {
    const bool ours = command.sibling.program == nullptr;
    VerbSyntax& verb = verbs.emplace_back(VerbSyntax{command.name, command.summary, {}, ours});
    if (!ours) continue;
    for (OptionSyntax& option : SyntaxOf(*app.get_subcommand(command.name))) {
      const bool is_help = option.names == common.front().names;
      if (!is_help) verb.options.push_back(std::move(option));
    }
  }
  return verbs;
}

int ParseAndRun(const std::vector<std::string>& arguments, const std::string& verb) {
  CommandLine line;
  CLI::App app("Which operators exist, and in which precision each one may run.", "opledger");
  app.get_formatter()->column_width(36);
  app.get_formatter()->label("SUBCOMMAND", "VERB");
  app.fallthrough();
  app.require_subcommand(0, 1);
  app.footer("`opledger VERB --help` tells more, with examples.");
  AddGlobal(app, line);
  AddVerbs(app, line);
  if (const std::optional<int> end = ParseCommandLine(app, arguments, verb)) return *end;
  if (verb.empty()) {
    std::fputs(app.help().c_str(), stdout);
    return kExitClean;
  }
  if (verb == "completion") line.completion.verbs = Verbs(app);
  ChooseProjectFile(line.global);
  const int changed = ChangeDirectory(line.directory);
  return changed == kExitClean ? Run(verb, line) : changed;
}

// Where the verb stands among the arguments, looked up before CLI11, which would take a mistyped
// one for a path. The number of arguments where there is none.
std::size_t FindVerb(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-C" || word == "--config" || word == "--color") {
      ++i;
    } else if (!word.starts_with('-')) {
      return i;
    }
  }
  return arguments.size();
}

// Everything behind a sibling's verb is the sibling's; of what stands before it, -C is ours.
int HandOver(const SiblingVerb& sibling, const std::vector<std::string>& arguments,
             std::size_t verb) {
  std::vector<std::string> rest;
  if (sibling.mode != nullptr) rest.emplace_back(sibling.mode);
  for (std::size_t i = 0; i < verb; ++i) {
    if (arguments[i] == "-C" && i + 1 < verb) {
      const int changed = ChangeDirectory(arguments[++i]);
      if (changed != kExitClean) return changed;
    } else {
      rest.push_back(arguments[i]);
    }
  }
  rest.insert(rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(verb) + 1,
              arguments.end());
  Diagnostics diagnostics;
  ExecSibling(sibling.program, rest, diagnostics);
  return Fail(diagnostics);
}

int Main(const std::vector<std::string>& arguments) {
  const std::size_t place = FindVerb(arguments);
  if (place == arguments.size()) return ParseAndRun(arguments, "");
  const std::string& verb = arguments[place];
  const Command* command = FindCommand(verb);
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const Command& each : Commands()) names.emplace_back(each.name);
    const std::string hint = DidYouMean(verb, names);
    return UsageError("unknown verb '" + verb + "'",
                      hint.empty() ? "`opledger --help` lists the verbs" : hint);
  }
  const bool ours = command->sibling.program == nullptr;
  return ours ? ParseAndRun(arguments, verb) : HandOver(command->sibling, arguments, place);
}

}  // namespace
}  // namespace opledger

int main(int argc, char** argv) {
  return opledger::Main(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
