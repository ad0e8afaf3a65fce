// Measures how long each part of a check took, for --statistics.
//   PhaseTimes times; Scan(); times.End("operators"); RunRules(); times.End("rules");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace opledger {

struct Phase {
  std::string name;
  double milliseconds = 0;  // wall-clock time, including child processes
};

class PhaseTimes {
 public:
  // Adds the time since the previous End(), or since construction, as `name`.
  void End(std::string name) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> passed = now - last_;
    phases_.push_back({std::move(name), passed.count()});
    last_ = now;
  }

  const std::vector<Phase>& phases() const { return phases_; }

 private:
  std::vector<Phase> phases_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace opledger
