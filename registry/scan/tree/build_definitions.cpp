// Neither file is executed, so values made from variables or functions are not seen.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/build_definitions.h"

#include <algorithm>
#include <map>
#include <set>

#include "registry/project/contained_path.h"
#include "registry/python/tokens.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::size_t kMostFolders = 4096;
constexpr char kExtensionName[] = "TORCH_EXTENSION_NAME";

struct Command {
  std::string name;                    // in lower case
  std::vector<std::string> arguments;  // without quotes
};

// Returns the commands of a CMakeLists.txt. Does not support bracket comments or bracket arguments.
std::vector<Command> CommandsOf(std::string_view text) {
  std::vector<Command> commands;
  std::string word;
  bool quoted = false;
  int depth = 0;
  const auto end_word = [&] {
    if (!word.empty() && depth > 0) commands.back().arguments.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      quoted = !quoted;
    } else if (quoted) {
      word += c;
    } else if (c == '#') {
      end_word();
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '(' && depth++ == 0) {
      commands.push_back({LowerCase(word), {}});
      word.clear();
    } else if (c == ')') {
      end_word();
      depth = std::max(0, depth - 1);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';') {
      if (depth > 0) end_word();
    } else {
      if (depth == 0 && i > 0 && (text[i - 1] == '\n' || text[i - 1] == ' ')) word.clear();
      word += c;
    }
  }
  return commands;
}

// "-DNAME=value" or "NAME=value" -> value. Returns "" for other macros, and for values with
// variables.
std::string ValueOf(std::string_view argument, const std::string& macro) {
  if (argument.starts_with("-D")) argument.remove_prefix(2);
  if (!argument.starts_with(macro + "=")) return {};
  const std::string_view value = argument.substr(macro.size() + 1);
  return value.find('$') == std::string_view::npos ? std::string(value) : std::string();
}

bool MakesTarget(std::string_view command) {
  return command == "add_library" || command == "target_sources" ||
         command.ends_with("_add_module") || command.ends_with("_add_library");
}

// Returns a string literal without its quotes; "" for other tokens, and for literals with escapes
// or a prefix.
std::string PlainString(const PythonToken& token) {
  const std::string_view text = token.text;
  const bool plain = token.kind == PythonToken::Kind::kString && text.size() > 2 &&
                     (text[0] == '"' || text[0] == '\'') && text[1] != text[0] &&
                     text.find('\\') == std::string_view::npos;
  return plain ? std::string(text.substr(1, text.size() - 2)) : std::string();
}

// Reads the call of an extension whose bracket is at `open`.
BuildDefinition ExtensionAt(const std::vector<PythonToken>& tokens, std::size_t open) {
  BuildDefinition found;
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "(" || text == "[" || text == "{") ++depth;
    if ((text == ")" || text == "]" || text == "}") && --depth == 0) break;
    const std::string value = PlainString(tokens[i]);
    if (value.empty()) continue;
    const bool first = i == open + 1;
    const bool named = i > open + 2 && tokens[i - 1].text == "=" && tokens[i - 2].text == "name";
    if (first || (named && depth == 1)) {
      found.value = value.substr(value.rfind('.') + 1);
    } else if (value.find('.') != std::string::npos) {
      found.sources.push_back(value);
    }
  }
  return found;
}

}  // namespace

std::vector<BuildDefinition> DefinitionsInCMake(std::string_view text, const std::string& macro) {
  std::map<std::string, std::vector<std::string>> sources;  // by target
  std::vector<std::pair<std::string, std::string>> values;  // target, value
  for (const Command& command : CommandsOf(text)) {
    if (command.arguments.empty()) continue;
    const std::string& target = command.arguments.front();
    for (const std::string& argument : command.arguments) {
      if (std::string value = ValueOf(argument, macro); !value.empty()) {
        values.emplace_back(target, std::move(value));
      } else if (MakesTarget(command.name) && argument.find('.') != std::string::npos &&
                 argument.find('$') == std::string::npos) {
        sources[target].push_back(argument);
      }
    }
  }
  std::vector<BuildDefinition> definitions;
  definitions.reserve(values.size());
  for (const auto& [target, value] : values) definitions.push_back({value, sources[target]});
  return definitions;
}

std::vector<BuildDefinition> ExtensionsInSetup(const std::string& text) {
  Diagnostics ignored;
  const SourceText source("setup.py", text);
  const auto tokens = LexPythonStatements(source, ignored);
  std::vector<BuildDefinition> extensions;
  for (std::size_t i = 0; tokens && i + 1 < tokens->size(); ++i) {
    const std::string_view name = (*tokens)[i].text;
    const bool makes = name == "CppExtension" || name == "CUDAExtension" || name == "SyclExtension";
    if (!makes || (*tokens)[i + 1].text != "(") continue;
    if (i > 0 && (*tokens)[i - 1].text == "def") continue;
    extensions.push_back(ExtensionAt(*tokens, i + 1));
  }
  return extensions;
}

namespace {

class BuildFiles {
 public:
  BuildFiles(const Source& source, const std::string& macro) : source_(source), macro_(macro) {}

  void Folder(const std::string& folder, int levels) {
    if (++folders_ > kMostFolders) {
      values_.emplace();
      return;
    }
    std::vector<FolderEntry> entries;
    source_.List(folder, entries);
    for (const FolderEntry& entry : entries) {
      const std::string path = folder.empty() ? entry.name : folder + '/' + entry.name;
      if (entry.kind == PathKind::kFolder && levels > 0 && !entry.name.starts_with('.')) {
        Folder(path, levels - 1);
      }
      const bool cmake = entry.name == "CMakeLists.txt";
      const bool setup = entry.name == "setup.py" && macro_ == kExtensionName;
      if (!cmake && !setup) continue;
      const auto text = source_.Read(path, kLargestFile, Reach::kBelow);
      if (!text) {
        values_.emplace();
        continue;
      }
      Take(folder, cmake ? DefinitionsInCMake(*text, macro_) : ExtensionsInSetup(*text));
    }
  }

  // An empty value is unknown: made from variables, or in a file that was not read.
  void AddTo(BuildName& name, std::vector<BuildName>& more) const {
    if (values_.size() == 1 && !values_.begin()->empty()) {
      name.value = *values_.begin();
      return;
    }
    more.insert(more.end(), by_source_.begin(), by_source_.end());
    name.values.assign(values_.begin(), values_.end());
    std::erase(name.values, std::string());
  }

 private:
  void Take(const std::string& folder, const std::vector<BuildDefinition>& definitions) {
    for (const BuildDefinition& definition : definitions) {
      values_.insert(definition.value);
      for (const std::string& written : definition.sources) {
        if (!StaysBelow(written)) continue;
        const std::string path = folder.empty() ? written : folder + '/' + written;
        by_source_.push_back({macro_, path, definition.value, {}});
      }
    }
  }

  const Source& source_;
  const std::string& macro_;
  std::size_t folders_ = 0;
  std::set<std::string> values_;
  std::vector<BuildName> by_source_;
};

}  // namespace

void AddBuildDefinitions(const Source& source, Dialect& dialect) {
  std::vector<BuildName> more;
  for (BuildName& name : dialect.build_names) {
    if (!name.value.empty() || !name.path.empty()) continue;
    BuildFiles files(source, name.macro);
    files.Folder("", 2);
    files.AddTo(name, more);
  }
  std::erase_if(more, [](const BuildName& each) { return each.value.empty(); });
  dialect.build_names.insert(dialect.build_names.end(), more.begin(), more.end());
}

}  // namespace opledger::scan
