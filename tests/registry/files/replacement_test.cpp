// Attributes that a replaced file keeps, invisibility until it is complete, and cleanup.
// SPDX-License-Identifier: Apache-2.0
#include "registry/files/replacement.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <climits>
#include <functional>
#include <vector>

#include "registry/files/files.h"
#include "registry/files/temporary_file.h"
#include "tests/registry/files/failing_call.h"
#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAccess = "system.posix_acl_access";
constexpr const char* kDefault = "system.posix_acl_default";

unsigned ModeOf(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

std::string Attribute(const std::string& path, const char* name) {
  std::string value(4096, '\0');
  const ssize_t size = getxattr(path.c_str(), name, value.data(), value.size());
  value.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return value;
}

bool SetAttribute(const std::string& path, const char* name, const std::string& value) {
  return setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0;
}

// An entry (tag, permissions, id) of an access-control list in the kernel's format.
struct Entry {
  unsigned tag, permissions, id;
};
std::string List(const std::vector<Entry>& entries) {
  std::string list = {2, 0, 0, 0};
  for (const Entry& entry : entries) {
    for (const unsigned half : {entry.tag, entry.permissions, entry.id, entry.id >> 16}) {
      list += static_cast<char>(half & 0xff);
      list += static_cast<char>(half >> 8 & 0xff);
    }
  }
  return list;
}
constexpr unsigned kNone = 0xffffffff;
std::vector<Entry> SharedWith(unsigned user, unsigned permissions, unsigned others) {
  return {
      {1, 7, kNone}, {2, permissions, user}, {4, 4, kNone}, {16, 7, kNone}, {32, others, kNone}};
}

bool WriteText(const std::string& path, const std::string& text) {
  Diagnostics diagnostics;
  const bool written = WriteFile(path, text, diagnostics);
  EXPECT_TRUE(written) << RenderDiagnostics(diagnostics);
  return written;
}

TEST(ReplaceFile, KeepsAttributesAndLists) {
  const ScratchFolder folder;
  const std::string path = folder.Write("list", "old");
  if (!SetAttribute(path, "user.origin", "mail") ||
      !SetAttribute(path, kAccess, List(SharedWith(12345, 6, 0)))) {
    GTEST_SKIP() << "the file system has no attributes or no access-control lists";
  }
  const std::string list = Attribute(path, kAccess);
  const unsigned mode = ModeOf(path);
  ASSERT_TRUE(WriteText(path, "new"));
  EXPECT_EQ(folder.Read("list"), "new");
  EXPECT_EQ(Attribute(path, "user.origin"), "mail");
  EXPECT_EQ(Attribute(path, kAccess), list);
  EXPECT_EQ(ModeOf(path), mode);
}

// The folder's default list applies to new files, as with open(), but not to a replaced one.
TEST(ReplaceFile, DefaultListsAreForNewFiles) {
  const ScratchFolder folder;
  const std::string old = folder.Write("old", "old");
  ASSERT_EQ(chmod(old.c_str(), 0640), 0);
  for (const unsigned others : {0u, 5u}) {
    if (!SetAttribute(folder.Path(), kDefault, List(SharedWith(12345, 6, others)))) {
      GTEST_SKIP() << "the file system has no access-control lists";
    }
    folder.Write("plain", "");
    ASSERT_TRUE(WriteText(folder.Path("made"), "new"));
    EXPECT_EQ(Attribute(folder.Path("made"), kAccess), Attribute(folder.Path("plain"), kAccess));
    EXPECT_EQ(ModeOf(folder.Path("made")), ModeOf(folder.Path("plain")));
    ASSERT_TRUE(WriteText(old, "new"));
    EXPECT_EQ(Attribute(old, kAccess), "");
    EXPECT_EQ(ModeOf(old), 0640u);
    fs::remove(folder.Path("made"));
    fs::remove(folder.Path("plain"));
  }
}

TEST(ReplaceFile, NobodyReadsTheTemporaryFile) {
  const ScratchFolder folder;
  const std::string path = folder.Write("secret", "old");
  for (const unsigned mode : {0600u, 0644u}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    Diagnostics diagnostics;
    const bool written = WriteFile(
        path,
        [&](OutputSink& sink) {
          EXPECT_EQ(ModeOf(folder.Path(".secret.opledger-tmp")), 0600u);
          return sink.Write("new");
        },
        diagnostics);
    EXPECT_TRUE(written);
    EXPECT_EQ(ModeOf(path), mode);
  }
}

TEST(ReplaceFile, LongNames) {
  const ScratchFolder folder;
  for (const std::size_t size : {240u, 241u, 242u, 243u, 254u, 255u}) {
    const std::string name(size, 'n');
    ASSERT_TRUE(WriteText(folder.Path(name), "new")) << size;
    EXPECT_EQ(folder.Read(name), "new");
    EXPECT_LE(TemporaryName(name).size(), NAME_MAX);
    EXPECT_TRUE(IsTemporaryName(TemporaryName(name)));
    EXPECT_NE(TemporaryName(name), TemporaryName(std::string(size - 1, 'n') + 'm'));
  }
  EXPECT_EQ(folder.Count(), 6);
  Diagnostics diagnostics;
  EXPECT_FALSE(WriteFile(folder.Path(std::string(256, 'n')), "new", diagnostics));
  EXPECT_NE(RenderDiagnostics(diagnostics).find("File name too long"), std::string::npos);
}

// A process of another user and group, who may write the file.
TEST(ReplaceFile, AnotherGroupGetsNoMore) {
  if (geteuid() != 0) GTEST_SKIP() << "only the superuser can become another user";
  const ScratchFolder folder;
  const std::string path = folder.Write("list", "old");
  ASSERT_EQ(chmod(folder.Path().c_str(), 0777), 0);
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  std::fflush(nullptr);
  const auto write = [&](mode_t mode) {
    if (chown(path.c_str(), 0, 0) != 0 || chmod(path.c_str(), mode) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
      if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) _exit(2);
      _exit(WriteText(path, "new") ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  };
  EXPECT_EQ(write(0676), 0);
  EXPECT_EQ(ModeOf(path), 0666u);
  EXPECT_EQ(write(0666), 0);
  EXPECT_EQ(ModeOf(path), 0666u);
}

bool Replaced(const std::string& path, const Replacement& replacement, std::string& errors) {
  Diagnostics diagnostics;
  const bool replaced = WriteFile(path, replacement, diagnostics);
  errors = RenderDiagnostics(diagnostics);
  return replaced;
}

TEST(ReplaceFile, AsksBeforeItReplaces) {
  const ScratchFolder folder;
  const std::string path = folder.Write("list", "old");
  const auto produce = [](OutputSink& sink) { return sink.Write("new"); };
  std::string errors;
  EXPECT_FALSE(Replaced(path, {.produce = produce, .may_replace = [] { return false; }}, errors));
  EXPECT_EQ(errors, "");
  EXPECT_EQ(folder.Read("list"), "old");
  EXPECT_FALSE(Replaced(path, {.produce = produce, .is_new = true}, errors));
  EXPECT_NE(errors.find("File exists"), std::string::npos) << errors;
  EXPECT_EQ(folder.Read("list"), "old");
  EXPECT_TRUE(Replaced(folder.Path("fresh"), {.produce = produce, .is_new = true}, errors));
  EXPECT_EQ(folder.Read("fresh"), "new");
  EXPECT_TRUE(
      Replaced(folder.Path("mine"), {.produce = produce, .most_permissions = 0600}, errors));
  EXPECT_EQ(ModeOf(folder.Path("mine")), 0600u);
  EXPECT_EQ(folder.Count(), 3);
}

// A link created at the name meanwhile stays.
TEST(ReplaceFile, LinksThatComeAreNotReplaced) {
  const ScratchFolder folder;
  const std::string path = folder.Write("list", "old");
  folder.Write("other", "other");
  const auto produce = [&](OutputSink& sink) {
    fs::remove(path);
    fs::create_symlink("other", path);
    return sink.Write("new");
  };
  std::string errors;
  EXPECT_FALSE(Replaced(path, {.produce = produce}, errors));
  EXPECT_NE(errors.find("it was replaced by another file"), std::string::npos) << errors;
  EXPECT_TRUE(fs::is_symlink(path));
  EXPECT_EQ(folder.Read("other"), "other");
  EXPECT_EQ(folder.Count(), 2);
}

// A file that is useless without another one.
TEST(ReplaceFile, UnfinishedFilesGoWithTheOther) {
  const ScratchFolder folder;
  const auto produce = [](OutputSink& sink) { return sink.Write("new"); };
  for (const bool goes_well : {false, true}) {
    UnfinishedFile data;
    const auto accept = [&](const std::string&) {
      std::string errors;
      const bool written =
          Replaced(folder.Path("data"), {.produce = produce, .unfinished = &data}, errors);
      EXPECT_EQ(folder.Read("data"), "new");
      return written && goes_well;
    };
    std::string errors;
    EXPECT_EQ(Replaced(folder.Path("model"),
                       {.produce = produce, .accept = accept, .completes = {&data}}, errors),
              goes_well);
    data.file.Remove();
    EXPECT_EQ(folder.Count(), goes_well ? 2 : 0);
  }
}

// Output to a device is written at once.
TEST(ReplaceFile, WhatBelongsToAStreamStays) {
  const ScratchFolder folder;
  const auto produce = [](OutputSink& sink) { return sink.Write("new"); };
  std::string errors;
  std::string found;
  {
    UnfinishedFile data;
    EXPECT_TRUE(Replaced(folder.Path("data"), {.produce = produce, .unfinished = &data}, errors));
    const auto write_others = [&](const std::string& path) {
      found = path;
      return true;
    };
    EXPECT_TRUE(Replaced("/dev/null",
                         {.produce = produce, .write_others = write_others, .completes = {&data}},
                         errors));
  }
  EXPECT_EQ(found, "/dev/null");
  EXPECT_EQ(folder.Read("data"), "new");
  const auto refuse = [](const std::string&) { return false; };
  EXPECT_FALSE(Replaced("/dev/null", {.produce = produce, .write_others = refuse}, errors));
}

// Returns the wait status of a process that gets a signal while it writes.
int Interrupt(const std::string& path, int signal, int flock_error) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (flock_error != 0) FailCall(SYS_flock, static_cast<unsigned>(flock_error));
    Diagnostics diagnostics;
    WriteFile(
        path,
        [&](OutputSink& sink) {
          sink.Write("half");
          sink.Flush();
          raise(signal);
          return sink.Write("whole");
        },
        diagnostics);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(ReplaceFile, SignalsLeaveNothing) {
  const ScratchFolder folder;
  const std::string path = folder.Write("list", "old");
  for (const int error : {0, ENOLCK}) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      const int status = Interrupt(path, signal, error);
      ASSERT_TRUE(WIFSIGNALED(status));
      EXPECT_EQ(WTERMSIG(status), signal);
      EXPECT_EQ(folder.Count(), 1);
      EXPECT_EQ(folder.Read("list"), "old");
    }
  }
}

