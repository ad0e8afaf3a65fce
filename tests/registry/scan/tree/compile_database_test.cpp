// A compile database is read only for macros and folders, without side effects.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/compile_database.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace opledger::scan {
namespace {

namespace fs = std::filesystem;

// A scratch folder with a compile database.
class CompileDatabaseTest : public testing::Test {
 protected:
  CompileDatabaseTest() {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("opledger-database-" + name + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~CompileDatabaseTest() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  std::optional<CompileDatabase> Read(const std::string& json) {
    Write("compile_commands.json", json);
    return ReadCompileDatabase(DiskSource(), folder_.string(), diagnostics_);
  }
  std::set<std::string> Files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  fs::path folder_;
  Diagnostics diagnostics_;
};

TEST_F(CompileDatabaseTest, ReadsMacrosAndFolders) {
  auto database = Read(R"([{"directory": "/build", "file": "../src/a.cc", "arguments":
      ["c++", "-DA", "-D", "B=2", "-DC=\"x y\"", "-UA", "-I../include", "-I", "/opt/x",
       "-isystem", "gen", "-iquote../quote", "-I/opt/x", "-O2", "-o", "a.o", "../src/a.cc"]}])");
  ASSERT_TRUE(database.has_value()) << RenderDiagnostics(diagnostics_);
  ASSERT_EQ(database->units.size(), 1U);
  EXPECT_EQ(database->units.begin()->first, "/src/a.cc");
  EXPECT_EQ(database->units.begin()->second.defines, (Defines{{"B", "2"}, {"C", "\"x y\""}}));
  EXPECT_EQ(database->include_directories,
            (std::vector<std::string>{"/include", "/opt/x", "/build/gen", "/quote"}));
}

TEST_F(CompileDatabaseTest, SplitsCommandsAsAShellDoes) {
  auto database = Read(R"([{"directory": "/b", "file": "/s/a.cc",
      "command": "c++ -DNAME='\"q\"' \"-I/with space\" -DX=1\\ 2 -c /s/a.cc"}])");
  ASSERT_TRUE(database.has_value());
  EXPECT_EQ(database->units.at("/s/a.cc").defines, (Defines{{"NAME", "\"q\""}, {"X", "1 2"}}));
  EXPECT_EQ(database->include_directories, std::vector<std::string>{"/with space"});
}

TEST_F(CompileDatabaseTest, ReadsResponseFiles) {
  Write("flags.rsp", "-I inc -DFROM_FILE");
  auto database = Read("[{\"directory\": \"" + folder_.string() +
                       "\", \"file\": \"a.cc\", \"command\": \"c++ @flags.rsp -c a.cc\"}]");
  ASSERT_TRUE(database.has_value());
  EXPECT_EQ(database->units.begin()->second.defines, (Defines{{"FROM_FILE", "1"}}));
  EXPECT_EQ(database->include_directories, std::vector<std::string>{folder_.string() + "/inc"});
}

TEST_F(CompileDatabaseTest, ResponseFilesDoNotRecurseForEver) {
  Write("flags.rsp", "-DA @flags.rsp @flags.rsp");
  auto database = Read("[{\"directory\": \"" + folder_.string() +
                       "\", \"file\": \"a.cc\", \"command\": \"c++ @flags.rsp\"}]");
  ASSERT_TRUE(database.has_value());
  EXPECT_EQ(database->units.begin()->second.defines, (Defines{{"A", "1"}}));
}

TEST_F(CompileDatabaseTest, TheFirstEntryOfAFileCounts) {
  auto database = Read(R"([{"directory": "/", "file": "/a.cc", "command": "c++ -DX=1"},
                           {"directory": "/", "file": "/a.cc", "command": "c++ -DX=2"}])");
  ASSERT_TRUE(database.has_value());
  EXPECT_EQ(database->units.at("/a.cc").defines, (Defines{{"X", "1"}}));
}

