// Runs Clang without its driver on the text and the stub of the standard library only.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/TargetOptions.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/ModuleLoader.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Parse/ParseAST.h"
#include "registry/scan/ast/ast.h"
#include "registry/scan/ast/stdlib_stub.h"
#include "registry/scan/preprocess/clang_versions.h"

namespace opledger::scan::ast {
namespace {

// Records the positions of errors. The tree says that an expression has errors, but not where.
class Collector : public clang::DiagnosticConsumer {
 public:
  explicit Collector(Errors& errors) : errors_(errors) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    if (level < clang::DiagnosticsEngine::Error || !diagnostic.hasSourceManager()) return;
    llvm::SmallString<128> message;
    diagnostic.FormatDiagnostic(message);
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    const clang::SourceLocation at = sources.getExpansionLoc(diagnostic.getLocation());
    if (level == clang::DiagnosticsEngine::Fatal && errors_.fatal.empty()) {
      errors_.fatal = message.str();
    }
    NoteUndeclared(message);
    if (!at.isValid() || !sources.isWrittenInMainFile(at)) return;
    // A declaration that a jump bypasses is still a declaration.
    const bool jump = llvm::StringRef(message).starts_with("cannot jump");
    if (!jump) errors_.places.insert(sources.getFileOffset(at));
    const clang::PresumedLoc written = sources.getPresumedLoc(at);
    if (!jump && errors_.first.empty() && written.isValid()) {
      const std::string where =
          std::string(written.getFilename()) + ":" + std::to_string(written.getLine());
      errors_.first = where + ": " + message.str().str();
    }
    errors_.by_line.emplace(static_cast<int>(sources.getExpansionLineNumber(at)),
                            message.str().str());
  }

 private:
  void NoteUndeclared(llvm::StringRef message) {
    for (llvm::StringRef begin : {"use of undeclared identifier '", "unknown type name '",
                                  "no type named '", "no template named '"}) {
      if (!message.consume_front(begin)) continue;
      const std::string name = message.take_until([](char c) { return c == '\''; }).str();
      auto& all = errors_.undeclared;
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
      return;
    }
  }

  Errors& errors_;
};

clang::LangOptions Language() {
  clang::LangOptions made;
  std::vector<std::string> includes;
  clang::LangOptions::setLangDefaults(made, clang::Language::CXX,
                                      llvm::Triple("x86_64-unknown-linux-gnu"), includes,
                                      clang::LangStandard::lang_cxx20);
  made.DollarIdents = true;
  made.GNUMode = true;
  made.CXXOperatorNames = true;
  made.Exceptions = true;
  made.CXXExceptions = true;
  made.RTTI = true;
  made.RecoveryAST = true;
  made.RecoveryASTType = true;
  made.SpellChecking = false;
  made.ConstexprStepLimit = 200'000;
  return made;
}

}  // namespace

void Parse(const std::string& text,
           const std::function<void(clang::ASTContext&, const Errors&)>& read) {
  Errors errors;
  const llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids(new clang::DiagnosticIDs);
  auto* diagnostic_options = KeptForEver(new clang::DiagnosticOptions);
  auto diagnostics =
      MakeEngine<clang::DiagnosticsEngine>(ids, diagnostic_options, new Collector(errors));
  const auto target_options = std::make_shared<clang::TargetOptions>();
  target_options->Triple = "x86_64-unknown-linux-gnu";
  const std::unique_ptr<clang::TargetInfo> target =
      MakeTarget<clang::TargetInfo>(diagnostics, target_options);
  clang::LangOptions language = Language();
  llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager(clang::FileSystemOptions(), new llvm::vfs::InMemoryFileSystem));
  clang::SourceManager sources(diagnostics, *files);
  auto search = Make<clang::HeaderSearch>(std::make_shared<clang::HeaderSearchOptions>(), sources,
                                          diagnostics, language, target.get());
  clang::TrivialModuleLoader modules;
  auto preprocessor = Make<clang::Preprocessor>(std::make_shared<clang::PreprocessorOptions>(),
                                                diagnostics, language, sources, search, modules);
  preprocessor.Initialize(*target);
  preprocessor.setPredefines("#undef __DATE__\n#undef __TIME__\n#undef __TIMESTAMP__\n" +
                             std::string(kStdlibStub) + kStdlibStubContainers);
  preprocessor.SetSuppressIncludeNotFoundError(true);
  sources.setMainFileID(
      sources.createFileID(llvm::MemoryBuffer::getMemBuffer(text, "unit.cpp", true)));
  clang::ASTContext context(language, sources, preprocessor.getIdentifierTable(),
                            preprocessor.getSelectorTable(), preprocessor.getBuiltinInfo(),
                            clang::TU_Complete);
  context.InitBuiltinTypes(*target);
  preprocessor.getBuiltinInfo().initializeBuiltins(preprocessor.getIdentifierTable(), language);
  diagnostics.getClient()->BeginSourceFile(language, &preprocessor);
  clang::ASTConsumer consumer;
  clang::ParseAST(preprocessor, &consumer, context);
  read(context, errors);
}

}  // namespace opledger::scan::ast
