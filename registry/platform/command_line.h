// Parses the command lines of all programs with uniform errors, and provides their syntax as data
// for shell completion. Only the main.cpp files use CLI11 directly, to declare options.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // CLI11's name
class App;
class Option;
}  // namespace CLI

namespace opledger {

// An option or positional argument of a verb.
struct OptionSyntax {
  std::vector<std::string> names;    // "-o", "--output"; without '-' if positional
  std::string value;                 // its value, as shown in help ("FILE"); empty: none
  std::vector<std::string> choices;  // the allowed values; empty: any
  bool repeatable = false;
  std::string help;

  bool is_positional() const { return !names.front().starts_with('-'); }
};

// The syntax of a verb, for shell completion.
struct VerbSyntax {
  std::string name;
  std::string summary;
  std::vector<OptionSyntax> options;  // those shown in help, in the same order
  bool takes_common = true;           // also takes the options that may precede the verb
};

std::vector<OptionSyntax> SyntaxOf(const CLI::App& app);

// Serialize the syntax with one option per line. ReadSyntax returns nullopt if a line is malformed.
std::string WriteSyntax(const std::vector<OptionSyntax>& options);
std::optional<std::vector<OptionSyntax>> ReadSyntax(std::string_view text);

// If this is the only argument, a program prints WriteSyntax().
inline constexpr const char* kPrintSyntax = "--print-syntax";

// Restricts an option to these words, or to values that `is_other` accepts. Any other value is a
// usage error with a suggestion. Call it after type_name().
CLI::Option* TakesOneOf(CLI::Option* option, const std::vector<std::string>& words,
                        bool (*is_other)(std::string_view) = nullptr);

// Restricts an option to nonnegative numbers.
CLI::Option* TakesNonNegative(CLI::Option* option);

// Puts the options declared afterward under this heading of help.
void UnderHeading(CLI::App& app, const char* heading = "Options");

// The options of every verb of every program, allowed before and after its name.
struct GlobalFlags {
  std::vector<std::string> folders;  // -C: working folders, each relative to the previous one
  std::string project_file;          // --config: empty for the nearest one, "none", or a path
  std::string color = "auto";        // --color
  bool quiet = false;  // -q: only diagnostics and requested output; no list of written files
};

// The heading of help for these options.
inline constexpr const char* kGlobalHeading = "Options of every verb";

// Declares these options.
void TakesGlobalFlags(CLI::App& app, GlobalFlags& flags, const char* heading = kGlobalHeading);

// Changes to the folders of -C. Returns nullopt on success. Otherwise shows a usage error and
// returns its exit status.
std::optional<int> EnterFolders(const GlobalFlags& flags);

// Returns the values of all options and arguments of a parsed command line, except the global
// options. They include all file names.
std::vector<std::string> ValuesOf(const CLI::App& app);

// Parses the arguments after the program's name. `verb` is the first argument, or empty if the app
// has no verbs. Returns nullopt to continue. Otherwise returns the exit status: 0 after help,
// version or syntax, 2 after a usage error, which is shown on standard error with a hint.
std::optional<int> ParseCommandLine(CLI::App& app, std::vector<std::string> arguments,
                                    const std::string& verb = {});

// Shows a usage error on standard error and returns its exit status, 2.
int UsageError(const std::string& message, const std::string& hint);

}  // namespace opledger