// A process that is forked while a file is written does not remove it when a signal ends it.
TEST(ReplaceFile, SignalsOfOtherProcesses) {
  const ScratchFolder folder;
  Diagnostics diagnostics;
  const bool written = WriteFile(
      folder.Path("list"),
      [&](OutputSink& sink) {
        const pid_t child = fork();
        if (child == 0) {
          raise(SIGTERM);
          _exit(0);
        }
        waitpid(child, nullptr, 0);
        EXPECT_EQ(folder.Count(), 1);
        return sink.Write("new");
      },
      diagnostics);
  EXPECT_TRUE(written) << RenderDiagnostics(diagnostics);
  EXPECT_EQ(folder.Read("list"), "new");
}

// Kills, at random moments, a process that keeps writing.
TEST(ReplaceFile, KillSeries) {
  const ScratchFolder folder;
  const std::string one(20000, '1');
  const std::string two(30000, '2');
  const std::string path = folder.Write("list", one);
  for (int i = 0; i < 200; ++i) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      if (i % 3 == 0) FailCall(SYS_flock, ENOLCK);
      Diagnostics diagnostics;
      for (int j = 0;; ++j) WriteFile(path, j % 2 == 0 ? two : one, diagnostics);
    }
    usleep(static_cast<useconds_t>(300 + 37 * i));
    kill(child, i % 2 == 0 ? SIGINT : SIGTERM);
    waitpid(child, nullptr, 0);
    ASSERT_EQ(folder.Count(), 1) << i;
    const std::string content = folder.Read("list");
    ASSERT_TRUE(content == one || content == two) << "partial after kill " << i;
  }
}

// Signal handlers are replaced only while a file is written.
TEST(ReplaceFile, HandlersStay) {
  const ScratchFolder folder;
  ASSERT_TRUE(WriteText(folder.Path("list"), "new"));
  struct sigaction now = {};
  sigaction(SIGTERM, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  signal(SIGTERM, SIG_IGN);
  Diagnostics diagnostics;
  EXPECT_TRUE(WriteFile(
      folder.Path("list"),
      [](OutputSink& sink) {
        raise(SIGTERM);
        return sink.Write("newer");
      },
      diagnostics));
  signal(SIGTERM, SIG_DFL);
  EXPECT_EQ(folder.Read("list"), "newer");
}

}  // namespace
}  // namespace opledger
