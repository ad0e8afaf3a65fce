// Initializes the variables outside functions in order. Functions that other units may call, and
// functions that nothing in this unit calls, are run on their own if they lead to a record.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "registry/scan/ast/ast.h"
#include "registry/scan/ast/interpreter.h"

namespace opledger::scan::ast {
namespace {

constexpr std::size_t kMaxNames = 10'000;

class Start {
 public:
  Start(clang::ASTContext& context, const Errors& errors, bool included)
      : context_(context),
        errors_(errors),
        broken_(context, errors),
        effects_(context, broken_, included),
        interpreter_(context, effects_, broken_,
                     [this](int number, const Value& value, const std::string& why) {
                       Note(number, value, why);
                     }) {}

  std::map<int, Names> Run();

 private:
  void Note(int number, const Value& value, const std::string& why);
  void LoseBroken();
  void Places(const clang::DeclContext* scope);
  void RunAlone(const clang::FunctionDecl* function);

  clang::ASTContext& context_;
  const Errors& errors_;
  BrokenCode broken_;
  Effects effects_;
  Interpreter interpreter_;
  std::map<int, Names> names_;
  std::map<unsigned, unsigned> places_;  // of declarations: begin to end
};

void Start::Note(int number, const Value& value, const std::string& why) {
  Names& names = names_[number];
  std::string unknown = why;
  if (value.Is(Value::Kind::kString) && names.values.size() < kMaxNames) {
    names.values.insert(value.text);
  } else if (value.Is(Value::Kind::kString)) {
    unknown = "it yields more than 10,000 names";
  }
  if (names.unknown.empty()) names.unknown = unknown;
  if (value.lost) names.values.clear();
}

void Start::Places(const clang::DeclContext* scope) {
  const clang::SourceManager& sources = context_.getSourceManager();
  for (const clang::Decl* declaration : scope->decls()) {
    const clang::SourceRange range = declaration->getSourceRange();
    if (declaration->isImplicit() || range.isInvalid()) continue;
    const clang::SourceLocation begin = sources.getExpansionLoc(range.getBegin());
    const clang::SourceLocation end = sources.getExpansionLoc(range.getEnd());
    if (!sources.isWrittenInMainFile(begin) || !sources.isWrittenInMainFile(end)) continue;
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration)) {
      Places(llvm::cast<clang::DeclContext>(declaration));
      const unsigned at = sources.getFileOffset(begin);
      places_.emplace(at, at);
      continue;
    }
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (variable != nullptr && variable->isInvalidDecl()) {  // the initializer may be missing
      interpreter_.LoseText(broken_.Text(begin, end, false));
      continue;
    }
    unsigned& last = places_[sources.getFileOffset(begin)];
    last = std::max(last, sources.getFileOffset(end));
  }
}

// Handles text around errors that is not part of a declaration and is therefore not run.
void Start::LoseBroken() {
  if (errors_.places.empty()) return;
  Places(context_.getTranslationUnitDecl());
  const clang::SourceManager& sources = context_.getSourceManager();
  const llvm::StringRef text = sources.getBufferData(sources.getMainFileID());
  unsigned done = 0;
  for (unsigned place : errors_.places) {
    if (place < done) continue;
    auto next = places_.upper_bound(place);
    unsigned begin = 0;
    if (next != places_.begin()) {
      auto before = std::prev(next);
      if (place <= before->second) continue;  // inside a declaration
      begin = before->second;
    }
    done = next == places_.end() ? static_cast<unsigned>(text.size()) : next->first;
    interpreter_.LoseText(text.slice(begin, done));
  }
}

void Start::RunAlone(const clang::FunctionDecl* function) {
  interpreter_.RunByItself(function);
  // Adds the records as reached code, because it compiles.
  for (int number : effects_.Of(function).records) names_[number];
}

std::map<int, Names> Start::Run() {
  LoseBroken();
  for (const clang::VarDecl* variable : effects_.variables()) interpreter_.Initialise(variable);
  std::vector<const clang::FunctionDecl*> others;
  for (const clang::FunctionDecl* function : effects_.functions()) {
    if (!effects_.Leads(function)) continue;
    const bool open = effects_.IsOpen(function) && !function->isTemplateInstantiation();
    open ? RunAlone(function) : others.push_back(function);
  }
  interpreter_.LoseVisibleFunctions();
  // Callers are usually defined after the functions that they call, so the last function runs
  // first.
  for (auto function = others.rbegin(); function != others.rend(); ++function) {
    if (!interpreter_.WasCalled(*function)) RunAlone(*function);
  }
  const std::set<int> passed = effects_.In([&](const clang::Decl* declaration) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    return function == nullptr || interpreter_.WasCalled(function);
  });
  for (int number : passed) names_[number].passed = true;
  for (auto& [number, names] : names_) {
    if (names.passed) continue;
    if (names.values.empty() && names.unknown.empty()) names.unknown = "nothing here calls it";
  }
  return std::move(names_);
}

}  // namespace

std::map<int, Names> FindNames(clang::ASTContext& context, const Errors& errors, bool included) {
  return Start(context, errors, included).Run();
}

}  // namespace opledger::scan::ast
