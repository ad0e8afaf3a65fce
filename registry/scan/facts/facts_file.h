// A facts file: what some files of a tree contribute to the manifest. A header line, a line for
// each file (facts_json.h) sorted by path, and a line with the checksum of all before it. No clock,
// no host: a pure function of tool, dialect, flags and the bytes read. Schema:
// schemas/facts.schema.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts_json.h"
#include "registry/scan/tree/tree.h"
#include "registry/text/diagnostics.h"

namespace opledger::scan {

// Shard `number` of `count`, from 1; {0, 0}: no shard.
struct Shard {
  int number = 0;
  int count = 0;

  bool operator==(const Shard&) const = default;
  bool IsNone() const { return count == 0; }
  std::string Text() const { return std::to_string(number) + "/" + std::to_string(count); }
  // Whether the facts of this file are the shard's: by a hash of the path, which stays when files
  // come and go.
  bool Owns(std::string_view path) const;
  // "3/8"; none: no shard is written so.
  static std::optional<Shard> Parse(std::string_view text);
};

struct FactsHeader {
  std::string tool;     // what made the facts: ToolName()
  std::string dialect;  // its name
  Digest description;   // DialectDigest
  std::string mode;     // "fast", "exhaustive"
  Shard shard;          // of shards
  Digest tree;          // TreeDigest, of shards and of the tree's own file; zero: of a unit's file
  int units = 0;        // translation units of the tree, where `tree` is set

  // Whether the file holds the facts of some units and nothing of their tree.
  bool IsOfUnit() const { return shard.IsNone() && tree == Digest(); }
};

// Version of the program and of the facts it finds.
std::string ToolName();
// The configurations' macros, which names and conditions may rest on.
void AddConfigurations(const Dialect& dialect, DigestBuilder& digest);
// Of everything that the dialect, with what the project file changes of it, says.
Digest DialectDigest(const Dialect& dialect);
// A header without shard and tree.
FactsHeader HeaderFor(const Dialect& dialect, bool exhaustive);
// Of every file of the scan: path, bytes, flags.
Digest TreeDigest(const SourceTree& tree);

class FactsFileWriter {
 public:
  explicit FactsFileWriter(const FactsHeader& header);
  // In ascending order of paths.
  void Add(const FileFacts& file);
  // With the checksum; nothing may be added then.
  std::string Finish();

 private:
  std::string text_;
};

struct FactsFile {
  std::string path;
  std::string text;
  FactsHeader header;
  std::string checksum;
  std::size_t begin = 0;  // of the first record
  std::size_t end = 0;    // behind the last

  // Calls `found` for each record; false, with a diagnostic, where one is malformed.
  bool ForEach(const std::function<void(FileFacts file)>& found, Diagnostics& diagnostics) const;
};

struct FactsFileProblem {
  std::string what;  // "is cut short"; empty: none
  std::string hint;  // what to do; empty: write it again
  Shard shard;       // that the file said it was, as far as that could be read
};

// The header alone, of a file that may be damaged; none: there is none.
std::optional<FactsHeader> ReadFactsHeader(const std::string& path);

// Reads a facts file and holds it against its checksum; none, with `problem`, where it is missing,
// cut short, damaged or of another version.
std::optional<FactsFile> ReadFactsFile(const std::string& path, FactsFileProblem& problem);
// The same of a text; `path` is for messages.
std::optional<FactsFile> ParseFactsFile(const std::string& path, std::string text,
                                        FactsFileProblem& problem);

}  // namespace opledger::scan
