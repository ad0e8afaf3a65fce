// One line of progress on a terminal, redrawn at most ten times a second.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace opledger::scan {

class Progress {
 public:
  Progress(bool on, std::string what, std::size_t total)
      : on_(on), what_(std::move(what)), total_(total) {}
  ~Progress();
  void Step();

 private:
  bool on_;
  std::string what_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
};

}  // namespace opledger::scan
