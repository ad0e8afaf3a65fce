// A program that answers lines with lines, as long as it is held.
//   ChildProcess worker("python3", {"-c", "..."}); worker.Say("run 5"); worker.NextLine() -> "ran
//   1"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace opledger {

class ChildProcess {
 public:
  // `program`: a path, or a name to be found in PATH. What it says on standard error passes
  // through.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments);
  // Its input ends, which is to end it; one that goes on for a minute without working is killed.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  void Say(const std::string& line);
  // Without its end; none: it has ended, could not be started, or is silent().
  std::optional<std::string> NextLine();
  // It neither answered nor worked for a minute, and was ended; or its line has no end.
  bool silent() const { return silent_; }

 private:
  int socket_ = -1;
  void End();

  pid_t process_ = -1;
  bool silent_ = false;
  std::string read_;  // and not yet given
};

}  // namespace opledger