TEST_F(CompileDatabaseTest, RefusesOtherFiles) {
  EXPECT_FALSE(Read("{}").has_value());
  EXPECT_FALSE(Read("[{\"file\": \"a.cc\"}]").has_value());
  EXPECT_FALSE(Read("[{\"directory\": \"/\", \"file\": \"a\", \"comand\": \"\"}]").has_value());
  EXPECT_NE(RenderDiagnostics(diagnostics_).find("an entry has no command"), std::string::npos);
}

// Flags that would make a compiler write files, load plug-ins or run programs.
constexpr const char* kHostile[] = {"-fplugin=evil.so",
                                    "-Xclang -load -Xclang evil.so",
                                    "-fpass-plugin=evil.so",
                                    "-mllvm -load=evil.so",
                                    "--serialize-diagnostics out.dia",
                                    "-Xclang -stats-file=out.stats",
                                    "-dependency-dot out.dot",
                                    "-dependency-file out.d",
                                    "-header-include-file out.h",
                                    "-diagnostic-log-file out.log",
                                    "-MD -MF out.d",
                                    "-MMD -MJ out.json",
                                    "-o out.o",
                                    "-save-temps",
                                    "-save-temps=obj",
                                    "-ftime-trace",
                                    "-ftime-trace=out.trace",
                                    "-fcrash-diagnostics-dir=out",
                                    "-fprofile-generate=out",
                                    "-fprofile-instr-generate=out.profraw",
                                    "-fmodules-cache-path=out",
                                    "-fmodules -fmodule-output=out.pcm",
                                    "-emit-pch -o out.pch",
                                    "-x c++-header -o out.gch",
                                    "-fuse-ld=./evil",
                                    "-B./evil",
                                    "--gcc-toolchain=./evil",
                                    "-specs=evil.specs",
                                    "-wrapper ./evil",
                                    "-Wl,-plugin,evil.so",
                                    "-Wp,-MD,out.d",
                                    "-Wa,-o,out.o",
                                    "-fopenmp-targets=x",
                                    "-cc1 -o out.o",
                                    "--config=evil.cfg",
                                    "--config evil.cfg",
                                    "-include evil.h",
                                    "-imacros evil.h",
                                    "-include-pch evil.pch",
                                    "-fmodule-map-file=evil.map",
                                    "-ivfsoverlay evil.yaml",
                                    "-working-directory=/etc",
                                    "-resource-dir=./evil",
                                    "--sysroot=./evil",
                                    "-isysroot ./evil",
                                    "-frewrite-map-file=evil",
                                    "-fsanitize-ignorelist=evil",
                                    "-fdump-record-layouts",
                                    "-fdebug-compilation-dir=x",
                                    "-foptimization-record-file=out.yaml",
                                    "-fsave-optimization-record",
                                    "-dumpdir out",
                                    "-aux-info out.txt",
                                    "-fdump-tree-all",
                                    "-print-prog-name=sh",
                                    "-###",
                                    "@/etc/passwd",
                                    "@/dev/zero",
                                    "-index-store-path out",
                                    "-gen-cdb-fragment-path out",
                                    "-sarif-log-path out.sarif",
                                    "; touch out",
                                    "$(touch out)",
                                    "`touch out`",
                                    "| sh"};

// Reading them has no effect: no part of a command line is passed on.
TEST_F(CompileDatabaseTest, HostileFlagsDoNothing) {
  ASSERT_GE(std::size(kHostile), 60U);
  for (const char* flags : kHostile) {
    Diagnostics diagnostics;
    Write("compile_commands.json", "[{\"directory\": \"" + folder_.string() +
                                       "\", \"file\": \"a.cc\", \"command\": \"c++ -DKEPT " +
                                       std::string(flags) + " a.cc\"}]");
    auto database = ReadCompileDatabase(DiskSource(), folder_.string(), diagnostics);
    ASSERT_TRUE(database.has_value()) << flags;
    EXPECT_EQ(database->units.begin()->second.defines, (Defines{{"KEPT", "1"}})) << flags;
    EXPECT_EQ(Files(), (std::set<std::string>{"compile_commands.json"})) << flags;
  }
}

}  // namespace
}  // namespace opledger::scan
