// Reads arbitrary bytes as git's listings of a tree and of the index ("100644 blob ID\tPATH\0..."),
// then as a cached listing: must not crash, and no path leads out of the tree.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>

#include "checker/git/git_output.h"
#include "registry/project/contained_path.h"
#include "tests/fuzz/fuzz_target.h"

FUZZ_TARGET(git) {
  using namespace opledger;
  using opledger::fuzz::Require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const bool is_index : {true, false}) {
    ListingReader reader(is_index);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\0', begin), text.size());
      reader.Add(std::string_view(text).substr(begin, end - begin));
      begin = end + 1;
    }
    const auto [files, submodules] = reader.Take();
    for (const TreeFile& file : files) Require(StaysBelow(file.path), "paths stay below");
    for (const Submodule& each : submodules) {
      Require(StaysBelow(each.path), "paths of submodules stay below");
    }
    Require(std::is_sorted(files.begin(), files.end(),
                           [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; }),
            "sorted by path");
  }
  ByteReader in(text);
  const TreeListing listing = ReadListing(in);
  ByteWriter out;
  Write(out, listing);
  const std::string bytes = out.Take();
  ByteReader again(bytes);
  const TreeListing read = ReadListing(again);
  Require(read.files.size() == listing.files.size() && read.tree == listing.tree,
          "a listing reads back");
  return 0;
}
