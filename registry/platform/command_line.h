// Command lines of all programs here: parsing with one kind of error, and the syntax as data, from
// which completions are made. The three main.cpp declare their options with CLI11; nothing else
// uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 has it
class App;
class Option;
}  // namespace CLI

namespace opledger {

// One option, or one positional argument, of a verb.
struct OptionSyntax {
  std::vector<std::string> names;    // "-o", "--output"; of a positional one without '-'
  std::string value;                 // what it takes, as help shows it ("FILE"); empty: nothing
  std::vector<std::string> choices;  // the only values it takes; none: any
  bool repeatable = false;
  std::string help;

  bool is_positional() const { return !names.front().starts_with('-'); }
};

// A verb as the shell sees it.
struct VerbSyntax {
  std::string name;
  std::string summary;
  std::vector<OptionSyntax> options;  // those that help shows, in its order
  bool takes_common = true;           // also the options that stand before the verb
};

std::vector<OptionSyntax> SyntaxOf(const CLI::App& app);

// As programs exchange it: an option a line. Reading gives none where a line is malformed.
std::string WriteSyntax(const std::vector<OptionSyntax>& options);
std::optional<std::vector<OptionSyntax>> ReadSyntax(std::string_view text);

// The only argument to which a program answers with WriteSyntax.
inline constexpr const char* kPrintSyntax = "--print-syntax";

// The option takes one of these words only, or one that `is_other` accepts; another is a usage
// error with a suggestion. To be called after type_name().
CLI::Option* TakesOneOf(CLI::Option* option, const std::vector<std::string>& words,
                        bool (*is_other)(std::string_view) = nullptr);

// The option takes numbers from 0 on only.
CLI::Option* TakesNonNegative(CLI::Option* option);

// Options declared from here on stand under this heading of help; with none under "Options".
void UnderHeading(CLI::App& app, const char* heading = "Options");

// What every verb takes, before and after its name, whichever program runs it.
struct GlobalFlags {
  std::vector<std::string> folders;  // -C: worked in, each seen from the one before
  std::string project_file;          // --config: empty for the nearest, "none", or a path
  std::string color = "auto";        // --color
  bool quiet = false;  // -q: messages and what was asked for only; of written files no account
};

// The heading of help under which they stand beside the options of one verb.
inline constexpr const char* kGlobalHeading = "Options of every verb";

// Declares them.
void TakesGlobalFlags(CLI::App& app, GlobalFlags& flags, const char* heading = kGlobalHeading);

// Goes into the folders of -C. None: go on; else the exit status of a usage error, which is shown.
std::optional<int> EnterFolders(const GlobalFlags& flags);

// What the options and arguments of a parsed command line were given, without the global flags:
// what it names of files is among it.
std::vector<std::string> ValuesOf(const CLI::App& app);

// Parses what stands after the program's name. `verb` is the one that comes first in `arguments`,
// or empty where the app has no verbs. None: go on; else the exit status to end with: 0 after help,
// version or syntax, 2 after a usage error, which is shown on standard error with what would be
// right.
std::optional<int> ParseCommandLine(CLI::App& app, std::vector<std::string> arguments,
                                    const std::string& verb = {});

// Shows a usage error on standard error; gives the exit status of one, 2.
int UsageError(const std::string& message, const std::string& hint);

}  // namespace opledger
