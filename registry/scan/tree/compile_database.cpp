// The words of a command are split as a shell would; only flags of the allow-list have an effect.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/compile_database.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <set>
#include <sstream>
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
constexpr std::size_t kMaxFlags = 100'000;  // of one command, its response files included

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

bool IsCalledIn(std::string_view text, std::string_view macro) {
  for (std::size_t at = text.find(macro); at != std::string_view::npos;
       at = text.find(macro, at + 1)) {
    std::size_t end = at + macro.size();
    if (at > 0 && IsWordCharacter(text[at - 1])) continue;
    while (end < text.size() && text[end] == ' ') ++end;
    if (end < text.size() && text[end] == '(') return true;
  }
  return false;
}

// The macros with parameters that a header, and what it includes beside it, define.
// False: one of them is there and cannot be read.
bool AddFunctions(const Source& source, const std::string& header, int depth,
                  std::vector<std::string>& macros) {
  const std::optional<std::string> text = ReadSource(source, header);
  if (!text) return errno == ENOENT || errno == ENOTDIR;
  if (depth > kMaxResponseFileDepth) return true;
  bool all = true;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string directive;
    std::string rest;
    words >> directive;
    if (directive == "#") {
      words >> rest;
      directive += rest;
    }
    words >> rest;
    const std::size_t open = rest.find('(');
    if (directive == "#define" && open != std::string::npos && open > 0) {
      macros.push_back(rest.substr(0, open));
    } else if (directive == "#include" && rest.size() > 2 && rest.front() == '"') {
      const std::string folder = header.substr(0, header.rfind('/') + 1);
      const std::string path = NormalPath(folder + rest.substr(1, rest.size() - 2));
      all = AddFunctions(source, path, depth + 1, macros) && all;
    }
  }
  return all;
}

// Reads the flags of one command line into the database.
class Flags {
 public:
  // `folders`: the include directories of the database so far.
  Flags(const Source& source, const std::string& directory, CompileDatabase& database,
        std::set<std::string>& folders)
      : source_(source), directory_(directory), database_(database), folders_(folders) {}

  void Read(const std::vector<std::string>& words, int depth = 0) {
    for (std::size_t i = 0; i < words.size() && ++read_ <= kMaxFlags; ++i) {
      const std::string& word = words[i];
      if (word.starts_with('@') && depth < kMaxResponseFileDepth) {
        const std::string path = Under(directory_, word.substr(1));
        const std::optional<std::string> text = ReadSource(source_, path);
        if (text) Read(SplitCommand(*text), depth + 1);
        if (!text) unread_ = "its response file " + path + " " + WhyUnread(errno);
        continue;
      }
      if ((word == "-include" || word == "-imacros") && i + 1 < words.size()) {
        forced_.push_back(Under(directory_, words[++i]));
        continue;
      }
      for (const char* flag : {"-D", "-U", "-isystem", "-iquote", "-I"}) {
        if (!word.starts_with(flag)) continue;
        std::string value = word.substr(std::string_view(flag).size());
        if (value.empty() && i + 1 < words.size()) value = words[++i];
        Take(flag, value);
        break;
      }
    }
  }
  Defines Take() { return std::move(defines_); }

  // Why the flags may bring registrations to the file that were not read; empty: they do not.
  std::string Unread(const std::string& file) const {
    if (read_ > kMaxFlags) {
      return "its command in compile_commands.json has more than " + std::to_string(kMaxFlags) +
             " flags; does a response file (@FILE) name itself?";
    }
    if (!unread_.empty()) return unread_;
    std::vector<std::string> macros = functions_;
    for (const std::string& header : forced_) {
      if (AddFunctions(source_, header, 0, macros)) continue;
      return "is compiled with -include or -imacros of " + header + ", which could not be read";
    }
    if (macros.empty()) return {};
    const std::optional<std::string> text = ReadSource(source_, file);
    if (!text) return errno == ENOENT ? std::string() : WhyUnread(errno);
    for (const std::string& macro : macros) {
      if (!IsCalledIn(*text, macro)) continue;
      return "calls '" + macro +
             "', which the compiler's flags define (-include, -imacros or -D with parameters): "
             "what it registers was not followed; include its header, or define it there";
    }
    return {};
  }

 private:
  void Take(std::string_view flag, const std::string& value) {
    if (value.empty()) return;
    std::size_t equals = value.find('=');
    std::string name = value.substr(0, equals);
    bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
    if (flag == "-D" && !plain && name.find('(') != std::string::npos) {
      functions_.push_back(name.substr(0, name.find('(')));
    }
    if (flag == "-D" && plain) {
      std::string text = equals == std::string::npos ? "1" : value.substr(equals + 1);
      if (text.find('\n') == std::string::npos) defines_[name] = text;
    } else if (flag == "-U") {
      defines_.erase(value);
    } else if (flag != "-D") {
      std::string folder = Under(directory_, value);
      if (folders_.insert(folder).second) database_.include_directories.push_back(folder);
    }
  }

  const Source& source_;
  std::string directory_;
  std::string unread_;  // why a response file is
  CompileDatabase& database_;
  std::set<std::string>& folders_;
  std::size_t read_ = 0;  // words
  Defines defines_;
  std::vector<std::string> forced_;     // headers that are read before the file
  std::vector<std::string> functions_;  // macros with parameters
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
    fields.Error(value.span, "an entry without a command", "it has \"command\" or \"arguments\"");
  }
  if (words.empty()) words = SplitCommand(command);
  if (directory.empty() || file.empty()) return;
  Flags flags(source, directory, database, folders);
  flags.Read(words);
  const std::string path = Under(directory, file);
  const std::string real = source.Canonical(path);
  const std::string why = real.empty() ? std::strerror(errno) : "";
  const std::string& unit = real.empty() ? path : real;
  std::string unread = why.empty() ? flags.Unread(unit) : "cannot be examined: " + why;
  const Defines defines = flags.Take();
  const auto [known, fresh] = database.units.try_emplace(unit, defines);
  if (!fresh && known->second != defines && unread.empty()) {
    unread =
        "is compiled more than once, with other macros each time: only the first was read; give "
        "each command a compile_commands.json of its own";
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
    ErrorAt(*document, document->root.span, "a compile database is an array of commands",
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
