// Tarjan's algorithm, without recursion.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/macros/include_components.h"

#include <algorithm>

namespace opledger::scan {

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

}  // namespace opledger::scan
