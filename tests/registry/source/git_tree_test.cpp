// A git tree equals, path by path, what `git worktree add` checks out: kinds, names, bytes, links;
// but no link leads out of it.
// SPDX-License-Identifier: Apache-2.0
#include "registry/source/git_tree.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "checker/git/revision_source.h"
#include "tests/registry/scratch_folder.h"
#include "tests/rounds.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = std::size_t{1} << 24U;

class GitTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "git is missing";
    fs::create_directory(folder_.Path("a"));
    Run("git init -q .");
  }

  void Run(const std::string& command) const {
    const std::string git = "git -c user.name=a -c user.email=a@b ";
    std::string all = "cd '" + folder_.Path("a") + "' && " + command;
    for (std::size_t at = 0; (at = all.find("git ", at)) != std::string::npos; at += git.size()) {
      all.replace(at, 4, git);
    }
    ASSERT_EQ(std::system(all.c_str()), 0) << command;
  }

  Source Staged() const {
    Diagnostics diagnostics;
    auto opened = OpenIndex(folder_.Path("a"), false, diagnostics);
    EXPECT_TRUE(opened) << RenderDiagnostics(diagnostics);
    return opened ? opened->source : DiskSource();
  }
  Source Revision(const std::string& name) const {
    Diagnostics diagnostics;
    auto opened = OpenRevision(folder_.Path("a"), name, false, diagnostics);
    EXPECT_TRUE(opened) << RenderDiagnostics(diagnostics);
    return opened ? opened->source : DiskSource();
  }

  // Commits all files, and checks them out in another folder.
  Source CheckedOut() const {
    Run("git add -A && git commit -qm x --allow-empty && rm -rf ../out && git worktree prune && "
        "git worktree add -q --detach ../out");
    return DiskSource(folder_.Path("out"));
  }

  ScratchFolder folder_;
};

std::map<std::string, PathKind> NamesIn(const Source& source, const std::string& folder) {
  std::vector<FolderEntry> entries;
  EXPECT_EQ(source.List(folder, entries), 0) << folder;
  std::map<std::string, PathKind> names;
  for (const FolderEntry& entry : entries) {
    if (entry.name != ".git") names[entry.name] = entry.kind;
  }
  return names;
}

// Compares each path below the folder, and paths composed of them.
void ExpectSame(const Source& git, const Source& disk, const std::string& folder, int depth = 0) {
  const auto names = NamesIn(disk, folder);
  EXPECT_EQ(NamesIn(git, folder), names) << folder;
  for (const auto& [name, kind] : names) {
    const std::string path = folder.empty() ? name : folder + "/" + name;
    EXPECT_EQ(git.ExamineLink(path).kind, disk.ExamineLink(path).kind) << path;
    // For a link that leads out, both report the kind of its target and neither reads it; but other
    // files of the work tree do not belong to the revision.
    PathState state = disk.Examine(path);
    const bool inside = disk.Holds(path);
    const std::string leads_to = disk.Canonical(path) + '/';
    if (leads_to.starts_with(git.root() + '/')) state = {};
    EXPECT_EQ(git.Examine(path).kind, state.kind) << path;
    if (inside && state.kind == PathKind::kFile) {
      EXPECT_EQ(git.Read(path, kMost, Reach::kBelow), disk.Read(path, kMost, Reach::kBelow))
          << path;
    } else {
      EXPECT_FALSE(git.Read(path, kMost, Reach::kBelow)) << path;
    }
    if (inside && state.IsThere()) {
      const std::string real = disk.Canonical(path).substr(disk.root().size());
      EXPECT_EQ(git.Canonical(path).substr(git.root().size()), real) << path;
    }
    for (const char* more : {"/nothing", "/.", "/..", "/../.", "/./deep"}) {
      if (!disk.Holds(path + more)) continue;
      EXPECT_EQ(git.Examine(path + more).kind, disk.Examine(path + more).kind) << path << more;
    }
    if (inside && state.kind == PathKind::kFolder && depth < 6) {
      ExpectSame(git, disk, path, depth + 1);
    }
  }
}

