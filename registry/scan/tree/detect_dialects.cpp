// Reads each file once, and searches it for the dialects that were not found yet. A glance searches
// every file for all dialects, to count files.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/detect_dialects.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <deque>
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

// Returns whether the dialect's sources below `folder` contain the anchor, or begin directly below
// it.
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

// Returns whether a string argument may begin here. Other frameworks also have a REGISTER_OP, of
// classes.
bool BeginsString(std::string_view text, const Dialect& dialect) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with('"') ||
         std::any_of(dialect.identity_functions.begin(), dialect.identity_functions.end(),
                     [&](const std::string& name) { return text.starts_with(name); });
}

// Returns whether the text contains "REGISTER_OP(", but not as the end of "TVM_REGISTER_OP(".
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

// Returns whether the Python text names a registering function or class by module and name.
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

// A shipped dialect, and what was found for it.
struct DialectFit {
  Dialect dialect;
  bool marked = false;  // the root belongs to the dialect's framework
  bool found = false;
  std::size_t files = 0;  // with registrations; without a budget, only the first one counts
  std::string first;
};

constexpr std::size_t kMostGlanced = 2000;         // files to read
constexpr std::size_t kMostGlancedNames = 50'000;  // names to list
constexpr double kMaxGlanceSeconds = 1;

// The remaining budget of a glance.
class Budget {
 public:
  bool TakeFile() { return Take(files_); }
  bool TakeName() { return Take(names_); }
  bool spent() const { return spent_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool Take(std::size_t& left) {
    spent_ = spent_ || left == 0 ||
             std::chrono::duration<double>(Clock::now() - begin_).count() > kMaxGlanceSeconds;
    if (!spent_) --left;
    return !spent_;
  }

  std::size_t files_ = kMostGlanced;
  std::size_t names_ = kMostGlancedNames;
  Clock::time_point begin_ = Clock::now();
  bool spent_ = false;
};

// Searches for all dialects that have the same root.
class RootSearch {
 public:
  // `budget`: of a glance, which counts files. If null, the search for each dialect stops when it
  // is found.
  RootSearch(Source root, std::string folder, Budget* budget)
      : root_(std::move(root)), folder_(std::move(folder)), budget_(budget) {}

  void Add(DialectFit* fit) { fits_.push_back(fit); }
  void Run() {
    folders_ = {""};
    for (; !folders_.empty() && !IsSpent(); folders_.pop_front()) Folder(folders_.front());
  }

 private:
  bool IsSpent() const { return budget_ != nullptr && budget_->spent(); }
  bool IsDone(const DialectFit& fit) const { return fit.found && budget_ == nullptr; }

  void Folder(const std::string& folder) {
    std::vector<FolderEntry> entries;
    root_.List(folder, entries);
    if (budget_ != nullptr) {  // makes the result independent of the disk's order
      std::sort(entries.begin(), entries.end(),
                [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
    }
    for (const FolderEntry& entry : entries) {
      if (entry.name.starts_with('.')) continue;
      if (budget_ != nullptr && !budget_->TakeName()) return;
      const std::string path = folder.empty() ? entry.name : folder + '/' + entry.name;
      const PathKind kind =
          entry.kind == PathKind::kUnknown ? root_.ExamineLink(path).kind : entry.kind;
      if (kind == PathKind::kFolder && MayHoldSources(path)) folders_.push_back(path);
      if (kind == PathKind::kFile) File(path);
    }
  }

  bool MayHoldSources(const std::string& folder) const {
    const auto leads = [&](const std::string& glob) { return GlobMayMatchBelow(glob, folder); };
    return std::any_of(fits_.begin(), fits_.end(), [&](const DialectFit* fit) {
      const Dialect& dialect = fit->dialect;
      return !IsDone(*fit) && (std::any_of(dialect.sources.begin(), dialect.sources.end(), leads) ||
                               std::any_of(dialect.data.begin(), dialect.data.end(),
                                           [&](const DataFile& data) { return leads(data.path); }));
    });
  }

  void File(const std::string& path) {
    std::optional<std::string> text;
    bool read = false;
    for (DialectFit* const fit : fits_) {
      if (IsDone(*fit) || !IsAsked(*fit, path)) continue;
      if (!std::exchange(read, true)) {
        if (budget_ != nullptr && !budget_->TakeFile()) return;
        text = ReadSource(root_, path);
      }
      if (!text) return;
      if (!Registers(*fit, path, *text)) continue;
      if (!std::exchange(fit->found, true)) fit->first = root_.Absolute(path);
      ++fit->files;
    }
  }

  // Returns whether the file is one of the dialect's sources.
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
  Budget* budget_;
  std::vector<DialectFit*> fits_;
  std::deque<std::string> folders_;  // still to be searched
};

// Returns the dialects that fit, with what was found for each.
std::vector<SeenDialect> Search(const Source& folder, Budget* budget) {
  Diagnostics ignored;
  std::vector<DialectFit> fits;
  for (const std::string& name : ShippedDialects(ignored)) {
    std::optional<Dialect> dialect = FindDialect(folder, name, Reach::kAnywhere, ignored);
    if (dialect) fits.push_back({std::move(*dialect), false, false, 0, {}});
  }
  std::map<std::string, RootSearch> searches;
  for (DialectFit& fit : fits) {
    const Source root = folder.At(RootWithoutProject(folder, folder.root(), fit.dialect));
    fit.marked = HasAny(root, root.root(), fit.dialect.root_markers);
    searches.try_emplace(root.root(), root, folder.root(), budget).first->second.Add(&fit);
  }
  for (auto& [root, search] : searches) search.Run();
  std::vector<SeenDialect> found;
  std::vector<SeenDialect> found_marked;
  std::vector<SeenDialect> found_by_words;
  for (const DialectFit& fit : fits) {
    if (!fit.found) continue;
    const bool by_words = !fit.dialect.detect.empty();
    (fit.marked ? found_marked
     : by_words ? found_by_words
                : found)
        .push_back({fit.dialect.name, fit.files, fit.first});
  }
  // Frameworks copy macro names from each other, so a framework's own dialect takes precedence.
  // Dialects that are detected by words come last, since a library of operators usually also binds
  // helpers.
  if (!found_marked.empty()) return found_marked;
  return found.empty() ? found_by_words : found;
}

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
  std::vector<std::string> names;
  for (SeenDialect& each : Search(folder, nullptr)) names.push_back(std::move(each.name));
  return names;
}

Glance GlanceAt(const Source& folder) {
  Budget budget;
  Glance glance;
  glance.dialects = Search(folder, &budget);
  glance.whole = !budget.spent();
  return glance;
}

}  // namespace opledger::scan
