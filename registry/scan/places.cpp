// A token's place is found by walking outwards through the macro expansions it came from; so is its
// condition, which adds up what stands around each definition on the way.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/places.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "registry/glob.h"

namespace opledger::scan {

std::optional<int> Places::FileOf(clang::FileID file) {
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

Location Places::At(clang::SourceLocation location) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  auto [file, offset] = sources.getDecomposedLoc(location);
  std::optional<int> index = FileOf(file);
  if (!index) return {};
  Location at;
  at.path = context_.tree.files()[*index].path;
  at.line = at.end_line = static_cast<int>(sources.getLineNumber(file, offset));
  at.column = static_cast<int>(sources.getColumnNumber(file, offset));
  at.end_column = at.column + static_cast<int>(clang::Lexer::MeasureTokenLength(
                                  location, sources, preprocessor_.getLangOpts()));
  return at;
}

Location Places::Written(clang::SourceLocation location) {
  return At(preprocessor_.getSourceManager().getFileLoc(location));
}

Location Places::Call(clang::SourceLocation location, std::string& macro) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  clang::SourceLocation outermost = sources.getExpansionLoc(location);
  llvm::SmallString<64> buffer;
  macro = clang::Lexer::getSpelling(outermost, buffer, sources, preprocessor_.getLangOpts()).str();
  return At(outermost);
}

Condition Places::StackAt(clang::SourceLocation location) {
  auto [file, offset] = preprocessor_.getSourceManager().getDecomposedLoc(location);
  std::optional<int> index = FileOf(file);
  if (!index) return {};
  const Outline& outline = context_.tree.files()[*index].outline;
  int branch = outline.BranchAt(offset);
  auto [known, fresh] = stacks_.try_emplace({*index, branch});
  if (fresh) known->second = outline.StackCondition(branch);
  return known->second;
}

Condition Places::PathCondition(int file) {
  auto [known, fresh] = stacks_.try_emplace({file, -2});
  if (fresh) {
    for (const opledger::PathCondition& rule : context_.dialect.path_conditions) {
      if (GlobMatch(rule.path, context_.tree.files()[file].path)) {
        known->second = known->second.And(rule.condition);
      }
    }
  }
  return known->second;
}

// The condition on the definition that the macro named at `macro_name` had there.
Condition Places::DefinitionOf(clang::SourceLocation macro_name) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  llvm::SmallString<64> buffer;
  llvm::StringRef name = clang::Lexer::getSpelling(sources.getSpellingLoc(macro_name), buffer,
                                                   sources, preprocessor_.getLangOpts());
  clang::IdentifierInfo* identifier = preprocessor_.getIdentifierInfo(name);
  clang::MacroDefinition definition =
      preprocessor_.getMacroDefinitionAtLoc(identifier, sources.getExpansionLoc(macro_name));
  const clang::MacroInfo* info = definition.getMacroInfo();
  if (info == nullptr) return {};
  clang::SourceLocation at = info->getDefinitionLoc();
  if (FileOf(sources.getFileID(at))) return StackAt(at);
  DefinitionRef ref = context_.injected(name.str());
  if (ref.file < 0) return {};
  const Outline& outline = context_.tree.files()[ref.file].outline;
  return outline.StackCondition(outline.macros[ref.macro].branch);
}

Condition Places::When(clang::SourceLocation location) {
  const clang::SourceManager& sources = preprocessor_.getSourceManager();
  Condition when;
  while (location.isMacroID()) {
    when = when.And(DefinitionOf(sources.getImmediateExpansionRange(location).getBegin()));
    location = sources.getImmediateMacroCallerLoc(location);
  }
  when = when.And(StackAt(location));
  if (std::optional<int> file = FileOf(sources.getFileID(location))) {
    when = when.And(PathCondition(*file));
  }
  return when;
}

}  // namespace opledger::scan
