// Finding and reading opledger.json. Malformed ones are in malformed_test.cpp.
// SPDX-License-Identifier: Apache-2.0
#include "registry/project/project.h"

#include <gtest/gtest.h>

#include "tests/registry/scratch_folder.h"

namespace opledger {
namespace {

TEST(ProjectFile, Fields) {
  const ScratchFolder folder;
  // clang-format off
  const std::string path = folder.Write("opledger.json", R"json({
  "$schema": "x", "dialect": "ci/dialect.json", "sources": ["src/**"], "exclude": ["src/old/**"],
  "include_directories": ["include"],
  "configurations": {"gpu": {"USE_CUDA": 1, "VERSION": "201703L", "$comment": "CI",
    "undefined": ["USE_ROCM", "HAS_X()"]}, "cpu": {}, "$comment": 1},
  "default_configuration": "gpu", "lists": ["lists/a.json", "b.json"],
  "severities": {"stale-entry": "off", "near-miss-name": "warning"},
  "ignore": [{"rule": "stale-entry", "operator": "_contrib_*", "path": "src/x/**",
              "reason": "moves in May"}],
  "guidelines": "First.\n\nThird."
})json");
  // clang-format on
  Diagnostics diagnostics;
  const std::optional<ProjectFile> project = ReadProjectFile(DiskSource(), path, diagnostics);
  ASSERT_TRUE(project) << RenderDiagnostics(diagnostics);
  EXPECT_EQ(project->path, path);
  EXPECT_EQ(project->directory, folder.Path());
  EXPECT_EQ(project->dialect, "ci/dialect.json");
  EXPECT_EQ(project->sources, std::vector<std::string>{"src/**"});
  EXPECT_EQ(project->exclude, std::vector<std::string>{"src/old/**"});
  EXPECT_EQ(project->include_directories, std::vector<std::string>{"include"});
  EXPECT_EQ(project->configurations.at("gpu"),
            (Configuration{{{"USE_CUDA", "1"}, {"VERSION", "201703L"}}, {"HAS_X()", "USE_ROCM"}}));
  EXPECT_EQ(project->configurations.at("cpu"), Configuration());
  EXPECT_EQ(project->default_configuration, "gpu");
  EXPECT_EQ(project->lists, (std::vector<std::string>{"lists/a.json", "b.json"}));
  EXPECT_EQ(project->severities.at("stale-entry"), "off");
  EXPECT_EQ(project->severity_locations.at("near-miss-name"), (Location{path, 7, 40, 7, 56}));
  ASSERT_EQ(project->ignore.size(), 1u);
  EXPECT_EQ(project->ignore[0].rule, "stale-entry");
  EXPECT_EQ(project->ignore[0].op, "_contrib_*");
  EXPECT_EQ(project->ignore[0].path, "src/x/**");
  EXPECT_EQ(project->ignore[0].reason, "moves in May");
  EXPECT_EQ(project->ignore[0].location, (Location{path, 8, 14, 9, 40}));
  EXPECT_EQ(project->guidelines, (std::vector<std::string>{"First.", "", "Third."}));
}

TEST(ProjectFile, EmptyIsEnough) {
  const ScratchFolder folder;
  Diagnostics diagnostics;
  const std::string path = folder.Write("opledger.json", R"({"guidelines": ["a", "b"]})");
  const std::optional<ProjectFile> project = ReadProjectFile(DiskSource(), path, diagnostics);
  ASSERT_TRUE(project) << RenderDiagnostics(diagnostics);
  EXPECT_TRUE(project->lists.empty());
  EXPECT_EQ(project->guidelines.size(), 2u);
}

TEST(FindProjectFile, TheNearestUpwards) {
  const ScratchFolder folder;
  const auto find = [&](const std::string& path) {
    return FindProjectFile(DiskSource(), folder.Path(path));
  };
  folder.Write("opledger.json", "{}");
  folder.Write("repo/sub/deep/f", "");
  EXPECT_EQ(find("repo/sub/deep"), "") << "outside of a repository, no parent folder is searched";
  EXPECT_EQ(find("."), folder.Path("opledger.json"));
  folder.Write(".git/HEAD", "");
  EXPECT_EQ(find("repo/sub/deep"), folder.Path("opledger.json"));
  EXPECT_EQ(find("repo/sub/deep/"), folder.Path("opledger.json"));
  EXPECT_EQ(find("repo/sub/../sub"), folder.Path("opledger.json"));
  folder.Write("repo/opledger.json", "{}");
  EXPECT_EQ(find("repo/sub/deep"), folder.Path("repo/opledger.json"));
  EXPECT_EQ(FindProjectFile(DiskSource(folder.Path("repo/sub")), "deep"),
            folder.Path("repo/opledger.json"));
}

TEST(FindProjectFile, StopsAtTheRepositorysRoot) {
  const ScratchFolder folder;
  folder.Write("opledger.json", "{}");
  folder.Write("repo/sub/f", "");
  folder.Write("repo/.git/HEAD", "");
  EXPECT_EQ(FindProjectFile(DiskSource(), folder.Path("repo/sub")), "");
  EXPECT_EQ(FindProjectFile(DiskSource(), folder.Path("repo")), "");
  folder.Write("repo/opledger.json", "{}");
  EXPECT_EQ(FindProjectFile(DiskSource(), folder.Path("repo/sub")),
            folder.Path("repo/opledger.json"));
  // In a worktree and in a submodule, .git is a file.
  folder.Write("tree/.git", "gitdir: elsewhere");
  EXPECT_EQ(FindProjectFile(DiskSource(), folder.Path("tree")), "");
  EXPECT_EQ(FindProjectFile(DiskSource(), "/"), "");
}

}  // namespace
}  // namespace opledger
