// Reads the file of include relations with its real reader: an index of a file that does not exist
// is rejected everywhere.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/commands/outlines_file.h"

#include <gtest/gtest.h>

#include "registry/scan/cache/cache_pack.h"
#include "registry/scan/facts/facts_file.h"
#include "registry/scan/outline/outline.h"
#include "registry/scan/snapshot.h"
#include "registry/text/bytes.h"

namespace opledger::scan {
namespace {

// An index of two files, where the first includes the second; the numbers are file indices.
struct Numbers {
  std::vector<int> active_headers = {1};
  std::vector<int> attached_headers = {0};
  std::vector<int> includes = {1};
  std::vector<int> include_files = {1};
};

void Write(ByteWriter& out, const std::vector<int>& numbers) {
  out.Number(numbers.size());
  for (const int number : numbers) out.Number(static_cast<std::uint64_t>(number) + 1);
}

std::string IndexOf(const Numbers& numbers) {
  const Dialect dialect;
  ByteWriter out;
  out.Text("opledger-index/1");
  out.Text(ToolName());
  out.Text(DialectDigest(dialect).View());
  out.Number(0);
  out.Number(0);
  Write(out, numbers.active_headers);
  Write(out, numbers.attached_headers);
  out.Number(2);
  for (const bool is_unit : {true, false}) {
    out.Text(is_unit ? "a.cc" : "a.h");
    out.Number(1);
    out.Number(is_unit ? 1 : 0);
    out.Text(Digest().View());
    out.Number(is_unit ? 0 : 1);
    Write(out, is_unit ? numbers.includes : std::vector<int>());
    Write(out, is_unit ? numbers.include_files : std::vector<int>());
    out.Text(SerializeOutline(MakeOutline(is_unit ? "#include \"a.h\"\n" : "", dialect)));
  }
  return Seal(Digest(), out.Take());
}

bool IsRead(const Numbers& numbers, const std::vector<std::string>& paths) {
  SourceTree tree(DiskSource("/nowhere"), {});
  return ReadIndex(IndexOf(numbers), Dialect(), paths, tree).has_value();
}

TEST(OutlinesFile, FileNumbersAreChecked) {
  EXPECT_TRUE(IsRead({}, {"a.cc"}));
  EXPECT_TRUE(IsRead({}, {}));
  EXPECT_TRUE(IsRead({.includes = {}, .include_files = {-1}}, {"a.cc"}));
  for (const int none : {2, 1000, -2, 1 << 30, INT32_MAX}) {
    for (const std::vector<std::string>& paths : {std::vector<std::string>{"a.cc"}, {}}) {
      EXPECT_FALSE(IsRead({.active_headers = {none}}, paths)) << none;
      EXPECT_FALSE(IsRead({.attached_headers = {none}}, paths)) << none;
      EXPECT_FALSE(IsRead({.includes = {none}}, paths)) << none;
      EXPECT_FALSE(IsRead({.include_files = {none}}, paths)) << none;
    }
  }
  EXPECT_FALSE(IsRead({.active_headers = {-1}}, {}));
  EXPECT_FALSE(IsRead({.includes = {-1}}, {"a.cc"}));
  EXPECT_FALSE(IsRead({.include_files = {}}, {"a.cc"}));
  EXPECT_FALSE(IsRead({.include_files = {1, 1}}, {"a.cc"}));
}

TEST(Snapshot, FileNumbersAreChecked) {
  Snapshot snapshot;
  snapshot.files.resize(2);
  snapshot.manifest = "packed";
  EXPECT_TRUE(ParseSnapshot(SerializeSnapshot(snapshot)));
  for (const int none : {2, INT32_MAX, -2}) {
    const auto is_read = [&](const auto& change) {
      Snapshot changed = snapshot;
      change(changed);
      return ParseSnapshot(SerializeSnapshot(changed)).has_value();
    };
    EXPECT_FALSE(is_read([&](Snapshot& made) { made.active_headers = {none}; })) << none;
    EXPECT_FALSE(is_read([&](Snapshot& made) { made.attached_headers = {none}; })) << none;
    EXPECT_FALSE(is_read([&](Snapshot& made) { made.files[0].include_files = {none}; })) << none;
    EXPECT_FALSE(is_read([&](Snapshot& made) { made.registered_by["x"] = {none}; })) << none;
  }
}

}  // namespace
}  // namespace opledger::scan
