// Operations that a process cannot perform in the sandbox, entered as the programs do: each test's
// child tries them and reports in its exit status. Tests that the kernel does not support are
// skipped and named.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>

#include "registry/files/files.h"
#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string kernel = SandboxOfKernel();
    if (!kernel.starts_with("Landlock")) GTEST_SKIP() << "this kernel has no Landlock: " << kernel;
#if defined(OPLEDGER_ADDRESS_SANITIZER)
    GTEST_SKIP() << "the sandbox has no seccomp if built with AddressSanitizer";
#endif
    if (!kernel.ends_with("seccomp")) GTEST_SKIP() << "this kernel has no seccomp: " << kernel;
    model_ = folder_.Write("model/m.onnx", "model");
    data_ = folder_.Write("model/data.bin", "data");
    secret_ = folder_.Write("elsewhere/secret", "secret");
    std::filesystem::create_symlink("../elsewhere/secret", folder_.Path("model/link"));
    facts_ = folder_.Write("cache/scan/a.pack", "facts");
    notes_ = folder_.Write("work/notes", "notes");
    std::filesystem::create_directory(folder_.Path("out"));
  }

  // Returns the result of `tries`, run by a child in the sandbox; empty if everything is as
  // expected.
  std::string Within(const Sandbox& sandbox, const std::function<std::string()>& tries) const {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      EnterSandbox(sandbox);
      const std::string said = tries();
      _exit(write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string said(4096, '\0');
    const ssize_t size = read(ends[0], said.data(), said.size());
    close(ends[0]);
    said.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0 ? said : said + " (status " + std::to_string(status) + ")";
  }

  // As opledger-convert and opledger-run do, in a separate working folder.
  Sandbox OfPrograms() const {
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder_.Path("work"));
    Sandbox sandbox = SandboxOf({model_, folder_.Path("out/made.onnx")},
                                {folder_.Path("out/made.onnx")}, folder_.Path("cache/kernels"));
    std::filesystem::current_path(before);
    return sandbox;
  }

  ScratchFolder folder_;
  std::string model_;
  std::string data_;
  std::string secret_;
  std::string facts_;  // another program's
  std::string notes_;  // in the current folder
};

std::string Opens(const std::string& path, int how) {
  const int file = open(path.c_str(), how, 0600);
  const int error = errno;
  if (file >= 0) close(file);
  return file >= 0 ? "opened" : error == EACCES || error == EPERM ? "denied" : "failed";
}

// Returns "" if it is as expected.
std::string Expect(const std::string& what, const std::string& found, const std::string& wanted) {
  return found == wanted ? "" : what + ": " + found + ", not " + wanted + "; ";
}

// Operations that are denied to every program that reads files.
std::string TriesPrograms() {
  std::string said =
      Expect("socket", socket(AF_INET, SOCK_STREAM, 0) < 0 ? "denied" : "made", "denied");
  said += Expect("local socket", socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? "denied" : "made", "denied");
  const pid_t child = fork();
  if (child == 0) _exit(0);
  said += Expect("fork", child < 0 ? "denied" : "made", "denied");
  char program[] = "/bin/true";
  char* const words[] = {program, nullptr};
  execv(program, words);  // otherwise the exit status would be 0
  return said + Expect("exec", errno == EPERM || errno == EACCES ? "denied" : "failed", "denied") +
         "done";
}

