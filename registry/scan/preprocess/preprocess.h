// Runs Clang's preprocessor over a translation unit. In: patched text and definitions. Out: its
// tokens, with the sinks pinned: whatever the source and its headers define, a use of a sink yields
// the sentinel that the matcher looks for.
// May include: registry/dialect, registry/scan/facts, registry/scan/lex, registry/scan/macros,
// registry/scan/tree, registry/scan/workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/tree/tree.h"

namespace clang {
class Preprocessor;
}

namespace opledger::scan {

// A use of sink number k with arguments a, b becomes kSentinel(k, "a", a, b).
inline constexpr std::string_view kSentinel = "__opledger_sink";
// A use of a sink that only wraps names becomes kIdentity(a, b).
inline constexpr std::string_view kIdentity = "__opledger_identity";

// An included file. Both paths are as Clang spells them.
struct EnteredFile {
  std::string path;
  std::string includer;
  Offset offset = 0;  // in the includer, within the directive
};

struct PreprocessJob {
  const SourceTree& tree;
  int unit;
  std::string_view text;                // of the unit, conditionals patched; followed by a NUL
  std::string definitions;              // #define lines before the unit, including the sinks
  std::vector<std::string> pinned;      // macros that keep their definitions
  bool headers = false;                 // follow #includes, with Clang's own predefined macros
  std::map<int, std::string> overlays;  // patched texts of headers, by index in the tree
  std::vector<std::string>* missing = nullptr;  // if set, receives the headers that are not found
  std::vector<EnteredFile>* entered = nullptr;  // if set, receives the files that are included
  std::vector<AskedHeader>* asked = nullptr;    // if set, receives those of __has_include
};

// Returns the #define lines that pin `sinks`, numbered in their order.
std::string PinSinks(const std::vector<const Sink*>& sinks);

// Sets up a preprocessor for the unit's file and calls `read` with it. Returns false if it read a
// file outside the tree (by an #include of a macro). Fails the worker's task if a header has
// changed, or if macros expand without end.
bool Preprocess(const PreprocessJob& job, const std::function<void(clang::Preprocessor&)>& read);

}  // namespace opledger::scan
