// Sets up Clang's preprocessor. No other file does.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/preprocess/preprocess.h"

#include <algorithm>
#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/MacroBuilder.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/TargetOptions.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/ModuleLoader.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "registry/scan/lex/raw_lexer.h"
#include "registry/scan/preprocess/clang_versions.h"
#include "registry/scan/preprocess/source_files.h"
#include "registry/scan/workers/workers.h"

namespace opledger::scan {
namespace {

// Returns whether all files that were read belong to the tree.
bool AllInTree(const SourceTree& tree, const clang::SourceManager& sources) {
  auto name_of = [](const auto& file) {
    if constexpr (requires { file.getName(); })
      return file.getName().str();
    else
      return file->getName().str();
  };
  return std::all_of(sources.fileinfo_begin(), sources.fileinfo_end(), [&](const auto& info) {
    return FindInTree(tree, name_of(info.first)) != nullptr;
  });
}

// Records each header that is not found, except those of the standard library.
class MissingHeaders : public clang::PPCallbacks {
 public:
  explicit MissingHeaders(std::vector<std::string>& missing) : missing_(missing) {}

  bool FileNotFound(llvm::StringRef name) override {
    const bool standard = name.find('.') == llvm::StringRef::npos || IsOfC(name);
    if (!standard && std::find(missing_.begin(), missing_.end(), name.str()) == missing_.end()) {
      missing_.push_back(name.str());
    }
    return false;
  }

 private:
  static bool IsOfC(llvm::StringRef name) {
    for (const char* header :
         {"assert", "ctype", "errno", "float", "limits", "math", "stdarg", "stdbool", "stddef",
          "stdint", "stdio", "stdlib", "string", "time", "unistd"}) {
      if (name == std::string(header) + ".h") return true;
    }
    return false;
  }

  std::vector<std::string>& missing_;
};

// Records the files that are included.
class EnteredFiles : public clang::PPCallbacks {
 public:
  EnteredFiles(const clang::SourceManager& sources, std::vector<EnteredFile>& entered)
      : sources_(sources), entered_(entered) {}

  void FileChanged(clang::SourceLocation at, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind /*kind*/, clang::FileID /*from*/) override {
    const clang::SourceLocation include = sources_.getIncludeLoc(sources_.getFileID(at));
    if (reason != EnterFile || include.isInvalid()) return;
    entered_.push_back({sources_.getFilename(at).str(), sources_.getFilename(include).str(),
                        sources_.getFileOffset(include)});
  }

 private:
  const clang::SourceManager& sources_;
  std::vector<EnteredFile>& entered_;
};

// Records the headers that __has_include asks for.
class AskedHeaders : public clang::PPCallbacks {
 public:
  AskedHeaders(const SourceTree& tree, const clang::SourceManager& sources,
               std::vector<AskedHeader>& asked)
      : tree_(tree), sources_(sources), asked_(asked) {}

  void HasInclude(clang::SourceLocation at, llvm::StringRef name, bool angled,
                  clang::OptionalFileEntryRef file,
                  clang::SrcMgr::CharacteristicKind /*kind*/) override {
    const SourceFile* const from =
        FindInTree(tree_, sources_.getFilename(sources_.getExpansionLoc(at)).str());
    if (from == nullptr) return;
    const std::string found = file ? tree_.PathInTree(file->getName().str()) : std::string();
    asked_.push_back({from->path, name.str(), angled, found});
  }

 private:
  const SourceTree& tree_;
  const clang::SourceManager& sources_;
  std::vector<AskedHeader>& asked_;
};

// Counts macro expansions, since those within an argument may produce no tokens to count.
class ExpansionLimit : public clang::PPCallbacks {
 public:
  void MacroExpands(const clang::Token&, const clang::MacroDefinition&, clang::SourceRange,
                    const clang::MacroArgs*) override {
    if (++count_ > kMaxExpansions)
      FailTask("expands more than a million macros; is there a macro bomb?");
  }

