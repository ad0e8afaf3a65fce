// Paths from a repository are opened below its root, with openat2 or component by component, with
// the same results.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/open_file.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

#include "registry/files/files.h"
#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

using Open = int (*)(const std::string&, const std::string&, Links);

// Returns the content, or the error's name.
std::string Read(Open open, const std::string& root, const std::string& path,
                 Links links = Links::kFollow) {
  const Descriptor file(open(root, path, links));
  if (file.get() < 0) return std::strerror(errno);
  return ReadToEnd(file.get(), 1000).value_or("no file");
}

class OpenInputBelowTest : public testing::TestWithParam<Open> {
 protected:
  OpenInputBelowTest() {
    folder_.Write("root/a/f", "inside");
    folder_.Write("outside/f", "outside");
    fs::create_symlink("a/f", root_ + "/own");
    fs::create_symlink("../root/a/f", root_ + "/back");
    fs::create_symlink(root_ + "/a/f", root_ + "/absolute");
    fs::create_symlink("a", root_ + "/folder");
    fs::create_symlink("../a/f", root_ + "/a/up");
    fs::create_symlink("../outside/f", root_ + "/out");
    fs::create_symlink("/etc/passwd", root_ + "/passwd");
    fs::create_symlink("../outside", root_ + "/elsewhere");
    fs::create_symlink("../new", root_ + "/dangling");
    fs::create_symlink("loop", root_ + "/loop");
  }

  ScratchFolder folder_;
  std::string root_ = folder_.Path("root");
};

TEST_P(OpenInputBelowTest, Opens) {
  for (const char* path :
       {"a/f", "./a//f", "a/../a/f", "own", "absolute", "folder/f", "a/up", "folder/../a/f"}) {
    EXPECT_EQ(Read(GetParam(), root_, path), "inside") << path;
  }
  EXPECT_EQ(Read(GetParam(), root_, root_ + "/a/f"), "inside");
  EXPECT_EQ(Read(GetParam(), root_ + "/", root_ + "/a/f"), "inside");
  EXPECT_EQ(Read(GetParam(), root_, "a"), "no file");
  const fs::path started = fs::current_path();
  fs::current_path(root_);
  const std::string below_here = Read(GetParam(), ".", fs::current_path().string() + "/absolute");
  fs::current_path(started);
  EXPECT_EQ(below_here, "inside");
}

TEST_P(OpenInputBelowTest, StaysBelow) {
  for (const char* path : {"../outside/f", "a/../../outside/f", "out", "passwd", "elsewhere/f",
                           "dangling", "/etc/passwd", "..", "back"}) {
    EXPECT_EQ(Read(GetParam(), root_, path), std::strerror(EXDEV)) << path;
  }
  EXPECT_EQ(Read(GetParam(), root_, folder_.Path("rooted/f")), std::strerror(EXDEV));
  EXPECT_EQ(Read(GetParam(), root_, "loop"), std::strerror(ELOOP));
  EXPECT_EQ(Read(GetParam(), root_, "a/none"), std::strerror(ENOENT));
  EXPECT_EQ(Read(GetParam(), root_, "a/f/f"), std::strerror(ENOTDIR));
  EXPECT_EQ(Read(GetParam(), root_, std::string("a\0f", 3)), std::strerror(EINVAL));
}

TEST_P(OpenInputBelowTest, RefusesLinks) {
  EXPECT_EQ(Read(GetParam(), root_, "a/f", Links::kRefuse), "inside");
  for (const char* path : {"own", "absolute", "folder/f", "a/up"}) {
    EXPECT_EQ(Read(GetParam(), root_, path, Links::kRefuse), std::strerror(ELOOP)) << path;
  }
}

// The kernel fails with EAGAIN on ".." if any file on the machine is renamed meanwhile.
TEST_P(OpenInputBelowTest, OpensWhileOthersRename) {
  std::atomic<bool> done = false;
  std::thread renaming([&] {
    const std::string first = folder_.Path("outside/f");
    const std::string second = folder_.Path("outside/g");
    for (bool there = true; !done; there = !there) {
      std::rename((there ? first : second).c_str(), (there ? second : first).c_str());
    }
  });
  int failures = 0;
  for (int i = 0; i < 5000; ++i) failures += Read(GetParam(), root_, "a/up") == "inside" ? 0 : 1;
  done = true;
  renaming.join();
  EXPECT_EQ(failures, 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, OpenInputBelowTest,
                         testing::Values(&OpenInputBelow, &OpenInputByParts));

TEST(OpenInput, LinksInTheLastPart) {
  const ScratchFolder folder;
  folder.Write("f", "text");
  fs::create_symlink("f", folder.Path("link"));
  EXPECT_GE(Descriptor(OpenInput(folder.Path("link"))).get(), 0);
  EXPECT_LT(Descriptor(OpenInput(folder.Path("link"), Links::kRefuse)).get(), 0);
  EXPECT_LT(Descriptor(OpenNew(folder.Path("link"), 0600)).get(), 0);
}

}  // namespace
}  // namespace opledger
