// To find endless includes, repeatedly removes files that include none of the others and files that
// none of the others include. What remains is on a cycle or between two cycles.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/tree/include_graph.h"

#include <algorithm>
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

// Marks in `gone` the files without an edge to a remaining file.
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

IncludeComponents::IncludeComponents(const std::vector<SourceFile>& files)
    : files_(files), order_(files.size(), 0), low_(files.size(), 0), of_(files.size(), -1) {
  for (int file = 0; file < static_cast<int>(files.size()); ++file) {
    if (order_[file] == 0) Visit(file);
  }
}

void IncludeComponents::Enter(int file) {
  order_[file] = low_[file] = ++clock_;
  stack_.push_back(file);
  frames_.push_back({file, 0});
}

void IncludeComponents::Visit(int root) {
  Enter(root);
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const std::vector<int>& includes = files_[frame.file].includes;
    if (frame.next < includes.size()) {
      int other = includes[frame.next++];
      if (order_[other] == 0) {
        Enter(other);
      } else if (of_[other] < 0) {
        low_[frame.file] = std::min(low_[frame.file], order_[other]);
      }
      continue;
    }
    int file = frame.file;
    frames_.pop_back();
    if (!frames_.empty())
      low_[frames_.back().file] = std::min(low_[frames_.back().file], low_[file]);
    if (low_[file] == order_[file]) Close(file);
  }
}

void IncludeComponents::Close(int file) {
  for (;;) {
    int member = stack_.back();
    stack_.pop_back();
    of_[member] = count_;
    if (member == file) break;
  }
  ++count_;
}

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