 private:
  // More than any real source needs, including headers. A macro bomb reaches it in a second.
  static constexpr std::size_t kMaxExpansions = 1'000'000;

  std::size_t count_ = 0;
};

// Restores the pinned definition of a macro whenever another one is read. (An #undef takes effect
// only after its callback; PatchText blanks those.)
class Pin : public clang::PPCallbacks {
 public:
  Pin(clang::Preprocessor& preprocessor, const std::vector<std::string>& names)
      : preprocessor_(preprocessor) {
    for (const std::string& name : names) {
      pinned_[preprocessor.getIdentifierInfo(name)] = nullptr;
    }
  }

  void MacroDefined(const clang::Token& name, const clang::MacroDirective* directive) override {
    auto found = pinned_.find(name.getIdentifierInfo());
    if (found == pinned_.end()) return;
    const clang::MacroInfo* info = directive->getMacroInfo();
    if (found->second == nullptr) {
      found->second = const_cast<clang::MacroInfo*>(info);  // the first one is ours
    } else if (info != found->second) {
      preprocessor_.appendDefMacroDirective(found->first, found->second);
    }
  }

 private:
  clang::Preprocessor& preprocessor_;
  std::map<clang::IdentifierInfo*, clang::MacroInfo*> pinned_;
};

std::shared_ptr<clang::HeaderSearchOptions> SearchOptions() {
  auto options = std::make_shared<clang::HeaderSearchOptions>();
  options->UseBuiltinIncludes = false;
  options->UseStandardSystemIncludes = false;
  options->UseStandardCXXIncludes = false;
  return options;
}

void AddDirectories(const SourceTree& tree, clang::FileManager& files,
                    clang::HeaderSearch& search) {
  std::vector<clang::DirectoryLookup> lookups;
  for (const std::string& directory : tree.include_directories()) {
    auto entry = files.getOptionalDirectoryRef(tree.Absolute(directory));
    if (entry) lookups.emplace_back(*entry, clang::SrcMgr::C_User, false);
  }
  SetPaths(search, std::move(lookups));
}

std::shared_ptr<clang::TargetOptions> HostTarget() {
  auto options = std::make_shared<clang::TargetOptions>();
  options->Triple = "x86_64-unknown-linux-gnu";
  return options;
}

// State that outlives a run. Files stay loaded, since exhaustive mode often opens the same headers.
struct Session {
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids{new clang::DiagnosticIDs};
  clang::DiagnosticOptions* diagnostic_options = KeptForEver(new clang::DiagnosticOptions);
  std::shared_ptr<clang::TargetOptions> target_options = HostTarget();
  std::shared_ptr<clang::HeaderSearchOptions> search_options = SearchOptions();
  std::shared_ptr<clang::PreprocessorOptions> preprocessor_options =
      std::make_shared<clang::PreprocessorOptions>();
  clang::LangOptions language = SourceLanguage();
  llvm::IntrusiveRefCntPtr<SourceFiles> source_files{new SourceFiles};
  llvm::IntrusiveRefCntPtr<clang::FileManager> files{
      new clang::FileManager(clang::FileSystemOptions(), source_files)};
  clang::DiagnosticsEngine diagnostics =
      MakeEngine<clang::DiagnosticsEngine>(ids, diagnostic_options);
  std::unique_ptr<clang::TargetInfo> target =
      MakeTarget<clang::TargetInfo>(diagnostics, target_options);
};

Session& TheSession() {
  static auto* session = new Session;
  return *session;
}

}  // namespace

std::string PinSinks(const std::vector<const Sink*>& sinks) {
  std::string lines;
  for (std::size_t k = 0; k < sinks.size(); ++k) {
    const Sink& sink = *sinks[k];
    if (sink.identity || !sink.methods.empty()) {
      std::string what = sink.identity ? std::string(kIdentity) + "("
                                       : std::string(kSentinel) + "(" + std::to_string(k) +
                                             ", \"\" __VA_OPT__(,) ";
      lines += "#define " + sink.macro + "(...) " + what + " __VA_ARGS__)\n";
      continue;
    }
    // Up to the name. Uses with other numbers of arguments match, too.
    std::string parameters;
    std::string arguments;
    for (int i = 0; i <= sink.name; ++i) {
      std::string name = "opledger_" + std::to_string(i);
      parameters += name + ", ";
      arguments += ", " + name;
    }
    parameters += "...";
    arguments += " __VA_OPT__(,) __VA_ARGS__";
    lines += "#define " + sink.macro + "(" + parameters + ") " + std::string(kSentinel) + "(" +
             std::to_string(k) + ", #opledger_" + std::to_string(sink.name) + arguments + ")\n";
  }
  return lines;
}

bool Preprocess(const PreprocessJob& job, const std::function<void(clang::Preprocessor&)>& read) {
  Session& session = TheSession();
  session.source_files->SetTree(job.tree);
  auto diagnostics = MakeEngine<clang::DiagnosticsEngine>(session.ids, session.diagnostic_options);
  diagnostics.setSuppressAllDiagnostics(true);
  clang::SourceManager sources(diagnostics, *session.files);
  auto search = Make<clang::HeaderSearch>(session.search_options, sources, diagnostics,
                                          session.language, session.target.get());
  clang::TrivialModuleLoader modules;
  auto preprocessor = Make<clang::Preprocessor>(session.preprocessor_options, diagnostics,
                                                session.language, sources, search, modules);
  preprocessor.Initialize(*session.target);
  preprocessor.SetSuppressIncludeNotFoundError(true);
  if (job.headers) {
    AddDirectories(job.tree, *session.files, search);
    std::string predefined = "#define __cplusplus 202002L\n";
    llvm::raw_string_ostream out(predefined);
    clang::MacroBuilder builder(out);
    session.target->getTargetDefines(session.language, builder);
    preprocessor.setPredefines(out.str());
    for (const auto& [file, text] : job.overlays) {
      std::string path = job.tree.Absolute(job.tree.files()[file].path);
      if (auto entry = session.files->getOptionalFileRef(path)) {
        sources.overrideFileContents(*entry, llvm::MemoryBuffer::getMemBufferCopy(text, path));
      }
    }
  }
  // These differ between builds, so they are not constants.
  preprocessor.setPredefines(preprocessor.getPredefines() +
                             "#undef __DATE__\n#undef __TIME__\n#undef __TIMESTAMP__\n" +
                             job.definitions);
  preprocessor.addPPCallbacks(std::make_unique<ExpansionLimit>());
  if (job.missing != nullptr) {
    preprocessor.addPPCallbacks(std::make_unique<MissingHeaders>(*job.missing));
  }
  if (job.entered != nullptr) {
    preprocessor.addPPCallbacks(std::make_unique<EnteredFiles>(sources, *job.entered));
  }
  if (job.asked != nullptr) {
    preprocessor.addPPCallbacks(std::make_unique<AskedHeaders>(job.tree, sources, *job.asked));
  }
  auto pin = std::make_unique<Pin>(preprocessor, job.pinned);
  preprocessor.addPPCallbacks(std::move(pin));
  std::string path = job.tree.Absolute(job.tree.files()[job.unit].path);
  auto buffer = llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(job.text.data(), job.text.size()),
                                                 path, true);
  // The file's own entry is only needed for #includes.
  auto entry = job.headers ? session.files->getOptionalFileRef(path) : std::nullopt;
  if (entry) {
    sources.overrideFileContents(*entry, std::move(buffer));
    sources.setMainFileID(
        sources.createFileID(*entry, clang::SourceLocation(), clang::SrcMgr::C_User));
  } else {
    sources.setMainFileID(sources.createFileID(std::move(buffer)));
  }
  preprocessor.EnterMainSourceFile();
  read(preprocessor);
  return !job.headers || AllInTree(job.tree, sources);
}

}  // namespace opledger::scan
