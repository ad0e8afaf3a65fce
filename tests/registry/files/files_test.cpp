// Files are old or new, never partial: modes, links, leftover temporary files, failures, kills,
// races.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "registry/files/replacement.h"
#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

void ExpectWritten(const std::string& path, std::string_view content) {
  Diagnostics diagnostics;
  EXPECT_TRUE(WriteFile(path, content, diagnostics)) << RenderDiagnostics(diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
}

std::string FailureOf(const std::string& path) {
  Diagnostics diagnostics;
  EXPECT_FALSE(WriteFile(path, "new", diagnostics));
  return RenderDiagnostics(diagnostics);
}

unsigned Mode(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(WriteFile, NewAndOld) {
  const ScratchFolder folder;
  ExpectWritten(folder.Path("a"), "one");
  EXPECT_EQ(folder.Read("a"), "one");
  ExpectWritten(folder.Path("a"), std::string("t\0wo", 4));
  EXPECT_EQ(folder.Read("a"), std::string("t\0wo", 4));
  EXPECT_EQ(folder.Count(), 1);
}

TEST(WriteFile, ModeStays) {
  const ScratchFolder folder;
  const std::string path = folder.Write("a", "old");
  for (const unsigned mode : {0600u, 0755u, 0640u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    ExpectWritten(path, "new");
    EXPECT_EQ(Mode(path), mode);
  }
  const mode_t mask = umask(027);
  ExpectWritten(folder.Path("b"), "new");
  umask(mask);
  EXPECT_EQ(Mode(folder.Path("b")), 0640u);
}

TEST(WriteFile, WritesThroughLinks) {
  const ScratchFolder folder;
  folder.Write("deep/target", "old");
  fs::create_symlink("deep/target", folder.Path("one"));
  fs::create_symlink(folder.Path("one"), folder.Path("two"));
  fs::create_symlink("deep/absent", folder.Path("dangling"));
  ExpectWritten(folder.Path("two"), "new");
  ExpectWritten(folder.Path("dangling"), "made");
  EXPECT_TRUE(fs::is_symlink(folder.Path("two")));
  EXPECT_TRUE(fs::is_symlink(folder.Path("one")));
  EXPECT_EQ(folder.Read("deep/target"), "new");
  EXPECT_EQ(folder.Read("deep/absent"), "made");
}

TEST(WriteFile, RelativePath) {
  const ScratchFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.Path());
  ExpectWritten("plain", "new");
  fs::current_path(before);
  EXPECT_EQ(folder.Read("plain"), "new");
}

TEST(WriteFile, LeftTemporariesGo) {
  const ScratchFolder folder;
  folder.Write(".a.opledger-tmp", "left by a killed run, and longer than the new content");
  ExpectWritten(folder.Path("a"), "new");
  EXPECT_EQ(folder.Read("a"), "new");
  EXPECT_EQ(folder.Count(), 1);
}

// A file or link planted under the temporary file's name must not redirect the content.
TEST(WriteFile, PlantedTemporaries) {
  const ScratchFolder folder;
  folder.Write("victim", "untouched");
  fs::create_symlink("victim", folder.Path(".a.opledger-tmp"));
  ExpectWritten(folder.Path("a"), "new");
  fs::create_hard_link(folder.Path("victim"), folder.Path(".a.opledger-tmp"));
  ExpectWritten(folder.Path("a"), "newer");
  ASSERT_EQ(mkfifo(folder.Path(".a.opledger-tmp").c_str(), 0600), 0);
  ExpectWritten(folder.Path("a"), "newest");
  EXPECT_EQ(folder.Read("victim"), "untouched");
  EXPECT_EQ(folder.Read("a"), "newest");
}

TEST(WriteFile, Failures) {
  const ScratchFolder folder;
  EXPECT_EQ(FailureOf(folder.Path("no/such/folder")),
            folder.Path("no/such/folder") + ": error: cannot write: No such file or directory\n");
  EXPECT_EQ(FailureOf(folder.Path()), folder.Path() + ": error: cannot write: Is a directory\n");
  EXPECT_EQ(FailureOf("/dev/full"), "/dev/full: error: cannot write: No space left on device\n");
  fs::create_symlink("loop", folder.Path("loop"));
  EXPECT_NE(FailureOf(folder.Path("loop")), "");
  EXPECT_EQ(folder.Count(), 1);
}

// Runs `body` in a child process; returns its wait status.
template <typename Function>
int InChild(Function body) {
  std::fflush(nullptr);  // otherwise both processes would print buffered output
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(WriteFile, ProtectedFile) {
  const ScratchFolder folder;
  const std::string path = folder.Write("a", "old");
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.Path().c_str(), 0777), 0);
  const int status = InChild([&] {
    // The superuser may write everything, so the child becomes another user.
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) return 2;
    return FailureOf(path) == path + ": error: cannot write: Permission denied\n" ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.Read("a"), "old");
}

TEST(WriteFile, FullDiskLeavesTheOldFile) {
  const ScratchFolder folder;
  const std::string path = folder.Write("a", "old");
  const int status = InChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    Diagnostics diagnostics;
    const bool written = WriteFile(path, std::string(5000, 'x'), diagnostics);
    return !written && diagnostics.all().size() == 1 ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.Read("a"), "old");
  EXPECT_EQ(folder.Count(), 1);
}

