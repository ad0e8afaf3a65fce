// What a macro's body says: the names it uses, and those it may paste together.
//   #define OP(a) REGISTER(a##_op) DOC   ->   identifiers REGISTER, DOC; pastes {"", "_op"}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "registry/scan/lex/raw_lexer.h"

namespace opledger::scan {

// A list of names without repetitions: as a rule a handful.
class Names {
 public:
  bool Contains(const std::string& name) const;
  void Add(const std::string& name);
  std::vector<std::string> Take() { return std::move(all_); }

 private:
  static constexpr std::size_t kFew = 32;

  std::vector<std::string> all_;
  std::unordered_set<std::string> set_;
};

class BodyReader {
 public:
  BodyReader(RawLexer& lexer, MacroDefinition& macro) : lexer_(lexer), macro_(macro) {}

  void AddParameter(const std::string& name) { parameters_.Add(name); }
  // The tokens of the body, in their order.
  void Add(const RawToken& token);
  // After the last one: fills in the macro.
  void Finish();

 private:
  void FinishChain();

  RawLexer& lexer_;
  MacroDefinition& macro_;
  Names parameters_;
  Names used_;
  std::vector<std::string> chain_;  // pieces joined by ##; "" = a parameter
  bool pasting_ = false;
};

}  // namespace opledger::scan
