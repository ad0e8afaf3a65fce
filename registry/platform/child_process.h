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

  // Sends a line. A process that it cannot be sent to is ended.
  void Say(const std::string& line);
  // The next line that it writes, without its end. Returns nullopt if it has ended, could not be
  // started, or was ended (problem()).
  std::optional<std::string> NextLine();
  // Why it was ended; empty: it was not.
  const std::string& problem() const { return problem_; }

 private:
  // At once, and for good.
  void End(std::string problem);

  int socket_ = -1;
  pid_t process_ = -1;
  std::string problem_;
  std::string read_;  // and not yet given
};

}  // namespace opledger