TEST_F(SandboxTest, ReadersOfModelsKeepToTheirFolders) {
  const std::string said = Within(OfPrograms(), [&] {
    return Expect("model", Opens(model_, O_RDONLY), "opened") +
           Expect("data", Opens(data_, O_RDONLY), "opened") +
           Expect("secret", Opens(secret_, O_RDONLY), "denied") +
           Expect("link", Opens(folder_.Path("model/link"), O_RDONLY), "denied") +
           Expect("passwd", Opens("/etc/passwd", O_RDONLY), "denied") +
           Expect("current folder", Opens(notes_, O_RDONLY), "denied") +
           Expect("the scan's cache", Opens(facts_, O_RDONLY), "denied") +
           Expect("write there", Opens(folder_.Path("cache/scan/new"), O_WRONLY | O_CREAT),
                  "denied") +
           Expect("write model", Opens(model_, O_WRONLY), "denied") +
           Expect("write beside it", Opens(folder_.Path("model/new"), O_WRONLY | O_CREAT),
                  "denied") +
           Expect("write here", Opens(folder_.Path("work/new"), O_WRONLY | O_CREAT), "denied") +
           Expect("write elsewhere", Opens(folder_.Path("elsewhere/new"), O_WRONLY | O_CREAT),
                  "denied") +
           Expect("remove", unlink(secret_.c_str()) != 0 ? "denied" : "removed", "denied") +
           Expect("output", Opens(folder_.Path("out/made.onnx"), O_WRONLY | O_CREAT), "opened") +
           Expect("cache", Opens(folder_.Path("cache/kernels/kept"), O_WRONLY | O_CREAT),
                  "opened") +
           "done";
  });
  EXPECT_EQ(said, "done");
  EXPECT_EQ(Within(OfPrograms(), TriesPrograms), "done");
  // Outputs are written as usual.
  EXPECT_EQ(Within(OfPrograms(),
                   [&] {
                     Diagnostics diagnostics;
                     WriteFile(folder_.Path("out/made.onnx"), "made", diagnostics);
                     return RenderDiagnostics(diagnostics) + "done";
                   }),
            "done");
  EXPECT_EQ(folder_.Read("out/made.onnx"), "made");
}

TEST_F(SandboxTest, WorkersOfTheScannerWriteNothing) {
  const Sandbox worker = {{folder_.Path("model")}, {}};
  EXPECT_EQ(Within(worker,
                   [&] {
                     return Expect("source", Opens(model_, O_RDONLY), "opened") +
                            Expect("secret", Opens(secret_, O_RDONLY), "denied") +
                            Expect("link", Opens(folder_.Path("model/link"), O_RDONLY), "denied") +
                            Expect("write source", Opens(model_, O_WRONLY), "denied") +
                            Expect("write beside it",
                                   Opens(folder_.Path("model/new"), O_WRONLY | O_CREAT), "denied") +
                            Expect("truncate", truncate(model_.c_str(), 0) != 0 ? "denied" : "done",
                                   "denied") +
                            "done";
                   }),
            "done");
  EXPECT_EQ(Within(worker, TriesPrograms), "done");
  EXPECT_EQ(folder_.Read("model/m.onnx"), "model");
}

// opledger-scan-ast, which reads only its standard input.
TEST_F(SandboxTest, NothingIsReadWhereNothingIsNamed) {
  EXPECT_EQ(Within({},
                   [&] {
                     return Expect("source", Opens(model_, O_RDONLY), "denied") +
                            Expect("null", Opens("/dev/null", O_WRONLY), "denied") + "done";
                   }),
            "done");
  EXPECT_EQ(Within({}, TriesPrograms), "done");
}

TEST_F(SandboxTest, OfTheCurrentFolderWhatIsNamed) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.Path("work"));
  const Sandbox named = SandboxOf({"notes"}, {}, {});
  const Sandbox as_part = SandboxOf({"x=notes"}, {}, {});
  std::filesystem::current_path(before);
  for (const Sandbox& sandbox : {named, as_part}) {
    EXPECT_EQ(Within(sandbox, [&] { return Opens(notes_, O_RDONLY); }), "opened");
    EXPECT_EQ(Within(sandbox, [&] { return Opens(model_, O_RDONLY); }), "denied");
  }
}

// convert --verify: the program executed next is in the same sandbox, and cannot start others.
TEST_F(SandboxTest, ProgramsThatItBecomesAreInIt) {
  Sandbox sandbox = OfPrograms();
  sandbox.becomes_program = true;
  for (const char* folder : {"/usr", "/lib", "/lib64", "/bin"}) sandbox.read.emplace_back(folder);
  const std::string command = "read x <" + model_ + " || [ -n \"$x\" ] || exit 3; " +
                              "read y 2>/dev/null <" + secret_ + " && exit 4; " +
                              "echo x 2>/dev/null >" + secret_ + " && exit 5; exit 0";
  EXPECT_EQ(Within(sandbox,
                   [&] {
                     if (fork() >= 0) return std::string("forked");
                     if (socket(AF_INET, SOCK_STREAM, 0) >= 0) return std::string("connected");
                     execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
                     return std::string("not started");
                   }),
            "");
  EXPECT_EQ(folder_.Read("elsewhere/secret"), "secret");
}

}  // namespace
}  // namespace opledger
