// One run of Clang's preprocessor over one translation unit. In: patched text and definitions;
// out: its tokens, with the sinks pinned: whatever the source and its headers define, using a sink
// yields the sentinel that the matcher looks for.
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

// What a use of sink number k with arguments a, b becomes: kSentinel(k, "a", a, b).
inline constexpr std::string_view kSentinel = "__opledger_sink";
// What a use of a sink that only wraps names becomes: kIdentity(a, b).
inline constexpr std::string_view kIdentity = "__opledger_identity";

// A file that an #include brought; both paths as Clang has them.
struct EnteredFile {
  std::string path;
  std::string includer;
  Offset offset = 0;  // in the includer, within the directive
};

struct PreprocessJob {
  const SourceTree& tree;
  int unit;
  std::string_view text;                // of the unit, conditionals patched; a NUL behind it
  std::string definitions;              // #define lines that stand before the unit, sinks included
  std::vector<std::string> pinned;      // macros whose definition nothing may change
  bool headers = false;                 // follow #includes, with Clang's own predefined macros
  std::map<int, std::string> overlays;  // patched text of header files, by index in the tree
  std::vector<std::string>* missing = nullptr;  // gets the headers that are nowhere
  std::vector<EnteredFile>* entered = nullptr;  // gets the files that are included
  std::vector<AskedHeader>* asked = nullptr;    // gets what __has_include asked for
};

// The #define lines that pin `sinks`, numbered in their order.
std::string PinSinks(const std::vector<const Sink*>& sinks);

// Prepares a preprocessor, entered into the unit's file, and calls `read` with it. False: it read a
// file that the tree does not know (#include of a macro). In a worker: gives the task up where a
// header has changed, or where macros expand without end.
bool Preprocess(const PreprocessJob& job, const std::function<void(clang::Preprocessor&)>& read);

}  // namespace opledger::scan