TEST_F(GitTreeTest, LinksStayInside) {
  Run("mkdir -p deep/deeper && echo file >deep/file && ln -s deep/file good && ln -s deep folder "
      "&& "
      "ln -s ../.. deep/deeper/top && ln -s deep/deeper/top/.. above && ln -s ../.. deep/up && "
      "ln -s deep/up/x through && ln -s /etc/passwd absolute && ln -s loop loop && ln -s . here");
  const Source disk = CheckedOut();
  for (const Source& git : {Revision("HEAD"), Staged()}) {
    ExpectSame(git, disk, "");
    EXPECT_EQ(git.Read("good", kMost, Reach::kBelow), "file\n");
    EXPECT_EQ(git.Read("here/deep/deeper/top/folder/file", kMost, Reach::kBelow), "file\n");
    // Files outside are reported as they are on disk, and not read.
    EXPECT_EQ(git.Examine("deep/up").kind, PathKind::kFolder);
    EXPECT_EQ(git.Examine("absolute").kind, PathKind::kFile);
    EXPECT_EQ(git.Examine("absolute/x").kind, PathKind::kAbsent);
    EXPECT_FALSE(git.Read("absolute", kMost, Reach::kBelow));
    EXPECT_EQ(errno, EXDEV);
    EXPECT_FALSE(git.Holds("deep/up"));
    EXPECT_EQ(git.Examine("through").kind, PathKind::kAbsent);
    EXPECT_EQ(git.Examine("loop").kind, PathKind::kUnknown);
    EXPECT_EQ(git.Examine("loop").error, ELOOP);
    // Files outside the tree are those on disk: the repository itself, and other folders.
    EXPECT_EQ(git.Examine(".git").kind, PathKind::kFolder);
    EXPECT_EQ(git.Examine("/etc/passwd").kind, PathKind::kFile);
    EXPECT_FALSE(git.Read("../out/deep/file", kMost, Reach::kBelow));
    EXPECT_EQ(errno, EXDEV);
    EXPECT_EQ(git.Read("../out/deep/file", kMost, Reach::kAnywhere), "file\n");
  }
}

