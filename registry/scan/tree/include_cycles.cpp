// What is left after taking away, again and again, files that include none of the others and files
// that none of the others include, lies on a circle or between two.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/include_cycles.h"

#include <unordered_map>

namespace opledger::scan {
namespace {

using Edges = std::unordered_map<int, std::vector<int>>;

bool Always(const Outline& outline, int branch) {
  return branch == kNoBranch || outline.StackCondition(branch).IsAlways();
}

Edges UnguardedIncludes(const std::vector<SourceFile>& files) {
  Edges edges;
  for (int file = 0; file < static_cast<int>(files.size()); ++file) {
    const Outline& outline = files[file].outline;
    if (outline.guarded) continue;
    for (std::size_t i = 0; i < files[file].include_files.size(); ++i) {
      int other = files[file].include_files[i];
      if (other < 0 || files[other].outline.guarded) continue;
      if (Always(outline, outline.includes[i].branch)) edges[file].push_back(other);
    }
  }
  return edges;
}

Edges Reversed(const Edges& edges) {
  Edges reversed;
  for (const auto& [from, all] : edges) {
    for (int to : all) reversed[to].push_back(from);
  }
  return reversed;
}

// Marks in `gone` the files from which no edge leads to one that is left.
void TakeAway(const Edges& edges, const Edges& reversed, std::vector<bool>& gone) {
  std::vector<std::size_t> left(gone.size());
  std::vector<int> waiting;
  for (int file = 0; file < static_cast<int>(gone.size()); ++file) {
    if (auto found = edges.find(file); found != edges.end()) {
      for (int other : found->second) left[file] += !gone[other];
    }
    if (left[file] == 0) waiting.push_back(file);
  }
  while (!waiting.empty()) {
    int file = waiting.back();
    waiting.pop_back();
    if (gone[file]) continue;
    gone[file] = true;
    auto found = reversed.find(file);
    if (found == reversed.end()) continue;
    for (int other : found->second) {
      if (!gone[other] && --left[other] == 0) waiting.push_back(other);
    }
  }
}

}  // namespace

std::vector<int> EndlessIncludes(const SourceTree& tree) {
  Edges edges = UnguardedIncludes(tree.files());
  std::vector<int> endless;
  if (edges.empty()) return endless;
  Edges reversed = Reversed(edges);
  std::vector<bool> gone(tree.files().size());
  TakeAway(edges, reversed, gone);
  TakeAway(reversed, edges, gone);
  for (int file = 0; file < static_cast<int>(gone.size()); ++file) {
    if (!gone[file]) endless.push_back(file);
  }
  return endless;
}

}  // namespace opledger::scan
