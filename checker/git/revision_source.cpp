// Git is asked for a listing every time, which takes milliseconds; for those of many submodules it
// would be asked a hundred times, so these are kept, as trees-NAME in the cache folder, NAME being
// the digest of the root.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/revision_source.h"

#include <memory>

#include "checker/git/submodules.h"
#include "registry/platform/files.h"
#include "registry/platform/open_file.h"
#include "registry/platform/sha256.h"
#include "registry/project/cache_folder.h"

namespace opledger {
namespace {

constexpr std::size_t kDigest = 64;  // of the bytes behind it

// Empty: there is no cache.
std::string KeptListing(const std::string& root) {
  const std::string cache = FindCacheFolder().path;
  return cache.empty() ? cache : cache + "/trees-" + Sha256Hex(root).substr(0, 16);
}

TreeListing ReadKept(const std::string& path) {
  constexpr std::size_t kLargest = std::size_t{256} << 20U;
  const Descriptor file(OpenInput(path, Links::kRefuse));
  const auto bytes = file.get() < 0 ? std::nullopt : ReadToEnd(file.get(), kLargest);
  if (!bytes || bytes->size() < kDigest) return {};
  const std::string_view listing = std::string_view(*bytes).substr(kDigest);
  if (Sha256Hex(listing) != std::string_view(*bytes).substr(0, kDigest)) return {};
  ByteReader in(listing);
  return ReadListing(in);
}

RevisionSource Open(const std::string& root, TreeListing listing, bool keep) {
  const std::string kept = keep && !listing.submodules.empty() ? KeptListing(root) : "";
  const TreeListing known = kept.empty() ? TreeListing() : ReadKept(kept);
  AddSubmodules(root, listing, known);
  if (!kept.empty()) {
    ByteWriter out;
    Write(out, listing);
    const std::string bytes = out.Take();
    // A damaged or missing one costs the next run time and nothing else.
    WriteCacheFile(
        kept, [&](OutputSink& file) { return file.Write(Sha256Hex(bytes)) && file.Write(bytes); });
  }
  std::vector<Submodule> submodules = listing.submodules;
  return {{std::make_shared<GitTree>(root, std::move(listing)), root}, std::move(submodules)};
}

}  // namespace

std::optional<RevisionSource> OpenRevision(const std::string& root, const std::string& revision,
                                           bool keep, Diagnostics& diagnostics) {
  const std::optional<std::string> tree = FindTree(root, revision, diagnostics);
  if (!tree) return std::nullopt;
  std::optional<TreeListing> listing = ListTree(root, *tree, revision, diagnostics);
  if (!listing) return std::nullopt;
  return Open(root, std::move(*listing), keep);
}

std::optional<RevisionSource> OpenIndex(const std::string& root, bool keep,
                                        Diagnostics& diagnostics) {
  std::optional<TreeListing> listing = ListStaged(root, diagnostics);
  if (!listing) return std::nullopt;
  return Open(root, std::move(*listing), keep);
}

}  // namespace opledger
