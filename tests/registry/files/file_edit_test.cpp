// Edits of a file that stays the one that was opened: waits for other editors, and refuses links
// created meanwhile. With and without file locks.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/file_edit.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "registry/files/files.h"
#include "registry/files/replacement.h"
#include "tests/registry/files/failing_call.h"
#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

// The parameter is the error of flock; 0 if locks work.
class FileEditTest : public testing::TestWithParam<int> {
 protected:
  // Returns the exit status of `body` in a child process.
  static int Run(const std::function<int()>& body) {
    const pid_t child = Start(body);
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  static pid_t Start(const std::function<int()>& body) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    const int error = GetParam();
    if (error != 0 && !FailCall(SYS_flock, static_cast<unsigned>(error))) _exit(99);
    _exit(body());
  }

  ScratchFolder folder_;
};

// Creates the lock file of a process that has ended.
std::string DeadLock(const ScratchFolder& folder) {
  const FilePlace place = *FindFilePlace("", folder.Path("any"));
  LockWait wait("any");
  LockFile lock;
  EXPECT_TRUE(lock.Take(place.folder.get(), "any", wait));
  const std::string own = folder.Read(".any.opledger-lock");
  const std::size_t started = own.find(' ', own.find(' ') + 1) + 1;
  return own.substr(0, started) + '1' + own.substr(own.rfind(' '));
}

