// Runs a program that answers lines with lines.
//   ChildProcess worker("python3", {"-c", "..."});
//   worker.Say("run 5"); worker.NextLine() -> "ran 1"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace opledger {

class ChildProcess {
 public:
  // `program`: a path, or a name to look up in PATH. Its standard error is passed through.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments);
  // Closes the program's input, which should end it. Kills it if it is inactive for a minute.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends a line. Ends the process if sending fails.
  void Say(const std::string& line);
  // Returns the next line that it writes, without the line end. Returns nullopt if it has ended,
  // could not be started, or was ended (see problem()).
  std::optional<std::string> NextLine();
  // Why the process was ended; empty if it was not.
  const std::string& problem() const { return problem_; }

 private:
  // Ends the process immediately.
  void End(std::string problem);

  int socket_ = -1;
  pid_t process_ = -1;
  std::string problem_;
  std::string read_;  // but not yet returned
};

}  // namespace opledger
