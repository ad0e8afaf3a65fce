// Parses command lines with CLI11. Writes and reads the syntax of a verb as lines of tab-separated
// fields: names (separated by commas), value, choices, "repeatable" or nothing, help.
//   -o,--output<TAB>FILE<TAB><TAB><TAB>Where to write
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "registry/files/file_lock.h"
#include "registry/platform/run_git.h"
#include "registry/text/diagnostics.h"
#include "registry/text/suggestion.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr int kUsageStatus = 2;
constexpr std::size_t kFields = 5;

std::vector<std::string> Parts(std::string_view text, char separator) {
  const std::vector<std::string_view> parts = SplitAt(text, separator);
  return {parts.begin(), parts.end()};
}

// Splits the type name of an option, such as "MODE:{fast,exhaustive}". CLI11 has no other place for
// choices.
void SplitTypeName(const std::string& shown, OptionSyntax& option) {
  const std::size_t begin = shown.find('{');
  option.value = shown.substr(0, begin);
  if (begin == std::string::npos) return;
  if (option.value.ends_with(':')) option.value.pop_back();
  option.choices = Parts(shown.substr(begin + 1, shown.size() - begin - 2), ',');
}

OptionSyntax OptionOf(const CLI::Option& option) {
  OptionSyntax syntax;
  for (const std::string& name : option.get_snames()) syntax.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) syntax.names.push_back("--" + name);
  syntax.repeatable = option.get_expected_max() > 1;
  if (option.get_expected_max() > 0) SplitTypeName(option.get_type_name(), syntax);
  if (syntax.names.empty()) {
    syntax.names = {option.get_single_name()};
    syntax.value = syntax.names.front();
  }
  syntax.help = option.get_description();
  return syntax;
}

// Returns the flags of a verb and those of every verb.
std::vector<std::string> FlagNames(const CLI::App& app, const CLI::App* verb) {
  std::vector<std::string> names;
  for (const CLI::App* each : {verb, &app}) {
    if (each == nullptr) continue;
    for (const OptionSyntax& option : SyntaxOf(*each)) {
      if (!option.is_positional())
        names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  return names;
}

std::string HelpHint(const CLI::App& app, const std::string& verb) {
  return "`" + app.get_name() + (verb.empty() ? "" : " " + verb) + " --help` lists the options";
}

int UnexpectedArgument(const CLI::App& app, const std::string& verb) {
  const std::vector<std::string> remaining = app.remaining(true);
  std::string word = remaining.empty() ? "" : remaining.front();
  for (const std::string& each : remaining) {
    if (each.size() > 1 && each.front() == '-') {
      word = each;
      break;
    }
  }
  const std::string name = word.substr(0, word.find('='));
  const CLI::App* const verb_app = verb.empty() ? nullptr : app.get_subcommand(verb);
  std::string hint = name.starts_with('-') ? Proposal(name, FlagNames(app, verb_app)) : "";
  if (hint.empty()) hint = HelpHint(app, verb);
  const char* what = name.starts_with('-') ? "unknown flag '" : "unexpected argument '";
  return UsageError(what + name + "'", hint);
}

// Splits "--mode: unknown choice 'fats'\ndid you mean 'fast'?" into message and hint.
int BadValue(const std::string& text, const std::string& usual_hint) {
  const std::size_t line = text.rfind('\n');
  if (line == std::string::npos) return UsageError(text, usual_hint);
  return UsageError(text.substr(0, line), text.substr(line + 1));
}

// Shows help or the version. Removes double blank lines, which CLI11 puts between groups of options
// but not between groups of verbs.
int ShowHelp(const CLI::App& app, const CLI::Success& help) {
  std::ostringstream shown;
  const int status = app.exit(help, shown, shown);
  std::string text = shown.str();
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos;
       at = text.find("\n\n\n", at)) {
    text.erase(at, 1);
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return status == 0 ? 0 : kUsageStatus;
}

// Returns the first option with an empty value, or nullptr. "$BASE" is empty if BASE is unset;
// treating the option as not given would disable what the user asked for.
const CLI::Option* EmptyOption(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& values = option->results();
    const bool takes_value = option->get_items_expected_max() > 0;
    if (takes_value && std::find(values.begin(), values.end(), "") != values.end()) return option;
  }
  for (const CLI::App* verb : app.get_subcommands()) {
    if (const CLI::Option* const option = EmptyOption(*verb)) return option;
  }
  return nullptr;
}

}  // namespace

std::vector<OptionSyntax> SyntaxOf(const CLI::App& app) {
  std::vector<OptionSyntax> options;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) options.push_back(OptionOf(*option));
  }
  return options;
}

