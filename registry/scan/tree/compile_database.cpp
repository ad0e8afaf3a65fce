// Splits commands into words as a shell does. Only flags of the allow-list have an effect.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/compile_database.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>

#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "registry/json/json_fields.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

constexpr int kMaxResponseFileDepth = 4;
constexpr std::size_t kMaxFlags = 100'000;  // of one command, including its response files

std::vector<std::string> SplitCommand(const std::string& command) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char*, 64> words;
  llvm::cl::TokenizeGNUCommandLine(command, saver, words);
  return {words.begin(), words.end()};
}

std::string Under(const std::string& directory, const std::string& path) {
  return NormalPath(path.starts_with('/') ? path : directory + "/" + path);
}

// The operand of a flag, in the same word or in the next one.
enum class Operand { kMacro, kNoMacro, kFolder, kHeader, kResponseFile };

struct FlagSpelling {
  std::string_view text;
  Operand operand;
};

// Flags of gcc, clang and nvcc. A spelling comes before its own prefixes.
constexpr FlagSpelling kFlags[] = {{"--define-macro=", Operand::kMacro},
                                   {"--define-macro", Operand::kMacro},
                                   {"-D", Operand::kMacro},
                                   {"--undefine-macro=", Operand::kNoMacro},
                                   {"--undefine-macro", Operand::kNoMacro},
                                   {"-U", Operand::kNoMacro},
                                   {"--include-directory=", Operand::kFolder},
                                   {"--include-directory", Operand::kFolder},
                                   {"--include-path=", Operand::kFolder},
                                   {"--include-path", Operand::kFolder},
                                   {"--system-include=", Operand::kFolder},
                                   {"--system-include", Operand::kFolder},
                                   {"-isystem", Operand::kFolder},
                                   {"-iquote", Operand::kFolder},
                                   {"-idirafter", Operand::kFolder},
                                   {"-cxx-isystem", Operand::kFolder},
                                   {"-I", Operand::kFolder},
                                   {"--include=", Operand::kHeader},
                                   {"--include", Operand::kHeader},
                                   {"--imacros=", Operand::kHeader},
                                   {"--imacros", Operand::kHeader},
                                   {"--pre-include=", Operand::kHeader},
                                   {"--pre-include", Operand::kHeader},
                                   {"-include", Operand::kHeader},
                                   {"-imacros", Operand::kHeader},
                                   {"--options-file=", Operand::kResponseFile},
                                   {"--options-file", Operand::kResponseFile},
                                   {"-optf", Operand::kResponseFile},
                                   {"@", Operand::kResponseFile}};

const FlagSpelling* FlagOf(std::string_view word) {
  if (word.starts_with("-include-pch")) return nullptr;  // not -include
  const auto found =
      std::find_if(std::begin(kFlags), std::end(kFlags),
                   [&](const FlagSpelling& flag) { return word.starts_with(flag.text); });
  return found == std::end(kFlags) ? nullptr : found;
}

void AddParts(std::string_view list, std::vector<std::string>& parts) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

// Removes words that only pass the next word, or a list with commas, to another program: -Xclang
// -include -Xclang a.h; -Wp,-DA=1,-DB; -Xcompiler -DA,-DB.
std::vector<std::string> Unwrapped(const std::vector<std::string>& words) {
  std::vector<std::string> plain;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "-Xclang" || word == "-Xpreprocessor") continue;
    if (word.starts_with("-Wp,")) {
      AddParts(word.substr(4), plain);
    } else if (word.starts_with("-Xcompiler=") || word.starts_with("--compiler-options=")) {
      AddParts(word.substr(word.find('=') + 1), plain);
    } else if ((word == "-Xcompiler" || word == "--compiler-options") && i + 1 < words.size()) {
      AddParts(words[++i], plain);
    } else {
      plain.emplace_back(word);
    }
  }
  return plain;
}

// Reads the flags of one command line into the database.
class Flags {
 public:
  // `folders`: the include directories of the database so far.
  Flags(const Source& source, const std::string& directory, CompileDatabase& database,
        std::set<std::string>& folders)
      : source_(source), directory_(directory), database_(database), folders_(folders) {}

  void Read(const std::vector<std::string>& all, int depth = 0) {
    const std::vector<std::string> words = Unwrapped(all);
    for (std::size_t i = 0; i < words.size() && ++read_ <= kMaxFlags; ++i) {
      const FlagSpelling* const flag = FlagOf(words[i]);
      if (flag == nullptr) continue;
      std::string value = words[i].substr(flag->text.size());
      const bool apart = value.empty() && flag->text.back() != '=' && flag->text != "@";
      if (apart && i + 1 < words.size()) value = words[++i];
      if (value.empty()) continue;
      if (flag->operand == Operand::kResponseFile) {
        ReadResponseFile(value, depth);
      } else {
        Take(flag->operand, value);
      }
    }
  }
  CommandLine Take() { return std::move(command_); }

