// Properties of findings that are derived from their text.
// SPDX-License-Identifier: Apache-2.0
#include "checker/findings/findings.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "registry/platform/run_git.h"

namespace opledger {
namespace {

TEST(IsFromSystem, ErrorsOfTheSystemAndNotOfTheSource) {
  EXPECT_TRUE(IsFromSystem("scan incomplete (file): cannot be read: Input/output error"));
  EXPECT_TRUE(IsFromSystem("cannot be examined: Permission denied"));
  EXPECT_TRUE(IsFromSystem("no worker process could be started: Cannot allocate memory"));
  EXPECT_TRUE(IsFromSystem("needs src/a.cc, which changed during the scan; scan again"));
  for (const int error : {EPROTO, EPIPE, EAGAIN, ETIMEDOUT, EBUSY}) {
    EXPECT_TRUE(IsFromSystem("cannot be read: " + ReadErrorText(error))) << error;
  }
  EXPECT_TRUE(IsFromSystem("scan incomplete (file): the worker ended with status 2"));
  EXPECT_FALSE(IsFromSystem("scan incomplete (file): the worker crashed"));
  EXPECT_FALSE(IsFromSystem("cannot be read: File too large"));
  EXPECT_FALSE(IsFromSystem("cannot be examined: Too many levels of symbolic links"));
  EXPECT_FALSE(IsFromSystem("took more than 60 seconds (--file-seconds)"));
  EXPECT_FALSE(IsFromSystem(""));
}

}  // namespace
}  // namespace opledger
