// Facts files: what some files of a tree contribute to the manifest. A header line, a line for each
// file (facts_json.h) sorted by path, and a line with the checksum of everything before it. The
// content is a pure function of the tool, the dialect, the flags and the bytes read. Schema:
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

// Shard `number` of `count`, counted from 1; {0, 0} if there are no shards.
struct Shard {
  int number = 0;
  int count = 0;

  bool operator==(const Shard&) const = default;
  bool IsNone() const { return count == 0; }
  std::string Text() const { return std::to_string(number) + "/" + std::to_string(count); }
  // Returns whether the facts of this file belong to the shard. Uses a hash of the path, so that
  // the answer does not change when other files are added or removed.
  bool Owns(std::string_view path) const;
  // Parses "3/8". Returns nullopt if the text is not a shard.
  static std::optional<Shard> Parse(std::string_view text);
};

struct FactsHeader {
  std::string tool;     // ToolName() of the program that wrote the facts
  std::string dialect;  // name of the dialect
  Digest description;   // DialectDigest()
  std::string mode;     // "fast" or "exhaustive"
  Shard shard;          // none: the facts of a whole tree or of some units
  Digest tree;          // TreeDigest() for shards and the tree's own file; zero for a file of units
  int units = 0;        // translation units of the tree, if `tree` is set

  // Returns whether the file holds the facts of some units without information about their tree.
  bool IsOfUnit() const { return shard.IsNone() && tree == Digest(); }
};

// Returns the version of the program and its build identity.
std::string ToolName();
// Adds the macros of all configurations, on which names and conditions may depend.
void AddConfigurations(const Dialect& dialect, DigestBuilder& digest);
// Returns the digest of the dialect, including the changes that the project file makes.
Digest DialectDigest(const Dialect& dialect);
// Returns a header without shard and tree.
FactsHeader HeaderFor(const Dialect& dialect, bool exhaustive);
// Returns the digest of the path, bytes and flags of every file of the scan.
Digest TreeDigest(const SourceTree& tree);

class FactsFileWriter {
 public:
  explicit FactsFileWriter(const FactsHeader& header);
  // Files must be added in ascending order of paths.
  void Add(const FileFacts& file);
  // Appends the checksum and returns the text. Nothing may be added afterwards.
  std::string Finish();

 private:
  std::string text_;
};

struct FactsFile {
  std::string path;
  std::string text;
  FactsHeader header;
  std::string checksum;
  std::size_t begin = 0;  // offset of the first record in `text`
  std::size_t end = 0;    // offset after the last record

  // Calls `found` with the facts of each record. Reports an error and returns false if one is
  // malformed.
  bool ForEach(const std::function<void(FileFacts file)>& found, Diagnostics& diagnostics) const;
};

struct FactsFileProblem {
  std::string what;  // such as "is truncated"; empty if there is no problem
  std::string hint;  // the remedy; if empty, the file has to be written again
  Shard shard;       // the shard that the file names, if that could be read
};

// Returns the header of a file that may be damaged, or nullopt if it has none.
std::optional<FactsHeader> ReadFactsHeader(const std::string& path);

// Reads a facts file and verifies its checksum. Sets `problem` and returns nullopt if the file is
// missing, truncated, damaged or of another version.
std::optional<FactsFile> ReadFactsFile(const std::string& path, FactsFileProblem& problem);
// Like ReadFactsFile(), for a text. `path` is only used in messages.
std::optional<FactsFile> ParseFactsFile(const std::string& path, std::string text,
                                        FactsFileProblem& problem);

}  // namespace opledger::scan
