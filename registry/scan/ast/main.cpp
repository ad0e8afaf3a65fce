// opledger-scan-ast: evaluates the names of the records in one preprocessed translation unit.
// opledger-scan runs it if a name is not a constant.
// Input: seconds, number of records, whether other files include the unit, and the text, in the
// format of registry/text/bytes.h.
// Output: for each record, whether all names are known, their number, the names, and the reason.
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "registry/platform/sandbox.h"
#include "registry/scan/ast/ast.h"
#include "registry/text/bytes.h"

#if defined(OPLEDGER_ADDRESS_SANITIZER)
// As in worker_process.cpp: LLVM's archives do not maintain the poisoning that its headers expect.
extern "C" const char* __asan_default_options() { return "allow_user_poisoning=0"; }
#endif

namespace {

// Returns an empty string if the input cannot be read to its end.
std::string ReadAll() {
  std::string all;
  char chunk[1 << 16];
  for (ssize_t got = 1; got != 0;) {
    got = read(STDIN_FILENO, chunk, sizeof chunk);
    if (got < 0 && errno != EINTR) return {};
    if (got > 0) all.append(chunk, static_cast<std::size_t>(got));
  }
  return all;
}

void Limit(rlim_t seconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit time{seconds, seconds + 1};
  setrlimit(RLIMIT_CPU, &time);
  alarm(static_cast<unsigned>(4 * seconds));  // wall-clock limit, for time spent waiting
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

// Returns the line of the text that has the record, from 1, or 0 if no line has it.
int LineOf(const std::string& text, int number) {
  const std::string begin = "(" + std::to_string(number) + ",";
  const std::size_t at = std::min(text.find("__opledger_record" + begin),
                                  text.find("__opledger_record_value" + begin));
  if (at == std::string::npos) return 0;
  int line = 1;
  for (std::size_t i = 0; i < at; ++i) line += text[i] == '\n';
  return line;
}

// "; not declared: a, b and 3 more"
std::string Undeclared(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    text += (i == 0 ? "; not declared: " : ", ") + names[i];
  }
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

}  // namespace

int main() {
  const std::string input = ReadAll();
  opledger::EnterSandbox({});  // standard output is already open and needs no permission
  opledger::ByteReader in(input);
  const std::uint64_t seconds = in.Number();
  const std::uint64_t records = in.Number();
  const bool included = in.Number() != 0;
  const std::string text(in.Text());
  if (!in.AtEnd()) return 2;
  Limit(seconds);
  opledger::ByteWriter out;
  opledger::scan::ast::Parse(
      text, [&](clang::ASTContext& context, const opledger::scan::ast::Errors& errors) {
        std::map<int, opledger::scan::ast::Names> found;
        if (errors.fatal.empty()) found = opledger::scan::ast::FindNames(context, errors, included);
        for (std::uint64_t number = 0; number < records; ++number) {
          opledger::scan::ast::Names& names = found[static_cast<int>(number)];
          auto error = errors.by_line.find(LineOf(text, static_cast<int>(number)));
          if (!errors.fatal.empty()) {
            names.unknown = errors.fatal;
          } else if (error != errors.by_line.end() &&
                     (names.values.empty() || !names.unknown.empty())) {
            names.unknown = error->second;
          } else if (names.values.empty() && names.unknown.empty() && !names.passed) {
            names.unknown =
                "it is in code that does not compile here, or in a template that is not used here";
          }
          if (!names.unknown.empty()) {
            const bool broken = names.unknown.find("not compile") != std::string::npos;
            if (broken && !errors.first.empty()) names.unknown += ": " + errors.first;
            names.unknown += Undeclared(errors.undeclared);
          }
          out.Number(names.unknown.empty());
          out.Number(names.values.size());
          for (const std::string& value : names.values) out.Text(value);
          out.Text(names.unknown);
        }
      });
  const std::string answer = out.Take();
  std::fwrite(answer.data(), 1, answer.size(), stdout);
  std::fflush(stdout);
  std::_Exit(0);
}
