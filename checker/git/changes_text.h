// `opledger diff` as people read it.
//   + hard_swish  src/activation.cc:8:35
//   ~ softmax  float16: fp32 -> target
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checker/git/changes.h"

namespace opledger {

std::string ChangesText(const Changes& changes);
std::string ChangesMarkdown(const Changes& changes);  // for a comment on a pull request

}  // namespace opledger
