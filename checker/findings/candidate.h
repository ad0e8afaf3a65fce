// A policy that an operator without one may want, with what speaks for it.
//   fp32, 0.93: 8 of the 10 operators most like it; 6 of 7 with 'exp' in their names
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/precision_list/policy.h"

namespace opledger {

// One observation: of `of` classified operators that share it, `agreeing` have the policy.
struct Support {
  std::string clue;   // kind of clue: "word", "inputs", "alike"
  std::string value;  // "exp"; may be empty
  int agreeing = 0;
  int of = 0;
  bool elsewhere = false;  // counted in shipped lists, since this list has none
  double weight = 0;       // natural logarithm of the odds that it adds to those of the policy
  std::string text;        // "6 of 7 with 'exp' in their names"
};

struct Candidate {
  Policy policy = Policy::kFp32;
  double probability = 0;
  std::vector<Support> support;  // the heaviest first
};

}  // namespace opledger