// Each process adds a letter to what it has read; none gets lost, even if they start by taking over
// a dead lock.
TEST_P(FileEditTest, OneAfterTheOther) {
  constexpr int kRuns = 12;
  const std::string dead = DeadLock(folder_);
  for (int round = 0; round < 10; ++round) {
    const std::string path = folder_.Write("file", "");
    if (GetParam() != 0 && round % 2 == 1) folder_.Write(".file.opledger-lock", dead);
    for (int i = 0; i < kRuns; ++i) {
      Start([&] {
        Diagnostics diagnostics;
        auto edit = FileEdit::Open("", path, diagnostics);
        const auto read = edit ? ReadFile(path, 100, diagnostics) : std::nullopt;
        usleep(1000);
        const bool written = read && edit->Replace(*read, *read + "x", diagnostics);
        std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
        return written ? 0 : 1;
      });
    }
    for (int i = 0, status = -1; i < kRuns; ++i) {
      wait(&status);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(folder_.Read("file"), std::string(kRuns, 'x'));
    EXPECT_EQ(folder_.Count(), 1);
  }
}

// What another process puts at the path between reading and writing.
TEST_P(FileEditTest, RefusesReplacedPaths) {
  folder_.Write("outside", "outside");
  folder_.Write("elsewhere/list", "old");
  const auto change = [&](const std::string& name) {
    const fs::path list = folder_.Path("root/lists/list");
    if (name == "link") {
      fs::remove(list);
      fs::create_symlink(folder_.Path("outside"), list);
    } else if (name == "folder link") {
      fs::rename(folder_.Path("root/lists"), folder_.Path("root/moved"));
      fs::create_directory_symlink(folder_.Path("elsewhere"), folder_.Path("root/lists"));
    } else if (name == "other file") {
      fs::remove(list);
      folder_.Write("root/lists/list", "old");
    } else if (name == "other content") {
      folder_.Write("root/lists/list", "others");
    } else if (name == "nothing") {
      fs::remove(list);
    }
  };
  for (const bool below : {true, false}) {
    for (const char* name : {"", "link", "folder link", "other file", "other content", "nothing"}) {
      fs::remove_all(folder_.Path("root"));
      folder_.Write("root/lists/list", "old");
      const int status = Run([&] {
        Diagnostics diagnostics;
        auto edit =
            FileEdit::Open(below ? folder_.Path("root") : "",
                           below ? "lists/list" : folder_.Path("root/lists/list"), diagnostics);
        if (!edit) return 2;
        change(name);
        if (edit->Replace("old", "new", diagnostics)) return 0;
        return diagnostics.all().size() == 1 ? 1 : 3;
      });
      EXPECT_EQ(status, *name == '\0' ? 0 : 1) << name;
      EXPECT_EQ(folder_.Read("outside"), "outside") << name;
      EXPECT_EQ(folder_.Read("elsewhere/list"), "old") << name;
      const bool moved = fs::exists(folder_.Path("root/moved"));
      if (moved) {
        EXPECT_EQ(folder_.Read("root/moved/list"), "old");
      }
      for (const auto& entry : fs::recursive_directory_iterator(folder_.Path())) {
        EXPECT_EQ(entry.path().string().find(".opledger-"), std::string::npos) << entry.path();
      }
    }
  }
}

TEST_P(FileEditTest, FollowsLinksThatStay) {
  folder_.Write("root/kept/list", "old");
  fs::create_symlink("kept/list", folder_.Path("root/list"));
  const int status = Run([&] {
    Diagnostics diagnostics;
    auto edit = FileEdit::Open(folder_.Path("root"), "list", diagnostics);
    return edit && edit->Replace("old", "new", diagnostics) ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder_.Read("root/kept/list"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_.Path("root/list")));
}

TEST_P(FileEditTest, NamesTheHolderOfTheLock) {
  const std::string path = folder_.Write("list", "old");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t holder = Start([&] {
    Diagnostics diagnostics;
    const auto edit = FileEdit::Open("", path, diagnostics);
    if (!edit || write(ends[1], "x", 1) != 1) return 1;
    pause();
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  const int status = Run([&] {
    SetLockTimeout(0.1);
    Diagnostics diagnostics;
    if (FileEdit::Open("", path, diagnostics)) return 1;
    const std::string said = RenderDiagnostics(diagnostics);
    const bool told =
        said.find("is locked by process " + std::to_string(holder) + " (") != std::string::npos &&
        said.find("--lock-timeout") != std::string::npos;
    if (!told) std::fputs(said.c_str(), stderr);
    return told ? 0 : 2;
  });
  EXPECT_EQ(status, 0);
  kill(holder, SIGTERM);
  waitpid(holder, nullptr, 0);
  EXPECT_EQ(folder_.Count(), 1);  // the lock file is gone, too
}

TEST_P(FileEditTest, TakesOverFromTheDead) {
  const std::string path = folder_.Write("list", "old");
  for (const bool writes : {false, true}) {
    const pid_t killed = Start([&] {
      Diagnostics diagnostics;
      auto edit = FileEdit::Open("", path, diagnostics);
      const auto die = [&](OutputSink& sink) {
        sink.Write("half");
        sink.Flush();
        return kill(getpid(), SIGKILL) == 0;
      };
      if (writes) WriteFile(folder_.Path("other"), die, diagnostics);
      kill(getpid(), SIGKILL);
      return 0;
    });
    waitpid(killed, nullptr, 0);
  }
  EXPECT_EQ(Run([&] {
              SetLockTimeout(2);
              Diagnostics diagnostics;
              auto edit = FileEdit::Open("", path, diagnostics);
              const bool written = edit && edit->Replace("old", "new", diagnostics) &&
                                   WriteFile(folder_.Path("other"), "whole", diagnostics);
              std::fputs(RenderDiagnostics(diagnostics).c_str(), stderr);
              return written ? 0 : 1;
            }),
            0);
  EXPECT_EQ(folder_.Read("list"), "new");
  EXPECT_EQ(folder_.Read("other"), "whole");
  EXPECT_EQ(folder_.Count(), 2);
}

// Locks of another host, another container, or another process with that id are not dead; only the
// last one is.
TEST(LockFile, WhoIsDead) {
  const ScratchFolder folder;
  const FilePlace place = *FindFilePlace("", folder.Path("list"));
  {
    LockWait wait("list");
    LockFile lock;
    ASSERT_TRUE(lock.Take(place.folder.get(), "list", wait));
  }
  EXPECT_EQ(folder.Count(), 0);
  std::string own;
  {
    LockWait wait("list");
    LockFile lock;
    ASSERT_TRUE(lock.Take(place.folder.get(), "list", wait));
    own = folder.Read(".list.opledger-lock");
  }
  const auto taken = [&](const std::string& text) {
    folder.Write(".list.opledger-lock", text);
    SetLockTimeout(0);
    LockWait wait("list");
    LockFile lock;
    const bool held = lock.Take(place.folder.get(), "list", wait);
    SetLockTimeout(30);
    if (!held) {
      EXPECT_NE(wait.remedy().find(".list.opledger-lock"), std::string::npos);
    }
    return held;
  };
  EXPECT_FALSE(taken(own));  // this process is alive
  EXPECT_FALSE(taken("elsewhere " + own.substr(own.find(' ') + 1)));
  EXPECT_FALSE(taken(own.substr(0, own.rfind(' ')) + " pid:[1]\n"));
  EXPECT_FALSE(taken(""));
  EXPECT_FALSE(taken("half a li"));
  const std::size_t process = own.find(' ') + 1;
  const std::size_t started = own.find(' ', process) + 1;
  EXPECT_TRUE(taken(own.substr(0, started) + '1' + own.substr(own.rfind(' '))));
}

INSTANTIATE_TEST_SUITE_P(Locks, FileEditTest, testing::Values(0, ENOSYS, ENOLCK, EOPNOTSUPP));

}  // namespace
}  // namespace opledger
