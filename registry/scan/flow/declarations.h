// Finds the declarations of namespaces and classes: their extent and kind.
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
  int name = -1;   // its token, or -1 if it has no name
  int body = -1;   // its '{', or -1
  int scope = -1;  // the '{' of the scope around it, or -1
  bool in_class = false;
  bool internal = false;  // in an unnamed namespace

  bool Holds(int at) const { return begin <= at && at < end; }
  bool InBody(const CodeView& view, int at) const {
    return body >= 0 && body < at && at < view.Partner(body);
  }
};

class Declarations {
 public:
  // `is_whole`: returns whether a call of this macro is a declaration of its own, even without a
  // ';'.
  explicit Declarations(std::function<bool(std::string_view)> is_whole)
      : is_whole_(std::move(is_whole)) {}

  // Returns the declarations around the token, outermost first: namespaces, classes, and last the
  // declaration in them. The last is missing if the token is between declarations.
  std::vector<Declaration> Around(const CodeView& view, int at);

 private:
  bool GivesWhole(const CodeView& view, int at) const;
  int MacrosEnd(const CodeView& view, int at, int limit) const;
  std::vector<Declaration> ReadScope(const CodeView& view, int scope) const;
  const Declaration* Find(const CodeView& view, int scope, int at);

  std::function<bool(std::string_view)> is_whole_;
  std::map<std::pair<const CodeView*, int>, std::vector<Declaration>> scopes_;
};

// Returns whether the name at `at` is only declared: `static void f(int);`, `class C;`, or the name
// of a definition.
bool IsOnlyDeclared(const CodeView& view, const Declaration& declaration, int at);

// Returns whether other files cannot call the function by its name unless they include this one,
// and unseen code cannot find it by the class of an argument (begin, swap, get). False for methods.
bool IsInternal(const CodeView& view, const Declaration& function);

// Returns whether a token from `begin` to `end`, outside brackets, has this text.
bool HasWord(const CodeView& view, int begin, int end, std::string_view text);

}  // namespace opledger::scan
