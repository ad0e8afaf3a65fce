// Paths in files stay inside the root.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/contained_path.h"

#include <gtest/gtest.h>

#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

TEST(IsInside, DotsAndLinks) {
  const ScratchFolder folder;
  folder.Write("root/a/f", "");
  folder.Write("rooted/f", "");
  folder.Write("outside/f", "");
  std::filesystem::create_directory_symlink("../outside", folder.Path("root/link"));
  std::filesystem::create_directory_symlink("a", folder.Path("root/own"));
  const std::string root = folder.Path("root");
  for (const char* inside : {"a/f", "a/../a/f", "", "own/f", "not/yet/there", "./a"}) {
    EXPECT_TRUE(IsInside(root + "/" + inside, root)) << inside;
    EXPECT_TRUE(IsInside(root + "/" + inside, root + "/")) << inside;
  }
  for (const char* outside : {"../outside/f", "link/f", "a/../../outside/f", "..", "../rooted/f"}) {
    EXPECT_FALSE(IsInside(root + "/" + outside, root)) << outside;
  }
  // The target of a link need not exist yet.
  std::filesystem::create_symlink("../new", folder.Path("root/dangling"));
  std::filesystem::create_symlink("../new", folder.Path("root/a/dangling"));
  std::filesystem::create_symlink("loop", folder.Path("root/loop"));
  EXPECT_FALSE(IsInside(root + "/dangling", root));
  EXPECT_FALSE(IsInside(root + "/dangling/f", root));
  EXPECT_TRUE(IsInside(root + "/a/dangling", root));
  EXPECT_FALSE(IsInside(root + "/loop", root));
  EXPECT_TRUE(IsInside("relative/path", "."));
  EXPECT_TRUE(IsInside("relative/path", ""));
  EXPECT_FALSE(IsInside("/etc/passwd", "."));
  EXPECT_TRUE(IsInside("/etc/passwd", "/"));
}

TEST(StaysBelow, WrittenPaths) {
  for (const char* good : {"a", "a/b", "./a", "a/../b", "src/**", "..a", "."}) {
    EXPECT_TRUE(StaysBelow(good)) << good;
  }
  for (const char* bad : {"", "/a", "..", "../a", "a/../../b", "./../a"}) {
    EXPECT_FALSE(StaysBelow(bad)) << bad;
  }
  EXPECT_FALSE(StaysBelow(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace opledger