  // Returns why some flags were not read; "" if all were.
  std::string Unread() const {
    if (read_ <= kMaxFlags) return unread_;
    return "its command in compile_commands.json has more than " + std::to_string(kMaxFlags) +
           " flags; does a response file (@FILE) include itself?";
  }

 private:
  void ReadResponseFile(const std::string& name, int depth) {
    const std::string path = Under(directory_, name);
    if (depth >= kMaxResponseFileDepth) {
      unread_ = "its response file " + path +
                " was not read, since response files are nested more than " +
                std::to_string(kMaxResponseFileDepth) + " deep";
      return;
    }
    const std::optional<std::string> text = ReadSource(source_, path);
    if (text) Read(SplitCommand(*text), depth + 1);
    if (!text) unread_ = "its response file " + path + " " + WhyUnread(errno);
  }

  void Define(const std::string& value) {
    const std::size_t equals = value.find('=');
    const std::string name = value.substr(0, equals);  // including its parameters
    const std::string word = name.substr(0, name.find('('));
    const std::string text = equals == std::string::npos ? "1" : value.substr(equals + 1);
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), IsWordCharacter);
    if (!plain || value.find('\n') != std::string::npos) return;
    Undefine(word);
    command_.defines[name] = text;
  }

  void Undefine(const std::string& word) {
    std::erase_if(command_.defines, [&](const auto& define) {
      return define.first == word || define.first.starts_with(word + "(");
    });
  }

  void AddFolder(const std::string& folder) {
    if (folders_.insert(folder).second) database_.include_directories.push_back(folder);
  }

  // A header that is not in the command's folder is searched like an #include.
  void AddHeader(const std::string& value) {
    const std::string path = NormalPath(source_.Absolute(Under(directory_, value)));
    if (source_.Examine(path).kind == PathKind::kAbsent) {
      command_.headers.push_back(value);
      return;
    }
    command_.headers.push_back(path);
    // Outside the root, only include folders are read.
    if (!path.starts_with(source_.root() + "/")) AddFolder(path.substr(0, path.rfind('/')));
  }

  void Take(Operand operand, const std::string& value) {
    if (operand == Operand::kMacro) {
      Define(value);
    } else if (operand == Operand::kNoMacro) {
      Undefine(value);
    } else if (operand == Operand::kFolder) {
      AddFolder(Under(directory_, value));
    } else {
      AddHeader(value);
    }
  }

  const Source& source_;
  std::string directory_;
  std::string unread_;  // why a response file was not read
  CompileDatabase& database_;
  std::set<std::string>& folders_;
  std::size_t read_ = 0;  // number of words
  CommandLine command_;
};

void ReadEntry(const Source& source, const JsonDocument& document, const JsonValue& value,
               CompileDatabase& database, std::set<std::string>& folders,
               Diagnostics& diagnostics) {
  JsonFields fields(document, value, "compile command", diagnostics);
  std::string directory = fields.RequiredString("directory");
  std::string file = fields.RequiredString("file");
  fields.Take("output");
  std::vector<std::string> words = fields.Strings("arguments");
  std::string command = fields.String("command");
  if (words.empty() && command.empty()) {
    fields.Error(value.span, "an entry has no command", "add \"command\" or \"arguments\"");
  }
  if (words.empty()) words = SplitCommand(command);
  if (directory.empty() || file.empty()) return;
  Flags flags(source, directory, database, folders);
  flags.Read(words);
  const std::string path = Under(directory, file);
  const std::string real = source.Canonical(path);
  const std::string why = real.empty() ? std::strerror(errno) : "";
  const std::string& unit = real.empty() ? path : real;
  std::string unread = why.empty() ? flags.Unread() : "cannot be examined: " + why;
  const CommandLine given = flags.Take();
  const auto [known, fresh] = database.units.try_emplace(unit, given);
  if (!fresh && known->second != given && unread.empty()) {
    unread =
        "the file is compiled more than once with different macros, and only the first command was "
        "read; put each command in its own compile_commands.json";
  }
  if (!unread.empty()) database.unread.try_emplace(unit, std::move(unread));
}

}  // namespace

std::optional<CompileDatabase> ReadCompileDatabase(const Source& source, const std::string& folder,
                                                   Diagnostics& diagnostics) {
  std::string path = folder.ends_with(".json") ? folder : folder + "/compile_commands.json";
  std::optional<JsonDocument> document = ReadJson(source, path, Reach::kAnywhere, diagnostics);
  if (!document) return std::nullopt;
  if (document->root.kind != JsonValue::Kind::kArray) {
    ErrorAt(*document, document->root.span, "a compile database must be an array of commands",
            "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON writes one", diagnostics);
    return std::nullopt;
  }
  CompileDatabase database;
  std::set<std::string> folders;
  for (const JsonValue& entry : document->root.items) {
    ReadEntry(source, *document, entry, database, folders, diagnostics);
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return database;
}

}  // namespace opledger::scan
