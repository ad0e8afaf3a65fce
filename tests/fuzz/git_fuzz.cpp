// Any bytes as what git prints: listings of a tree and of the index, then the bytes of blobs, cut
// anywhere into pieces. No crash; no path that leads elsewhere; no blob has other bytes for how the
// output is cut. Then any bytes as the record of a kept folder.
//   "100644 blob ID\tPATH\0...", a line of "--", what cat-file says of these
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>

#include "checker/git/git_output.h"
#include "checker/git/tree_folder.h"
#include "registry/platform/sha256.h"
#include "registry/project/contained_path.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using opledger::fuzz::Require;

struct Taken {
  bool whole = false;
  std::vector<std::string> blobs;
  std::vector<std::string> absent;
  bool operator==(const Taken&) const = default;
};

Taken Take(const std::vector<opledger::TreeFile>& files, std::string_view output,
           std::size_t piece) {
  Taken taken;
  std::uint64_t promised = 0;
  const opledger::BlobTaker taker = {[&](const opledger::TreeFile&, std::uint64_t size) {
                                       taken.blobs.emplace_back();
                                       promised = size;
                                       return true;
                                     },
                                     [&](std::string_view bytes) {
                                       Require(!taken.blobs.empty() && bytes.size() <= promised,
                                               "no more bytes than promised");
                                       promised -= bytes.size();
                                       taken.blobs.back() += bytes;
                                       return true;
                                     }};
  opledger::BatchReader reader(files, taker, taken.absent);
  bool ok = true;
  for (std::size_t at = 0; ok && at < output.size(); at += piece) {
    ok = reader.Take(output.substr(at, piece));
  }
  taken.whole = ok && reader.AtEnd();
  return taken;
}

}  // namespace

FUZZ_TARGET(git) {
  using namespace opledger;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find("\n--\n"), text.size());
  const std::string_view listing = std::string_view(text).substr(0, line);
  for (const bool is_index : {true, false}) {
    const std::vector<TreeFile> files = ParseListing(listing, is_index);
    for (const TreeFile& file : files) Require(StaysBelow(file.path), "paths stay below");
    for (const Submodule& each : ParseSubmodules(listing, is_index)) {
      Require(StaysBelow(each.path), "paths of submodules stay below");
    }
    Require(std::is_sorted(files.begin(), files.end(),
                           [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; }),
            "sorted by path");
    if (line == text.size()) continue;
    const std::string_view output = std::string_view(text).substr(line + 4);
    const Taken all = Take(files, output, std::max<std::size_t>(output.size(), 1));
    for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
      const Taken cut = Take(files, output, piece);
      Require(cut.whole == all.whole && (!all.whole || cut == all), "the same in pieces");
    }
  }
  const FolderRecord record = ParseRecord(Sha256Hex(text) + text);
  const FolderRecord again = ParseRecord(SerializeRecord(record));
  Require(again.files.size() == record.files.size() && again.tree == record.tree,
          "a record reads back");
  return 0;
}
