// Locates a token by walking outward through the macro expansions that produced it. Its condition
// combines the conditions around each definition on the way.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/match/source_locator.h"

#include <algorithm>
#include <limits>

#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/outline/unreadable.h"
#include "registry/text/glob.h"

namespace opledger::scan {
namespace {

// Returns whether the branch contains anything but directives.
bool HoldsCode(std::string_view file, const Branch& branch) {
  const Offset begin = std::max(branch.keyword.end, branch.expression.end);
  const std::string text(file.substr(begin, branch.end - begin));
  RawLexer lexer(text);
  RawToken token;
  for (lexer.Next(token); token.Is(clang::tok::hash) && token.starts_line;) {
    do lexer.Next(token);
    while (!token.starts_line && !token.Is(clang::tok::eof));
  }
  return !token.Is(clang::tok::eof);
}

}  // namespace

// Records the places of macro expansions and entered files.
class SourceLocator::ExpansionCallbacks : public clang::PPCallbacks {
 public:
  explicit ExpansionCallbacks(SourceLocator& places) : locator_(places) {}

  void FileChanged(clang::SourceLocation /*at*/, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind /*kind*/, clang::FileID /*from*/) override {
    locator_.entered_ += reason == EnterFile;
  }

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition,
                    clang::SourceRange range, const clang::MacroArgs* /*arguments*/) override {
    locator_.OnMacroExpanded(name.getIdentifierInfo(), definition.getMacroInfo(), range);
  }

 private:
  SourceLocator& locator_;
};

SourceLocator::SourceLocator(clang::Preprocessor& preprocessor, const MatchContext& context)
    : preprocessor_(preprocessor), context_(context) {
  for (const std::string& name : context.tracked_names) {
    tracked_macros_.insert(preprocessor.getIdentifierInfo(name));
  }
  for (const std::string& name : context.leading) {
    leading_.insert(preprocessor.getIdentifierInfo(name));
  }
  preprocessor.addPPCallbacks(std::make_unique<ExpansionCallbacks>(*this));
}

std::optional<int> SourceLocator::FileOf(clang::FileID file) {
  auto [known, fresh] = files_.try_emplace(file.getHashValue());
  if (!fresh) return known->second;
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  if (file == sources.getMainFileID()) return known->second = context_.unit;
  auto entry = sources.getFileEntryRefForID(file);
  if (!entry) return std::nullopt;
  std::string path = NormalPath(std::string(entry->getName()));
  std::string root = context_.tree.root() + "/";
  if (path.starts_with(root)) path.erase(0, root.size());
  int index = context_.tree.Known(path);
  if (index >= 0) known->second = index;
  return known->second;
}

Location SourceLocator::At(clang::SourceLocation location) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  auto [file, offset] = sources.getDecomposedLoc(location);
  std::optional<int> index = FileOf(file);
  if (!index) {  // a file that a macro names: use its #include
    const clang::SourceLocation include = sources.getIncludeLoc(file);
    return include.isValid() ? At(include) : Location();
  }
  Location at;
  at.path = context_.tree.files()[*index].path;
  at.line = at.end_line = static_cast<int>(sources.getLineNumber(file, offset));
  at.column = static_cast<int>(sources.getColumnNumber(file, offset));
  at.end_column = at.column + static_cast<int>(clang::Lexer::MeasureTokenLength(
                                  location, sources, preprocessor_.getLangOpts()));
  return at;
}

void SourceLocator::AddSpots(clang::SourceLocation location, std::set<Spot>& spots) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  for (;; location = sources.getImmediateExpansionRange(location).getBegin()) {
    auto [id, offset] = sources.getDecomposedSpellingLoc(location);
    if (std::optional<int> file = FileOf(id)) {
      spots.insert({*file, offset});
    } else if (&spots == &context_.spots.read &&
               sources.isWrittenInScratchSpace(sources.getSpellingLoc(location))) {
      const clang::SourceRange call = sources.getExpansionRange(location).getAsRange();
      auto [call_id, begin] = sources.getDecomposedLoc(call.getBegin());
      if (std::optional<int> file = FileOf(call_id)) {
        context_.spots.glued.insert({{*file, begin}, sources.getFileOffset(call.getEnd())});
      }
    }
    if (!location.isMacroID()) return;
  }
}

// Adds the mentions between the name of a macro and the end of its call.
void SourceLocator::AddArguments(clang::SourceLocation begin, clang::SourceLocation end) {
  const std::vector<Offset>& wanted = context_.spots.wanted;
  if (wanted.empty() || begin == end) return;
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  if (!sources.isInMainFile(begin)) return;
  const Offset last = sources.getFileOffset(end);
  for (auto at = std::upper_bound(wanted.begin(), wanted.end(), sources.getFileOffset(begin));
       at != wanted.end() && *at < last; ++at) {
    context_.spots.arguments.insert({context_.unit, *at});
  }
}

