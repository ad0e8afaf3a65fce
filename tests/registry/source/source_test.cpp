// Kinds of paths; texts replace files under all names of these.
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "registry/source/disk_tree.h"
#include "registry/source/overlay_tree.h"
#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

TEST(DiskSource, OnlyWhatIsNotThereIsAbsent) {
  const ScratchFolder folder;
  const Source source = DiskSource(folder.Path());
  folder.Write("deep/file", "x");
  fs::create_symlink("loop", folder.Path("loop"));
  fs::create_symlink("nowhere", folder.Path("broken"));
  ASSERT_EQ(mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  const auto kind = [&](const std::string& path) { return source.Examine(path).kind; };
  EXPECT_EQ(kind("deep/file"), PathKind::kFile);
  EXPECT_EQ(kind(""), PathKind::kFolder);
  EXPECT_EQ(kind("nothing"), PathKind::kAbsent);
  EXPECT_EQ(kind("deep/file/nothing"), PathKind::kAbsent);
  EXPECT_EQ(kind("broken"), PathKind::kAbsent);
  EXPECT_EQ(source.ExamineLink("broken").kind, PathKind::kLink);
  EXPECT_EQ(kind("pipe"), PathKind::kSpecial);
  EXPECT_EQ(kind("loop"), PathKind::kUnknown);
  EXPECT_EQ(source.Examine("loop").error, ELOOP);
  EXPECT_EQ(kind(std::string(300, 'x')), PathKind::kUnknown);
  EXPECT_EQ(source.Examine(std::string(300, 'x')).error, ENAMETOOLONG);
  Diagnostics diagnostics;
  EXPECT_EQ(source.Exists("nothing", diagnostics), false);
  EXPECT_TRUE(diagnostics.all().empty());
  EXPECT_FALSE(source.Exists("loop", diagnostics).has_value());
  EXPECT_TRUE(diagnostics.has_errors() && diagnostics.incomplete());
}

TEST(DiskSource, WhatIsNamedBelowDoesNotLeadOut) {
  const ScratchFolder folder;
  folder.Write("in/file", "x");
  folder.Write("out", "y");
  fs::create_symlink("../out", folder.Path("in/link"));
  fs::create_symlink(folder.Path("in/file"), folder.Path("in/absolute"));
  const Source source = DiskSource(folder.Path("in"));
  EXPECT_EQ(source.Read("link", 9, Reach::kAnywhere), "y");
  EXPECT_FALSE(source.Read("link", 9, Reach::kBelow));
  EXPECT_EQ(errno, EXDEV);
  EXPECT_FALSE(source.Read("../out", 9, Reach::kBelow));
  EXPECT_FALSE(source.Read(folder.Path("in/link"), 9, Reach::kBelow));
  EXPECT_EQ(source.Read("absolute", 9, Reach::kBelow), "x");
  EXPECT_TRUE(source.Holds("absolute") && source.Holds("not/there") && source.Holds("."));
  EXPECT_FALSE(source.Holds("link") || source.Holds("..") || source.Holds("../in2"));
  EXPECT_TRUE(source.At("..").Holds("out"));
}

class OverlayTest : public testing::Test {
 protected:
  Source Over(OverlayTree::Texts texts) const {
    return {std::make_shared<OverlayTree>(std::make_shared<DiskTree>(), std::move(texts)),
            folder_.Path()};
  }
  ScratchFolder folder_;
};

TEST_F(OverlayTest, StandsForTheFile) {
  const std::string file = folder_.Write("a", "saved");
  fs::create_symlink(file, folder_.Path("link"));
  fs::create_hard_link(file, folder_.Path("other"));
  const Source over = Over({{file, "typed\nlonger"}});
  for (const char* name : {"a", "link", "other", "./a"}) {
    EXPECT_EQ(over.Read(name, 100, Reach::kBelow), "typed\nlonger") << name;
    EXPECT_EQ(over.Examine(name).stamp, StampOfText("typed\nlonger")) << name;
  }
  EXPECT_FALSE(over.Read("a", 8, Reach::kBelow)) << "it is too large";
  EXPECT_EQ(errno, EFBIG);
  EXPECT_EQ(DiskSource(folder_.Path()).Read("a", 100, Reach::kBelow), "saved");
  const std::string packed = over.Pack();
  const auto unpacked = UnpackSource(packed);
  ASSERT_TRUE(unpacked);
  EXPECT_EQ(unpacked->Read("link", 100, Reach::kBelow), "typed\nlonger");
  for (std::size_t size = 0; size < packed.size(); ++size) {
    EXPECT_FALSE(UnpackSource(std::string_view(packed).substr(0, size)));
  }
}

TEST_F(OverlayTest, AddsAndHidesFiles) {
  const std::string gone = folder_.Write("gone", "x");
  folder_.Write("stays", "y");
  const Source over = Over({{gone, std::nullopt}, {folder_.Path("made"), "z"}});
  EXPECT_EQ(over.Examine("gone").kind, PathKind::kAbsent);
  EXPECT_FALSE(over.Read("gone", 9, Reach::kBelow));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(over.Examine("made").kind, PathKind::kFile);
  EXPECT_EQ(over.Read("made", 9, Reach::kBelow), "z");
  EXPECT_EQ(over.Read("stays", 9, Reach::kBelow), "y");
  std::vector<FolderEntry> entries;
  EXPECT_EQ(over.List("", entries), 0);
  std::string names;
  for (const FolderEntry& entry : entries) names += entry.name + " ";
  EXPECT_TRUE(names == "stays made ") << names;
}

// Files outside stay hidden even if the editor sends them.
TEST_F(OverlayTest, DoesNotLeadOut) {
  const ScratchFolder elsewhere;
  const std::string file = elsewhere.Write("a", "saved");
  fs::create_symlink(file, folder_.Path("link"));
  const Source over = Over({{file, "typed"}});
  EXPECT_FALSE(over.Read("link", 9, Reach::kBelow));
  EXPECT_EQ(errno, EXDEV);
  EXPECT_EQ(over.Read("link", 9, Reach::kAnywhere), "typed");
}

}  // namespace
}  // namespace opledger
