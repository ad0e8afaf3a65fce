// The graph of #includes: which files include each other, directly or indirectly, and which include
// each other endlessly, so that no compiler can read them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "registry/scan/tree/tree.h"

namespace opledger::scan {

// Strongly connected components of the include graph, by Tarjan's algorithm without recursion. The
// number of a component is greater than those of all components it reaches.
class IncludeComponents {
 public:
  explicit IncludeComponents(const std::vector<SourceFile>& files);
  std::vector<int> Take() { return std::move(of_); }
  int count() const { return count_; }

 private:
  struct Frame {
    int file;
    std::size_t next;
  };

  void Enter(int file);
  void Visit(int root);
  void Close(int file);

  const std::vector<SourceFile>& files_;
  std::vector<int> order_;
  std::vector<int> low_;
  std::vector<int> of_;
  std::vector<int> stack_;
  std::vector<Frame> frames_;
  int clock_ = 0;
  int count_ = 0;
};

// Returns, in ascending order, the files on an include cycle without conditions and include guards.
std::vector<int> EndlessIncludes(const SourceTree& tree);

}  // namespace opledger::scan