Location SourceLocator::WrittenAt(clang::SourceLocation location) {
  return At(preprocessor_.getSourceManager().getFileLoc(location));
}

namespace {

// Returns the offset of `word`, as a whole word, inside the parentheses that close at `close`; npos
// if it is not there.
std::size_t WordInCall(std::string_view text, std::size_t close, std::string_view word) {
  if (close >= text.size() || text[close] != ')') return std::string_view::npos;
  std::size_t open = close;
  for (int depth = 1; depth > 0 && open > 0;) {
    --open;
    if (text[open] == ')') ++depth;
    if (text[open] == '(') --depth;
  }
  const auto is_part = [&](std::size_t at) {
    return at < close && (clang::isAsciiIdentifierContinue(text[at]));
  };
  for (std::size_t at = text.find(word, open + 1); at < close; at = text.find(word, at + 1)) {
    if (!is_part(at - 1) && !is_part(at + word.size())) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<Location> SourceLocator::ArgumentAt(clang::SourceLocation location,
                                                  std::string_view word) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  std::optional<Location> found;
  while (location.isMacroID() && !word.empty()) {
    location = sources.getImmediateExpansionRange(location).getEnd();
    const clang::SourceLocation written = sources.getSpellingLoc(location);
    const auto [file, offset] = sources.getDecomposedLoc(written);
    const std::string_view text = sources.getBufferData(file);
    const std::size_t at = WordInCall(text, offset, word);
    if (at == std::string_view::npos) continue;
    const std::optional<Location> place =
        FileOf(file) ? At(sources.getComposedLoc(file, static_cast<unsigned>(at)))
                     : InInjected(text, at, word);
    if (place) found = place;
  }
  return found;
}

// Finds `word` in the header that defines a macro which was defined before the unit.
std::optional<Location> SourceLocator::InInjected(std::string_view text, std::size_t at,
                                                  std::string_view word) {
  constexpr std::string_view kDefine = "#define ";
  std::size_t begin = text.rfind(kDefine, at);
  if (begin == std::string_view::npos || !context_.injected) return std::nullopt;
  begin += kDefine.size();
  std::size_t end = begin;
  while (end < at && clang::isAsciiIdentifierContinue(text[end])) ++end;
  const DefinitionRef ref = context_.injected(std::string(text.substr(begin, end - begin)));
  if (ref.file < 0) return std::nullopt;
  const std::string& path = context_.tree.files()[ref.file].path;
  auto [known, fresh] = headers_.try_emplace(ref.file);
  if (fresh) {
    known->second.text =
        context_.tree.source().Read(path, kMaxSourceBytes, Reach::kBelow).value_or("");
    known->second.lines = LineIndex(known->second.text);
  }
  const std::string& header = known->second.text;
  const std::size_t place = context_.index.Definition(ref).offset + (at - begin);
  if (place > header.size() || header.compare(place, word.size(), word) != 0) return std::nullopt;
  const auto [line, column] = known->second.lines.At(place);
  return Location{path, line, column, line, column + static_cast<int>(word.size())};
}

Location SourceLocator::CallAt(clang::SourceLocation location, std::string& macro) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  clang::SourceLocation outermost = sources.getExpansionLoc(location);
  llvm::SmallString<64> buffer;
  macro = clang::Lexer::getSpelling(outermost, buffer, sources, preprocessor_.getLangOpts()).str();
  return At(outermost);
}

// Returns the places from the unit's #include down to the location, without those in files outside
// the tree.
std::vector<FilePlace> SourceLocator::WayTo(clang::SourceLocation location) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  std::vector<FilePlace> way;
  for (clang::SourceLocation at = location; at.isValid();
       at = sources.getIncludeLoc(sources.getFileID(at))) {
    auto [file, offset] = sources.getDecomposedLoc(at);
    std::optional<int> index = FileOf(file);
    if (!index) continue;
    Offset place = offset;
    if (at != location) {
      for (const Include& include : context_.tree.files()[*index].outline.includes) {
        if (include.directive.begin <= offset && offset < include.directive.end) {
          place = include.directive.begin;
        }
      }
    }
    way.push_back({*index, place});
  }
  std::reverse(way.begin(), way.end());
  return way;
}

// Returns the condition of the #ifs around the location and around the #includes that lead to it.
Condition SourceLocator::StackAt(clang::SourceLocation location) {
  auto [file, offset] = preprocessor_.getSourceManager().getDecomposedLoc(location);
  std::optional<int> index = FileOf(file);
  const int branch = index ? context_.tree.files()[*index].outline.BranchAt(offset) : kNoBranch;
  auto [known, fresh] = stacks_.try_emplace({file.getHashValue(), branch});
  if (fresh) known->second = context_.index.ConditionAt(WayTo(location));
  return known->second;
}

