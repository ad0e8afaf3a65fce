// Every file is read once, and asked what each dialect looks for that was not found yet.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/detect_dialects.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "registry/project/project.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/glob.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace fs = std::filesystem;

bool IsFolder(const Source& source, const fs::path& path) {
  return source.Examine(path.string()).kind == PathKind::kFolder;
}

bool HasAny(const Source& source, const fs::path& folder, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return source.Examine((folder / name).string()).kind != PathKind::kAbsent;
  });
}

// Whether the dialect's sources, seen from `folder`, hold the anchor, or begin right below it.
bool SourcesHold(const Source& source, const fs::path& folder, const fs::path& anchor,
                 const Dialect& dialect) {
  for (const std::string& glob : dialect.sources) {
    std::string fixed = glob.substr(0, glob.find_first_of("*?"));
    fixed = fixed.substr(0, fixed.rfind('/') == std::string::npos ? 0 : fixed.rfind('/'));
    if (fixed.empty()) continue;
    fs::path held = folder / fixed;
    if (IsFolder(source, held) && (folder == anchor || IsPathInside(anchor, held))) return true;
  }
  return false;
}

// Whether an argument that is a string may begin here: others have REGISTER_OP of classes.
bool BeginsString(std::string_view text, const Dialect& dialect) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with('"') ||
         std::any_of(dialect.identity_functions.begin(), dialect.identity_functions.end(),
                     [&](const std::string& name) { return text.starts_with(name); });
}

// "REGISTER_OP(", but not the end of "TVM_REGISTER_OP(".
bool IsCalledIn(std::string_view text, const Sink& sink, const Dialect& dialect) {
  const std::string use = sink.macro + "(";
  for (std::size_t at = text.find(use); at != std::string::npos; at = text.find(use, at + 1)) {
    const auto before = static_cast<unsigned char>(at == 0 ? ' ' : text[at - 1]);
    if (std::isalnum(before) != 0 || before == '_') continue;
    if (sink.form != NameForm::kString || sink.name != 0 ||
        BeginsString(text.substr(at + use.size()), dialect)) {
      return true;
    }
  }
  return false;
}

// Whether the Python text names a function or class that registers, by module and name.
bool IsNamedIn(std::string_view text, const PythonDialect& python) {
  const auto named = [&](const std::string& function) {
    const std::size_t dot = function.rfind('.');
    return dot != std::string::npos && text.find(function.substr(0, dot)) != text.npos &&
           ContainsWord(text, function.substr(dot + 1));
  };
  return std::any_of(
             python.sinks.begin(), python.sinks.end(),
             [&](const PythonSink& sink) { return sink.adds.empty() && named(sink.function); }) ||
         std::any_of(python.receivers.begin(), python.receivers.end(),
                     [&](const PythonReceiver& each) { return named(each.function); });
}

bool ContainsAny(std::string_view text, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return ContainsWord(text, word); });
}

// A shipped dialect, and how it sees the tree.
struct DialectFit {
  Dialect dialect;
  bool marked = false;  // the root is that of the dialect's framework
  bool found = false;
};

// The dialects that see the tree from one root.
class RootSearch {
 public:
  RootSearch(Source root, std::string folder)
      : root_(std::move(root)), folder_(std::move(folder)) {}

  void Add(DialectFit* fit) { fits_.push_back(fit); }
  void Run() { Folder(""); }

 private:
  void Folder(const std::string& folder) {
    std::vector<FolderEntry> entries;
    root_.List(folder, entries);
    for (const FolderEntry& entry : entries) {
      if (entry.name.starts_with('.')) continue;
      const std::string path = folder.empty() ? entry.name : folder + '/' + entry.name;
      const PathKind kind =
          entry.kind == PathKind::kUnknown ? root_.ExamineLink(path).kind : entry.kind;
      if (kind == PathKind::kFolder && MayHoldSources(path)) Folder(path);
      if (kind == PathKind::kFile) File(path);
    }
  }

