// Differences between Clang 16 and 22, for the files that set up Clang.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Lex/DirectoryLookup.h"
#include "llvm/ADT/DenseMap.h"

namespace opledger::scan {

// Clang's constructors take options as shared pointers up to version 20 and as references from
// version 21 on. This accepts both without naming versions.
template <typename Made, typename Options, typename... Rest>
Made Make(const std::shared_ptr<Options>& options, Rest&&... rest) {
  if constexpr (std::is_constructible_v<Made, std::shared_ptr<Options>, Rest...>) {
    return Made(options, std::forward<Rest>(rest)...);
  } else {
    return Made(*options, std::forward<Rest>(rest)...);
  }
}

template <typename Target, typename Options>
std::unique_ptr<Target> MakeTarget(clang::DiagnosticsEngine& diagnostics,
                                   const std::shared_ptr<Options>& options) {
  if constexpr (requires { Target::CreateTargetInfo(diagnostics, options); }) {
    return std::unique_ptr<Target>(Target::CreateTargetInfo(diagnostics, options));
  } else {
    return std::unique_ptr<Target>(Target::CreateTargetInfo(diagnostics, *options));
  }
}

template <typename Engine>
Engine MakeEngine(const llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs>& ids,
                  clang::DiagnosticOptions* options,
                  clang::DiagnosticConsumer* consumer = new clang::IgnoringDiagConsumer) {
  if constexpr (std::is_constructible_v<Engine, decltype(ids), decltype(options),
                                        decltype(consumer)>) {
    return Engine(ids, options, consumer);
  } else {
    return Engine(ids, *options, consumer);
  }
}

// Keeps options alive that Clang's reference counting would delete (up to version 20).
template <typename Options>
Options* KeptForEver(Options* options) {
  if constexpr (requires { options->Retain(); }) options->Retain();
  return options;
}

template <typename Search>
void SetPaths(Search& search, std::vector<clang::DirectoryLookup> paths) {
  llvm::DenseMap<unsigned, unsigned> entries;
  if constexpr (requires { search.SetSearchPaths(paths, 0, 0, entries); }) {
    search.SetSearchPaths(std::move(paths), 0, 0, entries);
  } else {
    search.SetSearchPaths(std::move(paths), 0, 0, false, entries);
  }
}

}  // namespace opledger::scan