Condition SourceLocator::PathCondition(int file) {
  auto [known, fresh] = path_conditions_.try_emplace(file);
  if (fresh) {
    for (const opledger::PathCondition& rule : context_.dialect.path_conditions) {
      if (GlobMatch(rule.path, context_.tree.files()[file].path)) {
        known->second = known->second.And(rule.condition);
      }
    }
  }
  return known->second;
}

clang::SourceLocation SourceLocator::LocationIn(int file, Offset offset) const {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  clang::FileID id = sources.getMainFileID();
  if (file != context_.unit) {
    std::string path = context_.tree.Absolute(context_.tree.files()[file].path);
    auto entry = sources.getFileManager().getOptionalFileRef(path);
    id = entry ? sources.translateFile(*entry) : clang::FileID();
  }
  return id.isValid() ? sources.getComposedLoc(id, offset) : clang::SourceLocation();
}

// Returns all definitions of the macro; empty if its definition never varies.
const std::vector<SourceLocator::Event>& SourceLocator::Events(const clang::IdentifierInfo* macro) {
  std::unique_ptr<std::vector<Event>>& known = events_[macro];
  if (!known) {
    std::vector<Event> events;
    std::string name = macro->getName().str();
    const Outline& own = context_.tree.files()[context_.unit].outline;
    for (const MacroDefinition& definition : own.macros) {
      if (definition.name != name || definition.given) continue;
      events.push_back({context_.index.presence().Stack(context_.unit, definition.branch),
                        context_.unit,
                        definition.offset,
                        {},
                        0});
    }
    for (DefinitionRef ref : context_.index.AllVisible(name, context_.unit)) {
      events.push_back({context_.index.ConditionIn(context_.unit, ref),
                        ref.file,
                        context_.index.Definition(ref).offset,
                        {},
                        0});
    }
    bool sink = std::any_of(context_.sinks.begin(), context_.sinks.end(),
                            [&](const Sink* pinned) { return pinned->macro == name; });
    bool same = sink || std::all_of(events.begin(), events.end(),
                                    [](const Event& event) { return event.when.IsAlways(); });
    if (same) events.clear();
    known = std::make_unique<std::vector<Event>>(std::move(events));
  }
  for (Event& event : *known) {
    if (event.at.isValid() || event.tried == entered_) continue;
    event.tried = entered_;
    event.at = LocationIn(event.file, event.offset);
  }
  return *known;
}

// Returns when the macro has the definition `info` at `use`: the definition's own condition, and
// that nothing redefined it in between.
Condition SourceLocator::ConditionOfMacro(const clang::IdentifierInfo* macro,
                                          const clang::MacroInfo* info, clang::SourceLocation use) {
  const std::vector<Event>& events = Events(macro);
  if (events.empty() || info == nullptr) return {};
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  clang::SourceLocation defined = info->getDefinitionLoc();
  Condition when;
  bool injected = true;
  for (const Event& event : events) {
    if (event.at != defined) continue;
    when = event.when;
    injected = false;
  }
  if (injected) {
    DefinitionRef ref = context_.injected(macro->getName().str());
    if (ref.file >= 0) when = context_.index.ConditionIn(context_.unit, ref);
  }
  for (const Event& event : events) {
    if (event.at.isInvalid() || event.at == defined) continue;
    if (!injected && !sources.isBeforeInTranslationUnit(defined, event.at)) continue;
    if (!sources.isBeforeInTranslationUnit(event.at, use)) continue;
    if (when.And(event.when).CanBeTrue()) when = when.And(event.when.Not());
  }
  return when;
}

// Like ConditionOfMacro, for the macro that is named and expanded at `macro_name`.
Condition SourceLocator::ConditionOfCall(clang::SourceLocation macro_name) {
  if (macro_name == call_) return call_when_;
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  llvm::SmallString<64> buffer;
  llvm::StringRef name = clang::Lexer::getSpelling(sources.getSpellingLoc(macro_name), buffer,
                                                   sources, preprocessor_.getLangOpts());
  clang::IdentifierInfo* identifier = preprocessor_.getIdentifierInfo(name);
  call_ = macro_name;
  call_when_ = Condition();
  if (Events(identifier).empty()) return {};
  clang::SourceLocation use = sources.getExpansionLoc(macro_name);
  clang::MacroDefinition definition = preprocessor_.getMacroDefinitionAtLoc(identifier, use);
  return call_when_ = ConditionOfMacro(identifier, definition.getMacroInfo(), use);
}

