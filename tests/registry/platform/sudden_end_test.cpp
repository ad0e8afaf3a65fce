// Ends without memory, or after a mapped file was truncated.
// SPDX-License-Identifier: Apache-2.0
#include "registry/platform/sudden_end.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "registry/files/files.h"
#include "registry/platform/mapped_files.h"

namespace opledger {
namespace {

TEST(SuddenEnd, RemovesWhatIsBeingWritten) {
  const std::string folder = testing::TempDir() + "sudden_end";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/out";
  EXPECT_EXIT(WriteFile(
                  path,
                  [](OutputSink& sink) {
                    sink.Write("half");
                    sink.Flush();
                    EndSuddenly("out: error: it ends\n");
                    return true;
                  },
                  *new Diagnostics),
              testing::ExitedWithCode(2), "out: error: it ends");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(MappedFiles, NamesFilesThatShrink) {
#if defined(OPLEDGER_ADDRESS_SANITIZER)
  GTEST_SKIP() << "AddressSanitizer handles SIGBUS itself";
#endif
  const std::string path = testing::TempDir() + "shrinks.bin";
  constexpr std::size_t kSize = 1 << 16;
  std::ofstream(path) << std::string(kSize, 'x');
  const auto read_shrunk = [&](bool watched) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    auto* const bytes = static_cast<char*>(mmap(nullptr, kSize, PROT_READ, MAP_PRIVATE, file, 0));
    WatchMapping(bytes, kSize, path);
    if (!watched) UnwatchMapping(bytes);
    if (ftruncate(file, 1) != 0) _exit(3);
    _exit(static_cast<volatile char*>(bytes)[kSize / 2] == 'x' ? 0 : 1);
  };
  EXPECT_EXIT(read_shrunk(true), testing::ExitedWithCode(2),
              "shrinks.bin: error: another program truncated this file while it was being read");
  std::ofstream(path) << std::string(kSize, 'x');
  EXPECT_EXIT(read_shrunk(false), testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace opledger