TEST_F(GitTreeTest, IsWhatGitChecksOut) {
  std::mt19937 random(38);
  const auto any = [&](std::size_t count) { return random() % count; };
  const std::vector<std::string> names = {"a", "a.b", "a-b", "b", "c c", "é", "z\nz", "0"};
  for (int round = 0; round < Rounds(30) + 2; ++round) {
    Run("git rm -rqf --ignore-unmatch . && rm -rf ./*");
    for (int i = 0; i < 25; ++i) {
      fs::path path = folder_.Path("a");
      for (std::size_t depth = any(4); depth > 0; --depth) path /= names[any(names.size())];
      path /= names[any(names.size())];
      std::error_code taken;
      fs::create_directories(path.parent_path(), taken);
      if (taken || fs::exists(fs::symlink_status(path, taken))) continue;
      if (any(4) == 0) {
        std::string target;
        for (std::size_t parts = 1 + any(3); parts > 0; --parts) {
          target += (any(3) == 0 ? ".." : names[any(names.size())]) + "/";
        }
        target.pop_back();
        fs::create_symlink(target, path, taken);
      } else {
        std::ofstream(path) << std::string(any(3) == 0 ? 0 : any(100'000),
                                           static_cast<char>(any(256)));
      }
    }
    const Source disk = CheckedOut();
    SCOPED_TRACE(round);
    ExpectSame(Revision("HEAD"), disk, "");
    ExpectSame(Staged(), disk, "");
    if (HasFailure()) return;
  }
}

TEST_F(GitTreeTest, HoldsWhatIsStagedAndNothingElse) {
  Run("mkdir deep && echo file >deep/file && git add . && git commit -qm x && "
      "echo edited >>deep/file && echo x >unknown && echo y >new && git add new");
  const Source staged = Staged();
  EXPECT_EQ(staged.Read("deep/file", kMost, Reach::kBelow), "file\n");
  EXPECT_EQ(staged.Examine("unknown").kind, PathKind::kAbsent);
  EXPECT_EQ(staged.Read("new", kMost, Reach::kBelow), "y\n");
  EXPECT_EQ(Revision("HEAD").Examine("new").kind, PathKind::kAbsent);
}

TEST_F(GitTreeTest, StampsAreOfBytes) {
  Run("echo x >a && echo x >b && echo y >c && git add . && git commit -qm x && echo x >c && git "
      "add c");
  const Source then = Revision("HEAD");
  const Source now = Staged();
  const auto stamp = [](const Source& source, const char* path) {
    return source.Examine(path).stamp;
  };
  EXPECT_EQ(stamp(then, "a"), stamp(now, "a"));
  EXPECT_EQ(stamp(then, "a"), stamp(then, "b"));
  EXPECT_NE(stamp(then, "c"), stamp(now, "c"));
  EXPECT_EQ(stamp(now, "c"), stamp(now, "a"));
  EXPECT_NE(now.Examine("a").device, now.Examine("b").device) << "two files with the same content";
  EXPECT_EQ(stamp(then, "a").modified, 0) << "never racy";
}

TEST_F(GitTreeTest, LargeFilesAreRefusedAndWhatFollowsIsRead) {
  Run("head -c 5000000 /dev/zero | tr '\\0' x >long && truncate -s 65M longer && echo x >small && "
      "git add .");
  const Source staged = Staged();
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(staged.Read("longer", kMost, Reach::kBelow));
    EXPECT_EQ(errno, EFBIG);
    EXPECT_EQ(staged.Read("small", kMost, Reach::kBelow), "x\n");
    EXPECT_EQ(staged.Read("long", kMost, Reach::kBelow), std::string(5'000'000, 'x'));
  }
}

TEST_F(GitTreeTest, MissingObjectsAreNotAbsentFiles) {
  Run("echo lost >a && echo y >b && git add . && rm -f .git/objects/$(git rev-parse :a | "
      "sed 's|..|&/|')");
  const Source staged = Staged();
  EXPECT_EQ(staged.Examine("a").kind, PathKind::kFile);
  EXPECT_FALSE(staged.Read("a", kMost, Reach::kBelow));
  EXPECT_EQ(errno, ENODATA);
  EXPECT_EQ(staged.Read("b", kMost, Reach::kBelow), "y\n");
}

TEST_F(GitTreeTest, PassesToAnotherProcess) {
  Run("mkdir deep && echo x >deep/a && ln -s deep/a b && git add .");
  const Source staged = Staged();
  const std::string bytes = staged.Pack();
  const std::optional<Source> other = UnpackSource(bytes);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->root(), staged.root());
  EXPECT_EQ(other->Read("b", kMost, Reach::kBelow), "x\n");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(UnpackSource(std::string_view(bytes).substr(0, size))) << size;
  }
}

// In folders whose names have a special meaning in a list of paths.
TEST_F(GitTreeTest, ReadsSubmodules) {
  Run("git init -q '../o:d\"d' && cd '../o:d\"d' && echo inner >in && git add . && "
      "git commit -qm x && cd ../a && "
      "git -c protocol.file.allow=always submodule add -q '../o:d\"d' 's:u\"b' && "
      "echo outer >out && git add . && git commit -qm x");
  for (const Source& git : {Revision("HEAD"), Staged()}) {
    EXPECT_EQ(git.Read("s:u\"b/in", kMost, Reach::kBelow), "inner\n");
    EXPECT_EQ(git.Read("out", kMost, Reach::kBelow), "outer\n");
    EXPECT_EQ(git.Examine("s:u\"b").kind, PathKind::kFolder);
  }
}

}  // namespace
}  // namespace opledger
