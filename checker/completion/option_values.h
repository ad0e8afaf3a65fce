// What options take, for shells that complete it: by what help calls it.
//   FMT[=FILE] -> a format, or a format, '=' and a file
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/platform/command_line.h"

namespace opledger {

// How what an option takes is completed.
enum class ValueSource {
  kNothing,     // free text, a number
  kWords,       // one of `words`
  kFile,        // files; `words` too
  kFolder,      // folders only
  kCommas,      // words with commas between them
  kPair,        // WORD=VALUE, the values in `values`
  kWordOrFile,  // WORD or WORD=FILE
  kNamedFile,   // ANYTHING=FILE
  kOperator,    // names of operators, which the program is asked for (`completion operators`)
  kRevision,    // branches and tags of git; files too
};

struct OptionValue {
  ValueSource source = ValueSource::kNothing;
  std::vector<std::string> words;
  std::vector<std::string> values;
};

// How the value of an option is completed: its choices, else by what help calls it ("FILE").
// Of one that nobody knows nothing is.
OptionValue ValueOf(const OptionSyntax& option);

}  // namespace opledger