void SourceLocator::OnMacroExpanded(const clang::IdentifierInfo* macro,
                                    const clang::MacroInfo* info, clang::SourceRange range) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  clang::SourceLocation begin = sources.getExpansionLoc(range.getBegin());
  clang::SourceLocation end = sources.getExpansionLoc(range.getEnd());
  auto inside = [&](clang::SourceRange call) {
    return call.getBegin() <= begin && begin <= call.getEnd();
  };
  if (leading_.contains(macro)) AddSpots(range.getBegin(), context_.spots.expanded);
  AddArguments(begin, end);
  if (calls_.empty() || !inside(calls_.front())) calls_.clear();
  calls_.emplace_back(begin, end);
  if (calls_.front().getEnd() < end) calls_.front().setEnd(end);
  if (!tracked_macros_.contains(macro)) return;
  Condition when = ConditionOfMacro(macro, info, begin);
  if (when.IsAlways()) return;
  for (clang::SourceRange call : calls_) {
    if (!inside(call)) continue;
    Condition& all = expanded_in_[call.getBegin()];
    all = all.And(when);
  }
}

// Like ConditionAt, for a location in a file.
Condition SourceLocator::ConditionInFile(clang::SourceLocation location) {
  if (region_.begin.isValid() && region_.begin <= location && location < region_.end) {
    return region_.when;
  }
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  Condition when = StackAt(location);
  auto [id, offset] = sources.getDecomposedLoc(location);
  std::optional<int> file = FileOf(id);
  if (file) when = when.And(PathCondition(*file));
  when = when.And(PathCondition(context_.unit));
  if (!file) return when;
  Offset begin = 0;
  Offset end = std::numeric_limits<Offset>::max();
  for (const Branch& branch : context_.tree.files()[*file].outline.branches) {
    for (Offset edge : {branch.directive, branch.end}) {
      if (edge <= offset) begin = std::max(begin, edge);
      if (edge > offset) end = std::min(end, edge);
    }
  }
  end = std::min(end, static_cast<Offset>(sources.getFileIDSize(id)));
  region_ = {sources.getComposedLoc(id, begin), sources.getComposedLoc(id, end), when};
  return when;
}

Condition SourceLocator::ConditionBetween(clang::SourceLocation one, clang::SourceLocation next) {
  Condition when;
  if (!one.isFileID() || !next.isFileID()) return when;
  if (region_.begin.isValid() && region_.begin <= one && one < region_.end) return when;
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  const auto [id, begin] = sources.getDecomposedLoc(one);
  const auto [other, end] = sources.getDecomposedLoc(next);
  const std::optional<int> file = FileOf(id);
  if (id != other || !file) return when;
  const std::string_view text = sources.getBufferData(id);
  const Outline& outline = context_.tree.files()[*file].outline;
  const std::vector<Branch>& branches = outline.branches;
  const auto from =
      std::lower_bound(branches.begin(), branches.end(), begin,
                       [](const Branch& branch, Offset at) { return branch.directive < at; });
  for (auto i = static_cast<int>(from - branches.begin());
       i < static_cast<int>(branches.size()) && branches[i].directive < end; ++i) {
    const std::vector<int> group = outline.GroupOf(outline.FirstOf(i));
    const bool between =
        branches[group.front()].directive >= begin && branches[group.back()].end <= end;
    // If a token is inside one of the branches, its condition excludes the others.
    if (!between || !HoldsCode(text, branches[i])) continue;
    when = when.And(StackAt(sources.getComposedLoc(id, branches[i].keyword.end)).Not());
  }
  return when;
}

Condition SourceLocator::ConditionAt(clang::SourceLocation location) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  Condition when;
  while (location.isMacroID()) {
    clang::SourceLocation begin = sources.getImmediateExpansionRange(location).getBegin();
    clang::SourceLocation caller = begin;
    if (sources.isMacroArgExpansion(location)) {
      // The token was passed through a parameter of the macro whose body contains `begin`.
      caller = sources.getImmediateSpellingLoc(location);
      if (begin.isMacroID()) begin = sources.getImmediateExpansionRange(begin).getBegin();
    }
    if (sources.isWrittenInScratchSpace(sources.getImmediateSpellingLoc(location))) {
      // Pasted or stringized: the original tokens are not known.
      auto found = expanded_in_.find(sources.getExpansionLoc(location));
      if (found != expanded_in_.end()) when = when.And(found->second);
    } else {
      when = when.And(ConditionOfCall(begin));
    }
    location = caller;
  }
  return when.And(ConditionInFile(location));
}

bool SourceLocator::IsInOtherHeader(clang::SourceLocation location) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  std::optional<int> file = FileOf(sources.getFileID(sources.getExpansionLoc(location)));
  return file && context_.others.contains(*file);
}

}  // namespace opledger::scan
