// Listing a tree takes git milliseconds, but many submodules need many calls. Their listings are
// therefore kept in the cache folder as git/trees-NAME, where NAME is the digest of the root.
// SPDX-License-Identifier: Apache-2.0
#include "checker/git/revision_source.h"

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "checker/git/submodules.h"
#include "registry/files/files.h"
#include "registry/files/open_file.h"
#include "registry/files/sha256.h"
#include "registry/project/cache_folder.h"
#include "registry/project/project.h"

namespace opledger {
namespace {

constexpr std::size_t kDigest = 64;  // digits of the digest of the following bytes

// Returns "" if there is no cache.
std::string KeptListing(const std::string& root) {
  const std::string cache = CacheFolderOf(kGitCache);
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

// Returns the root of the repository, because headers may be above the project. Returns `root` if
// it is not in a repository (git reports that later) or if GIT_DIR is set.
std::string TopOf(const std::string& root) {
  if (std::getenv("GIT_DIR") != nullptr) return root;
  const Source disk = DiskSource(root);
  const std::string top = FoldersUpwards(disk, root).back();
  return IsRepository(disk, top) ? top : root;
}

// `listing` is relative to `top`. Paths outside of `root` begin with "..".
RevisionSource Open(const std::string& top, const std::string& root, TreeListing listing,
                    bool keep) {
  const std::string kept = keep && !listing.submodules.empty() ? KeptListing(top) : "";
  const TreeListing known = kept.empty() ? TreeListing() : ReadKept(kept);
  AddSubmodules(top, listing, known);
  if (!kept.empty()) {
    ByteWriter out;
    Write(out, listing);
    const std::string bytes = out.Take();
    const auto produce = [&](OutputSink& file) {
      return file.Write(Sha256Hex(bytes)) && file.Write(bytes);
    };
    // If writing fails, the next run is only slower.
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(kept).parent_path(), error);
    if (!error) WriteCacheFile(kept, produce);
  }
  std::vector<Submodule> submodules = listing.submodules;
  if (top != root) {
    for (Submodule& each : submodules) {
      const std::filesystem::path path = std::filesystem::path(top) / each.path;
      each.path = path.lexically_relative(root).string();
    }
  }
  return {{std::make_shared<GitTree>(top, std::move(listing)), root}, std::move(submodules)};
}

}  // namespace

std::optional<RevisionSource> OpenRevision(const std::string& root, const std::string& revision,
                                           bool keep, Diagnostics& diagnostics) {
  const std::string top = TopOf(root);
  const std::optional<std::string> tree = FindTree(top, revision, diagnostics);
  if (!tree) return std::nullopt;
  std::optional<TreeListing> listing = ListTree(top, *tree, revision, diagnostics);
  if (!listing) return std::nullopt;
  return Open(top, root, std::move(*listing), keep);
}

std::optional<RevisionSource> OpenIndex(const std::string& root, bool keep,
                                        Diagnostics& diagnostics) {
  const std::string top = TopOf(root);
  std::optional<TreeListing> listing = ListStaged(top, diagnostics);
  if (!listing) return std::nullopt;
  return Open(top, root, std::move(*listing), keep);
}

}  // namespace opledger
