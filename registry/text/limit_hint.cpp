// Recognizes limits by the end of a message, which is the system's text for an errno.
// SPDX-License-Identifier: Apache-2.0
#include "registry/text/limit_hint.h"

#include <cerrno>
#include <cstring>

namespace opledger {
namespace {

struct Limit {
  int error;
  std::string_view begin;  // start of the message, if the error can have other reasons
  const char* hint;
};

constexpr Limit kLimits[] = {
    {EMFILE, "", "raise the limit of open files: ulimit -n"},
    {EFBIG, "cannot write", "raise the limit of file sizes: ulimit -f"},
    {EAGAIN, "cannot start", "raise the limit of processes: ulimit -u"},
    {EAGAIN, "no worker process", "raise the limit of processes: ulimit -u"},
    {ENOMEM, "", "raise the limit of memory: ulimit -v"},
};

}  // namespace

std::string LimitHint(std::string_view message) {
  for (const Limit& limit : kLimits) {
    if (message.starts_with(limit.begin) && message.ends_with(std::strerror(limit.error))) {
      return limit.hint;
    }
  }
  return {};
}

}  // namespace opledger
