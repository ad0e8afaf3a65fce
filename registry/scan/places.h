// Where tokens come from: the file, line and column a reader would point at, and the condition
// under which the token is there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "clang/Basic/SourceLocation.h"
#include "registry/scan/match.h"

namespace opledger::scan {

class Places {
 public:
  Places(clang::Preprocessor& preprocessor, const MatchContext& context)
      : preprocessor_(preprocessor), context_(context) {}

  // The token as written in a file: an argument where it was typed, anything a macro makes at the
  // outermost call.
  Location Written(clang::SourceLocation location);
  // The name of the outermost macro called at `location`, or of the token itself.
  Location Call(clang::SourceLocation location, std::string& macro);
  // The #ifs around the token, around the definitions of the macros it came through, and the
  // build system's conditions on its file.
  Condition When(clang::SourceLocation location);

 private:
  std::optional<int> FileOf(clang::FileID file);
  Location At(clang::SourceLocation location);  // a location in a file
  Condition StackAt(clang::SourceLocation location);
  Condition DefinitionOf(clang::SourceLocation macro_name);
  Condition PathCondition(int file);

  clang::Preprocessor& preprocessor_;
  const MatchContext& context_;
  std::map<unsigned, std::optional<int>> files_;
  std::map<std::pair<int, int>, Condition> stacks_;
};

}  // namespace opledger::scan