TEST(WriteFile, KilledRunsLeaveOldOrNew) {
  const ScratchFolder folder;
  const std::string one(200000, '1');
  const std::string two(300000, '2');
  const std::string path = folder.Write("a", one);
  for (int i = 0; i < 60; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Diagnostics diagnostics;
      for (int j = 0;; ++j) WriteFile(path, j % 2 == 0 ? two : one, diagnostics);
    }
    usleep(static_cast<useconds_t>(300 + 137 * i));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string content = folder.Read("a");
    ASSERT_TRUE(content == one || content == two) << "partial after kill " << i;
  }
  ExpectWritten(path, "end");
  EXPECT_EQ(folder.Count(), 1);
}

// Cache files are written atomically like outputs; a link is replaced, not followed.
TEST(WriteCacheFile, WholeAndInPlaceOfALink) {
  const ScratchFolder folder;
  folder.Write("victim", "untouched");
  fs::create_symlink("victim", folder.Path("a"));
  const auto write = [](OutputSink& sink) { return sink.Write("new"); };
  EXPECT_TRUE(WriteCacheFile(folder.Path("a"), write));
  EXPECT_FALSE(fs::is_symlink(folder.Path("a")));
  EXPECT_EQ(folder.Read("a"), "new");
  EXPECT_FALSE(WriteCacheFile(folder.Path("a"), [](OutputSink& sink) {
    sink.Write("half");
    return false;
  }));
  EXPECT_FALSE(WriteCacheFile(folder.Path("no/folder"), write));
  EXPECT_EQ(folder.Read("a"), "new");
  EXPECT_EQ(folder.Read("victim"), "untouched");
  EXPECT_EQ(folder.Count(), 2);
}