  bool MayHoldSources(const std::string& folder) const {
    const auto leads = [&](const std::string& glob) { return GlobMayMatchBelow(glob, folder); };
    return std::any_of(fits_.begin(), fits_.end(), [&](const DialectFit* fit) {
      const Dialect& dialect = fit->dialect;
      return !fit->found && (std::any_of(dialect.sources.begin(), dialect.sources.end(), leads) ||
                             std::any_of(dialect.data.begin(), dialect.data.end(),
                                         [&](const DataFile& data) { return leads(data.path); }));
    });
  }

  void File(const std::string& path) {
    std::optional<std::string> text;
    bool read = false;
    for (DialectFit* const fit : fits_) {
      if (fit->found || !IsAsked(*fit, path)) continue;
      if (!std::exchange(read, true)) text = ReadSource(root_, path);
      if (!text) return;
      fit->found = Registers(*fit, path, *text);
    }
  }

  // Whether the file is one of the dialect's sources.
  bool IsAsked(const DialectFit& fit, const std::string& path) const {
    const Dialect& dialect = fit.dialect;
    if (fit.marked && !DataFilesAt(dialect, path).empty()) return true;
    const bool python = path.ends_with(".py") && !dialect.python.IsNone();
    if (!python && !dialect.HasExtension(path)) return false;
    if (!fit.marked && !IsPathInside(root_.Absolute(path), folder_)) return false;
    if (!GlobMatchAny(dialect.sources, path) || GlobMatchAny(dialect.exclude, path)) return false;
    return !python || !GlobMatchAny(dialect.python.exclude, path);
  }

  static bool Registers(const DialectFit& fit, const std::string& path, std::string_view text) {
    const Dialect& dialect = fit.dialect;
    if (path.ends_with(".py")) return IsNamedIn(text, dialect.python);
    if (fit.marked && !DataFilesAt(dialect, path).empty()) return true;
    if (!dialect.detect.empty()) return ContainsAny(text, dialect.detect);
    return std::any_of(dialect.sinks.begin(), dialect.sinks.end(),
                       [&](const Sink& sink) { return IsCalledIn(text, sink, dialect); });
  }

  Source root_;
  std::string folder_;
  std::vector<DialectFit*> fits_;
};

}  // namespace

bool IsPathInside(const fs::path& path, const fs::path& folder) {
  auto [at, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end();
}

std::string RootWithoutProject(const Source& here, const fs::path& anchor, const Dialect& dialect) {
  const std::vector<std::string> folders = FoldersUpwards(here, anchor.string());
  for (const std::string& folder : folders) {
    if (HasAny(here, folder, dialect.root_markers)) return folder;
  }
  for (const std::string& folder : folders) {
    if (SourcesHold(here, folder, anchor, dialect)) return folder;
  }
  if (folders.size() > 1 || IsRepository(here, folders.front())) return folders.back();
  const fs::path current = here.Canonical(".");
  return IsPathInside(anchor, current) ? current.string() : anchor.string();
}

std::vector<std::string> DetectDialects(const Source& folder) {
  Diagnostics ignored;
  std::vector<DialectFit> fits;
  for (const std::string& name : ShippedDialects(ignored)) {
    std::optional<Dialect> dialect = FindDialect(folder, name, Reach::kAnywhere, ignored);
    if (dialect) fits.push_back({std::move(*dialect), false, false});
  }
  std::map<std::string, RootSearch> searches;
  for (DialectFit& fit : fits) {
    const Source root = folder.At(RootWithoutProject(folder, folder.root(), fit.dialect));
    fit.marked = HasAny(root, root.root(), fit.dialect.root_markers);
    searches.try_emplace(root.root(), root, folder.root()).first->second.Add(&fit);
  }
  for (auto& [root, search] : searches) search.Run();
  std::vector<std::string> found;
  std::vector<std::string> found_marked;
  std::vector<std::string> found_by_words;
  for (const DialectFit& fit : fits) {
    if (!fit.found) continue;
    const bool by_words = !fit.dialect.detect.empty();
    (fit.marked ? found_marked : by_words ? found_by_words : found).push_back(fit.dialect.name);
  }
  // Frameworks learn from each other, also names of macros; files of another are seldom there. A
  // library of operators mostly binds helpers of its own besides, which words recognise.
  if (!found_marked.empty()) return found_marked;
  return found.empty() ? found_by_words : found;
}

}  // namespace opledger::scan