CLI::Option* TakesOneOf(CLI::Option* option, const std::vector<std::string>& words,
                        bool (*is_other)(std::string_view)) {
  std::string shown;
  for (const std::string& word : words) shown += (shown.empty() ? "{" : ",") + word;
  const std::string value = option->get_type_name();
  option->type_name((value.empty() ? "" : value + ":") + shown + '}');
  return option->check(CLI::Validator(
      [words, is_other](const std::string& text) {
        if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
        if (is_other != nullptr && is_other(text)) return std::string();
        return "unknown choice '" + text + "'\n" + ChoiceHint(text, words);
      },
      ""));
}

CLI::Option* TakesNonNegative(CLI::Option* option) {
  return option->check(CLI::Validator(
      [](const std::string& text) {
        double value = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is = error == std::errc() && end == text.data() + text.size() && value >= 0;
        return is ? std::string() : "must be a nonnegative number, not '" + text + "'";
      },
      ""));
}

void UnderHeading(CLI::App& app, const char* heading) { app.option_defaults()->group(heading); }

void TakesGlobalFlags(CLI::App& app, GlobalFlags& flags, const char* heading) {
  UnderHeading(app, heading);
  app.add_option("-C", flags.folders, "Change to this folder first")
      ->type_name("DIR")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--config", flags.project_file,
                 "Project file to use instead of $OPLEDGER_CONFIG or the nearest opledger.json; "
                 "'none' for no project file")
      ->type_name("FILE");
  TakesOneOf(app.add_option("--color", flags.color, "When to color reports")->type_name("WHEN"),
             {"auto", "always", "never"});
  app.add_flag("-q,--quiet", flags.quiet, "Print only diagnostics and requested output");
  const auto takes_seconds = [&](const char* name, void (*set)(double), const char* help) {
    TakesNonNegative(app.add_option_function<double>(name, set, help)->type_name("SECONDS"));
  };
  takes_seconds("--git-timeout", SetGitTimeout,
                "Fail if git prints nothing for this many seconds; default: 60, 0: no limit");
  takes_seconds("--lock-timeout", SetLockTimeout,
                "Fail if another run holds the lock of a file for this many seconds; default: 30");
}

std::optional<int> EnterFolders(const GlobalFlags& flags) {
  for (const std::string& folder : flags.folders) {
    if (chdir(folder.c_str()) == 0) continue;
    return UsageError("-C " + folder + ": " + std::strerror(errno), "");
  }
  return std::nullopt;
}

std::vector<std::string> ValuesOf(const CLI::App& app) {
  std::vector<std::string> values;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() == kGlobalHeading || option->get_items_expected_max() == 0) continue;
    const std::vector<std::string>& given = option->results();
    values.insert(values.end(), given.begin(), given.end());
  }
  return values;
}

std::optional<int> ParseCommandLine(CLI::App& app, std::vector<std::string> arguments,
                                    const std::string& verb) {
  if (arguments == std::vector<std::string>{kPrintSyntax}) {
    const std::string text = WriteSyntax(SyntaxOf(app));
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 parses from the back
  try {
    app.parse(arguments);
  } catch (const CLI::Success& help) {
    return ShowHelp(app, help);
  } catch (const CLI::ExtrasError&) {
    return UnexpectedArgument(app, verb);
  } catch (const CLI::RequiredError& error) {
    // The missing argument may be present but mistyped.
    for (const std::string& word : app.remaining(true)) {
      if (word.size() > 1 && word.front() == '-') return UnexpectedArgument(app, verb);
    }
    return BadValue(error.what(), HelpHint(app, verb));
  } catch (const CLI::ParseError& error) {
    return BadValue(error.what(), HelpHint(app, verb));
  }
  if (const CLI::Option* const empty = EmptyOption(app)) {
    return UsageError(empty->get_name() + ": the value is empty",
                      "a shell variable may be unset; pass a value or omit the option");
  }
  return std::nullopt;
}

int UsageError(const std::string& message, const std::string& hint) {
  Diagnostics diagnostics;
  diagnostics.Error({}, message, hint);
  std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
  return kUsageStatus;
}

std::string WriteSyntax(const std::vector<OptionSyntax>& options) {
  std::string text;
  for (const OptionSyntax& option : options) {
    text += Join(option.names, ",") + '\t' + option.value + '\t' + Join(option.choices, ",") +
            '\t' + (option.repeatable ? "repeatable" : "") + '\t' + option.help + '\n';
  }
  return text;
}

std::optional<std::vector<OptionSyntax>> ReadSyntax(std::string_view text) {
  std::vector<OptionSyntax> options;
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  for (const std::string& line : Parts(text, '\n')) {
    const std::vector<std::string> fields = Parts(line, '\t');
    if (fields.size() != kFields || fields[0].empty()) return std::nullopt;
    options.push_back({Parts(fields[0], ','), fields[1], Parts(fields[2], ','),
                       fields[3] == "repeatable", fields[4]});
  }
  return options;
}

}  // namespace opledger