// Removes temporary files of killed runs, from any function, but none that is being written or has
// another name.
TEST(RemoveStaleTemporaries, KilledRunsAndNoOthers) {
  const ScratchFolder folder;
  folder.Write("kept", "");
  folder.Write(".hidden", "");
  folder.Write("name.opledger-tmp", "");
  for (const bool cache : {false, true}) {
    const std::string path = folder.Path(cache ? "b.index" : "a");
    const int status = InChild([&] {
      const auto killed = [](OutputSink& sink) {
        sink.Write("half");
        sink.Flush();
        return kill(getpid(), SIGKILL) == 0;
      };
      Diagnostics diagnostics;
      return cache ? WriteCacheFile(path, killed) : WriteFile(path, killed, diagnostics);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  ASSERT_EQ(folder.Count(), 5);
  EXPECT_TRUE(WriteCacheFile(folder.Path("c"), [&](OutputSink& sink) {
    RemoveStaleTemporaries(folder.Path());
    return sink.Write("whole");
  }));
  EXPECT_EQ(folder.Count(), 4);
  EXPECT_EQ(folder.Read("c"), "whole");
}

TEST(WriteFile, RunsAtOnce) {
  const ScratchFolder folder;
  const std::string path = folder.Path("a");
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    Diagnostics diagnostics;
    bool written = true;
    for (int j = 0; j < 20; ++j) {
      written =
          WriteFile(path, std::string(10000, static_cast<char>('a' + i)), diagnostics) && written;
    }
    _exit(written ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::string content = folder.Read("a");
  ASSERT_EQ(content.size(), 10000u);
  EXPECT_EQ(content, std::string(10000, content[0]));
  EXPECT_EQ(folder.Count(), 1);
}

TEST(WriteFile, StandardOutput) {
  const ScratchFolder folder;
  const std::string path = folder.Write("out", "");
  const auto redirected = [&](const char* target, bool expected, bool silent) {
    return InChild([&] {
      signal(SIGPIPE, SIG_IGN);
      freopen(target, "w", stdout);
      Diagnostics diagnostics;
      const bool written = WriteFile("-", "text", diagnostics);
      return written == expected && diagnostics.all().empty() == silent ? 0 : 1;
    });
  };
  EXPECT_EQ(redirected(path.c_str(), true, true), 0);
  EXPECT_EQ(folder.Read("out"), "text");
  EXPECT_EQ(redirected("/dev/full", false, false), 0);
  // `| head`: the reader is gone, which is not an error.
  const int status = InChild([&] {
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    if (pipe(ends) != 0) return 2;
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    Diagnostics diagnostics;
    return !WriteFile("-", "text", diagnostics) && diagnostics.all().empty() ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
}

// A memory file system below /dev holds files like any other folder.
TEST(WriteFile, FilesBelowDev) {
  if (!fs::exists("/dev/shm")) GTEST_SKIP() << "no /dev/shm";
  const std::string path = "/dev/shm/opledger-test-" + std::to_string(getpid());
  ExpectWritten(path, std::string(100000, 'x'));
  ExpectWritten(path, "new");
  EXPECT_EQ(fs::file_size(path), 3u);
  fs::remove(path);
}

TEST(WriteFile, RedirectedStandardOutputIsContinued) {
  const ScratchFolder folder;
  const std::string path = folder.Write("out", "before ");
  const int status = InChild([&] {
    if (std::freopen(path.c_str(), "a", stdout) == nullptr) return 2;
    std::fputs("buffered ", stdout);
    Diagnostics diagnostics;
    return WriteFile("/dev/stdout", "text", diagnostics) ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.Read("out"), "before buffered text");
}

TEST(WriteFile, SocketsAreRefused) {
  const ScratchFolder folder;
  const std::string path = folder.Path("socket");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(FailureOf(path).find("not a regular file, a pipe or a character device"),
            std::string::npos);
  EXPECT_TRUE(fs::is_socket(path));
  close(server);
}

TEST(WriteFile, PipesAndDevicesAreWrittenInPlace) {
  ExpectWritten("/dev/null", "text");
  const ScratchFolder folder;
  const std::string pipe = folder.Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    Diagnostics diagnostics;
    _exit(WriteFile(pipe, "through", diagnostics) ? 0 : 1);
  }
  EXPECT_EQ(folder.Read("pipe"), "through");
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

bool WriteBelow(const ScratchFolder& folder, const std::string& path, std::string& errors) {
  Diagnostics diagnostics;
  const bool written = WriteFileBelow(folder.Path("root"), path, "new", diagnostics);
  errors = RenderDiagnostics(diagnostics);
  return written;
}

TEST(WriteFileBelow, MakesFoldersAndFollowsLinksThatStay) {
  const ScratchFolder folder;
  folder.Write("root/kept/file", "old");
  fs::create_directory_symlink("kept", folder.Path("root/link"));
  fs::create_symlink("kept/file", folder.Path("root/file"));
  std::string errors;
  EXPECT_TRUE(WriteBelow(folder, "a/b/file", errors)) << errors;
  EXPECT_TRUE(WriteBelow(folder, "link/other", errors)) << errors;
  EXPECT_TRUE(WriteBelow(folder, "file", errors)) << errors;
  EXPECT_EQ(folder.Read("root/a/b/file"), "new");
  EXPECT_EQ(folder.Read("root/kept/other"), "new");
  EXPECT_EQ(folder.Read("root/kept/file"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.Path("root/file")));
}

TEST(WriteFileBelow, WritesNothingOutside) {
  const ScratchFolder folder;
  folder.Write("outside/file", "old");
  fs::create_directories(folder.Path("root"));
  fs::create_directory_symlink("../outside", folder.Path("root/up"));
  fs::create_directory_symlink(folder.Path("outside"), folder.Path("root/away"));
  fs::create_symlink("../outside/file", folder.Path("root/file"));
  fs::create_symlink("../outside/fresh", folder.Path("root/dangling"));
  for (const char* path : {"up/file", "up/fresh", "up/a/fresh", "away/file", "away/fresh", "file",
                           "dangling", "../outside/file"}) {
    std::string errors;
    EXPECT_FALSE(WriteBelow(folder, path, errors)) << path;
    EXPECT_NE(errors.find("leads outside"), std::string::npos) << path << ": " << errors;
  }
  EXPECT_EQ(folder.Read("outside/file"), "old");
  EXPECT_FALSE(fs::exists(folder.Path("outside/fresh")));
  EXPECT_FALSE(fs::exists(folder.Path("outside/a")));
}

}  // namespace
}  // namespace opledger
