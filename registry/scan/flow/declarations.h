// The declarations of namespaces and classes: where each begins, and what it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/scan/flow/code_view.h"

namespace opledger::scan {

struct Declaration {
  enum class Kind {
    kNamespace,  // or extern "C" { }
    kClass,
    kFunction,  // with a body
    kOther
  };
  Kind kind = Kind::kOther;
  int begin = 0;
  int end = 0;
  int name = -1;   // its token; -1: it has none
  int body = -1;   // its '{'
  int scope = -1;  // the '{' of the scope that it stands in; -1: of none
  bool in_class = false;
  bool internal = false;  // in an unnamed namespace

  bool Holds(int at) const { return begin <= at && at < end; }
  bool InBody(const CodeView& view, int at) const {
    return body >= 0 && body < at && at < view.Partner(body);
  }
};

class Declarations {
 public:
  // `is_whole`: a call of this macro is a declaration of its own, even without a ';'.
  explicit Declarations(std::function<bool(std::string_view)> is_whole)
      : is_whole_(std::move(is_whole)) {}

  // The declarations around the token, from the outermost: namespaces, classes, and last what
  // stands in them. Fewer: it stands between declarations.
  std::vector<Declaration> Around(const CodeView& view, int at);

 private:
  bool GivesWhole(const CodeView& view, int at) const;
  int MacrosEnd(const CodeView& view, int at, int limit) const;
  std::vector<Declaration> ReadScope(const CodeView& view, int scope) const;
  const Declaration* Find(const CodeView& view, int scope, int at);

  std::function<bool(std::string_view)> is_whole_;
  std::map<std::pair<const CodeView*, int>, std::vector<Declaration>> scopes_;
};

// Whether the name at `at` is only declared there: `static void f(int);`, `class C;`, or the name
// of a definition.
bool IsOnlyDeclared(const CodeView& view, const Declaration& declaration, int at);

// Whether other files cannot call the function by its name, unless they include this one, and
// neither does code that is not here by the class of an argument (begin, swap, get). No method is.
bool IsInternal(const CodeView& view, const Declaration& function);

// The tokens from `begin` to `end` outside brackets hold this text.
bool HasWord(const CodeView& view, int begin, int end, std::string_view text);

}  // namespace opledger::scan
