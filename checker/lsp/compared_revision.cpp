// Checking a revision only scans what changed since then. Its own findings are not shown.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/compared_revision.h"

#include <utility>

#include "registry/files/sha256.h"
#include "registry/platform/run_git.h"
#include "registry/project/project.h"

namespace opledger {
namespace {

// Returns --against, otherwise the upstream branch or HEAD; "" if there is nothing to compare with.
std::string NameOfBase(const CheckOptions& options, const Project& project) {
  if (options.against == "none") return {};
  if (!options.against.empty()) return options.against;
  const std::string& root = project.root();
  const Source disk = DiskSource(root);
  if (!IsRepository(disk, FoldersUpwards(disk, root).back())) return {};
  const std::string upstream = FindUpstream(root);
  return upstream.empty() ? "HEAD" : upstream;
}

// The settings that a commit lacks are today's, so they are part of the key.
std::string SettingsText(const Project& project) {
  const std::optional<ProjectFile>& file = project.file();
  if (!file) return {};
  return project.source().Read(file->path, std::size_t{1} << 24U, Reach::kBelow).value_or("");
}

}  // namespace

std::shared_ptr<const ComparedRevision> FindComparedRevision(
    const CheckOptions& options, const Project& project,
    const std::shared_ptr<const ComparedRevision>& last, Diagnostics& diagnostics) {
  ForgetGitTrouble();
  Diagnostics unsaid;
  Diagnostics& problems = options.against.empty() ? unsaid : diagnostics;
  const std::string asked = NameOfBase(options, project);
  if (asked.empty()) return nullptr;
  const auto base = FindMergeBase(project.root(), asked, problems);
  const auto tree = base ? FindTree(project.root(), *base, problems) : std::nullopt;
  if (!tree) return nullptr;
  std::string name = Sha256Hex(*tree + options.dialect + SettingsText(project));
  const bool same = last != nullptr && last->name == name;
  if (same && (last->check == nullptr || last->check->of_today.empty())) return last;
  auto found = std::make_shared<ComparedRevision>();
  found->name = std::move(name);
  found->check = CheckRevision(*base, options, project, problems);
  if (found->check != nullptr && !found->check->problems.all().empty()) found->check.reset();
  return found;
}

}  // namespace opledger
