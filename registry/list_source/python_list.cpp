// Reads the literal lists of a Python module; see python_list.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/python_list.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "registry/condition/condition.h"
#include "registry/python/tokens.h"

namespace opledger {
namespace {

using PythonKind = PythonToken::Kind;

constexpr int kDeepestBracket = 64;

class FeatureTest {
 public:
  explicit FeatureTest(PythonCursor& cursor) : cursor_(cursor) {}

  std::optional<Condition> Or() {
    std::optional<Condition> result = And();
    while (result && AcceptName("or")) {
      const std::optional<Condition> right = And();
      result = right ? std::optional(result->Or(*right)) : std::nullopt;
    }
    return result;
  }

 private:
  bool AcceptName(std::string_view name) {
    if (!cursor_.IsName(name)) return false;
    cursor_.Advance();
    return true;
  }

  std::optional<Condition> And() {
    std::optional<Condition> result = Not();
    while (result && AcceptName("and")) {
      const std::optional<Condition> right = Not();
      result = right ? std::optional(result->And(*right)) : std::nullopt;
    }
    return result;
  }

  std::optional<Condition> Not() {
    bool negated = false;
    while (AcceptName("not")) negated = !negated;
    const std::optional<Condition> result = Primary();
    return result && negated ? result->Not() : result;
  }

  std::optional<Condition> Primary() {
    if (cursor_.AcceptOperator("(")) {
      if (++depth_ > kDeepestBracket) return std::nullopt;
      const std::optional<Condition> result = Or();
      --depth_;
      return cursor_.AcceptOperator(")") ? result : std::nullopt;
    }
    if (AcceptName("True")) return Condition();
    if (AcceptName("False")) return Condition::Never();
    return Query();
  }

  // Names, dots and empty calls, the last name being is_enabled, and its argument.
  std::optional<Condition> Query() {
    while (cursor_.Is(PythonKind::kName)) {
      const bool query = cursor_.IsName("is_enabled");
      cursor_.Advance();
      const bool call = cursor_.AcceptOperator("(");
      if (call && query && cursor_.Is(PythonKind::kString)) {
        const std::string feature = cursor_.Current().text;
        cursor_.Advance();
        if (!cursor_.AcceptOperator(")")) return std::nullopt;
        return Condition::FromExpression(feature);
      }
      if (call && !cursor_.AcceptOperator(")")) return std::nullopt;
      if (!cursor_.AcceptOperator(".")) return std::nullopt;
    }
    return std::nullopt;
  }

  PythonCursor& cursor_;
  int depth_ = 0;
};

std::optional<Condition> ReadFeatureTest(PythonCursor& cursor) {
  std::optional<Condition> test = FeatureTest(cursor).Or();
  return cursor.IsOperator(":") ? test : std::nullopt;
}

class PythonValueReader {
 public:
  PythonValueReader(const SourceText& source, PythonCursor& cursor, Diagnostics& diagnostics)
      : source_(source), cursor_(cursor), diagnostics_(diagnostics) {}

  // The value at the cursor, up to one of `ends` (operators), a closing bracket or the end of the
  // statement. What is no literal is reported once and kUnreadable.
  LiteralValue Read(std::string_view ends = ",");

  // Whether nothing was unreadable since the last call.
  bool TakeComplete();

 private:
  LiteralValue Bare();
  LiteralValue Strings();
  LiteralValue Bracketed();
  void Items(LiteralValue& value, std::string_view close);
  bool AtEnd(std::string_view ends) const;
  LiteralValue Unreadable(const Location& begin, std::string_view ends, const std::string& what);
  std::string WhatFollows() const;

  const SourceText& source_;
  PythonCursor& cursor_;
  Diagnostics& diagnostics_;
  int depth_ = 0;
  bool complete_ = true;
};

using LiteralKind = LiteralValue::Kind;

constexpr int kMaxDepth = 64;

bool PythonValueReader::TakeComplete() { return std::exchange(complete_, true); }

bool PythonValueReader::AtEnd(std::string_view ends) const {
  const PythonToken& token = cursor_.Current();
  if (token.kind != PythonKind::kOperator) {
    return token.kind == PythonKind::kNewline || token.kind == PythonKind::kEnd;
  }
  if (token.text.size() > 1) return false;
  const bool close = std::string_view(")]};").find(token.text) != std::string_view::npos;
  return close || ends.find(token.text) != std::string_view::npos;
}

LiteralValue PythonValueReader::Read(std::string_view ends) {
  const Location begin = cursor_.Current().location;
  if (cursor_.IsOperator("*") || cursor_.IsOperator("**")) {
    return Unreadable(begin, ends, "a starred item");
  }
  if (depth_ == kMaxDepth) return Unreadable(begin, ends, "brackets nested this deeply");
  ++depth_;
  LiteralValue value = Bare();
  --depth_;
  if (AtEnd(ends) && value.kind != LiteralKind::kUnreadable) return value;
  const bool described = value.kind == LiteralKind::kUnreadable && !value.text.empty();
  return Unreadable(begin, ends, described ? value.text : WhatFollows());
}

// An unreadable value has its description as text, or none, and is not yet reported.
LiteralValue PythonValueReader::Bare() {
  LiteralValue value;
  const PythonToken token = cursor_.Current();
  value.location = token.location;
  if (token.kind == PythonKind::kString) return Strings();
  if (cursor_.IsOperator("(") || cursor_.IsOperator("[") || cursor_.IsOperator("{")) {
    return Bracketed();
  }
  if (token.kind == PythonKind::kNumber) {
    value.kind = LiteralKind::kNumber;
    value.text = token.text;
    cursor_.Advance();
  } else if (cursor_.IsOperator("-") && cursor_.Ahead(1).kind == PythonKind::kNumber) {
    value.kind = LiteralKind::kNumber;
    value.text = "-" + cursor_.Ahead(1).text;
    cursor_.Advance();
    cursor_.Advance();
  } else if (cursor_.IsName("True") || cursor_.IsName("False") || cursor_.IsName("None")) {
    value.kind = LiteralKind::kConstant;
    value.text = token.text;
    cursor_.Advance();
  } else if (token.kind == PythonKind::kName && token.text != "lambda" && token.text != "not") {
    cursor_.Advance();
    const bool call = cursor_.IsOperator("(") || cursor_.IsOperator(".");
    value.text = call ? "a call or attribute" : "the name '" + token.text + "'";
  }
  value.location = cursor_.Since(value.location);
  return value;
}

LiteralValue PythonValueReader::Strings() {
  LiteralValue value;
  value.kind = LiteralKind::kString;
  value.location = cursor_.Current().location;
  std::string problem;
  for (int count = 0; cursor_.Is(PythonKind::kString); ++count) {
    if (problem.empty()) problem = cursor_.Current().problem;
    value.text += cursor_.Current().text;
    value.joined = count > 0;
    cursor_.Advance();
  }
  value.location = cursor_.Since(value.location);
  if (!problem.empty()) {
    value.kind = LiteralKind::kUnreadable;
    value.text = problem;
  }
  return value;
}

LiteralValue PythonValueReader::Bracketed() {
  LiteralValue value;
  const Location begin = cursor_.Current().location;
  const char open = cursor_.Current().text[0];
  value.kind = open == '('   ? LiteralKind::kTuple
               : open == '[' ? LiteralKind::kList
                             : LiteralKind::kDict;
  cursor_.Advance();
  Items(value, open == '(' ? ")" : open == '[' ? "]" : "}");
  value.location = cursor_.Since(begin);
  return value;
}

// Up to and with `close`. A tuple of one item without a comma is that item; a dict without ':' is a
// set.
void PythonValueReader::Items(LiteralValue& value, std::string_view close) {
  const bool dict = value.kind == LiteralKind::kDict;
  bool comma = false;
  bool pairs = false;
  while (!cursor_.AcceptOperator(close)) {
    if (cursor_.Is(PythonKind::kEnd)) return;  // not reached: the lexer matches brackets
    LiteralValue item = Read(dict ? ":," : ",");
    if (dict && cursor_.AcceptOperator(":")) {
      pairs = true;
      LiteralValue mapped = Read(",");
      const bool readable =
          item.kind != LiteralKind::kUnreadable && mapped.kind != LiteralKind::kUnreadable;
      if (readable) value.items.push_back(std::move(item));
      if (readable) value.items.push_back(std::move(mapped));
    } else if (item.kind != LiteralKind::kUnreadable) {
      value.items.push_back(std::move(item));
    }
    comma = cursor_.AcceptOperator(",") || comma;
    if (cursor_.IsOperator(";")) cursor_.Advance();  // a syntax error, reported as unreadable
  }
  if (dict && !pairs && !value.items.empty()) value.kind = LiteralKind::kSet;
  if (value.kind == LiteralKind::kTuple && value.items.size() == 1 && !comma) {
    LiteralValue only = std::move(value.items.front());
    value = std::move(only);
  }
}

// Why a readable start is no literal.
std::string PythonValueReader::WhatFollows() const {
  if (cursor_.IsName("for") || cursor_.IsName("async")) return "a comprehension";
  if (AtEnd("")) return "a missing value";
  return "an expression";
}

LiteralValue PythonValueReader::Unreadable(const Location& begin, std::string_view ends,
                                           const std::string& what) {
  // The commas of a comprehension separate nothing.
  const bool comprehension = cursor_.IsName("for") || cursor_.IsName("async");
  cursor_.SkipTo(comprehension ? "" : ends);
  LiteralValue value;
  value.location = cursor_.Since(begin);
  if (value.location.end_line < begin.line ||
      (value.location.end_line == begin.line && value.location.end_column <= begin.column)) {
    value.location = begin;
  }
  source_.Warn(value.location, what + " is not read: not a literal",
               "write the entries out as string literals, or add them to the result by hand",
               diagnostics_);
  complete_ = false;
  return value;
}

constexpr int kMaxNesting = 50;

bool IsContainer(const LiteralValue& value) {
  return value.kind == LiteralKind::kList || value.kind == LiteralKind::kTuple ||
         value.kind == LiteralKind::kSet || value.kind == LiteralKind::kDict;
}

class ModuleReader {
 public:
  ModuleReader(const SourceText& source, std::vector<PythonToken> tokens, Diagnostics& diagnostics)
      : source_(source),
        cursor_(std::move(tokens)),
        diagnostics_(diagnostics),
        values_(source_, cursor_, diagnostics_) {}

  ListModule Run() {
    while (!cursor_.Is(PythonKind::kEnd)) Statement(Condition());
    return std::move(module_);
  }

 private:
  void Warn(const Location& location, std::string message, std::string hint = {}) {
    source_.Warn(location, std::move(message), std::move(hint), diagnostics_);
  }

  void Statement(const Condition& feature) {
    static const std::set<std::string, std::less<>> kBlocks = {"def",  "class",  "async",  "elif",
                                                               "else", "except", "finally"};
    static const std::set<std::string, std::less<>> kUnreadBlocks = {"for", "while", "try", "with"};
    static const std::set<std::string, std::less<>> kIgnored = {
        "import", "from", "pass", "return", "raise", "assert", "global", "print"};
    const PythonToken token = cursor_.Current();
    if (token.kind == PythonKind::kIndent || token.kind == PythonKind::kDedent) {
      cursor_.Advance();  // of a block that no statement opened: a syntax error
    } else if (token.kind != PythonKind::kName) {
      // A docstring, a decorator, an expression in brackets.
      cursor_.SkipStatement();
    } else if (token.text == "if") {
      If(feature);
    } else if (kBlocks.count(token.text) > 0) {
      cursor_.SkipBlock();
    } else if (kUnreadBlocks.count(token.text) > 0) {
      Warn(token.location, "the block of this '" + token.text + "' is not read",
           "what it adds to a list is missing from the result");
      cursor_.SkipBlock();
    } else if (kIgnored.count(token.text) > 0) {
      cursor_.SkipStatement();
    } else if (token.text == "del") {
      NotRead(cursor_.Ahead(1));
      cursor_.SkipStatement();
    } else {
      Simple(token, feature);
    }
  }

  void Suite(const Condition& feature) {
    if (!cursor_.Is(PythonKind::kNewline)) {
      // if X: A = ['a']; B = ['b']
      const int line = cursor_.Current().location.line;
      do {
        Statement(feature);
      } while (cursor_.Current().location.line == line && !cursor_.Is(PythonKind::kEnd) &&
               !cursor_.Is(PythonKind::kDedent));
      return;
    }
    cursor_.Advance();
    if (!cursor_.Is(PythonKind::kIndent)) return;
    cursor_.Advance();
    while (!cursor_.Is(PythonKind::kDedent) && !cursor_.Is(PythonKind::kEnd)) Statement(feature);
    cursor_.Advance();
  }

  // if, its elifs and its else.
  void If(const Condition& feature) {
    if (++nesting_ > kMaxNesting) {
      Warn(cursor_.Current().location, "blocks nested this deeply are not read");
      --nesting_;
      return cursor_.SkipBlock();
    }
    Condition remaining = feature;
    do {
      const Condition test = Test();
      Suite(remaining.And(test));
      remaining = remaining.And(test.Not());
    } while (cursor_.IsName("elif"));
    if (cursor_.IsName("else")) {
      cursor_.Advance();
      cursor_.AcceptOperator(":");
      Suite(remaining);
    }
    --nesting_;
  }

  // From `if` or `elif` to after the ':'.
  Condition Test() {
    cursor_.Advance();
    const Location begin = cursor_.Current().location;
    const std::optional<Condition> test = ReadFeatureTest(cursor_);
    if (!test) cursor_.SkipTo(":");
    const Location location = cursor_.Since(begin);
    while (!test && cursor_.Is(PythonKind::kOperator) && !cursor_.IsOperator(":")) {
      cursor_.Advance();  // a bracket whose opening was passed
      cursor_.SkipTo(":");
    }
    cursor_.AcceptOperator(":");
    if (test) return *test;
    Warn(location, "the test of this 'if' is not read: only is_enabled('FEATURE') is",
         "its body is added to the result");
    return Condition::FromExpression("unread(" + std::to_string(begin.line) + ")");
  }

  void Simple(const PythonToken& name, const Condition& feature) {
    cursor_.Advance();
    if (cursor_.IsOperator(":")) cursor_.SkipTo("=");  // an annotation
    if (cursor_.AcceptOperator("=")) {
      Assign(name, feature);
    } else if (cursor_.AcceptOperator("+=")) {
      Extend(name, feature);
    } else if (cursor_.IsOperator(".") && cursor_.Ahead(2).text == "(") {
      Method(name, feature);
    } else if (cursor_.IsOperator("[")) {
      Subscript(name, feature);
    } else {
      NotRead(name);
    }
    cursor_.SkipStatement();
  }

  NamedList* Find(const std::string& name) {
    const auto list = std::find_if(module_.lists.begin(), module_.lists.end(),
                                   [&](const NamedList& each) { return each.name == name; });
    return list == module_.lists.end() ? nullptr : &*list;
  }

  // The list of that name; a new one is one that this file only adds to.
  NamedList& Known(const PythonToken& name) {
    if (NamedList* list = Find(name.text)) return *list;
    Warn(name.location, "'" + name.text + "' is not assigned in this file",
         "what it held before is missing from the result");
    NamedList list;
    list.name = name.text;
    list.location = name.location;
    list.complete = false;
    return module_.lists.emplace_back(std::move(list));
  }

  // A statement about a known list that changes it in a way that is not read, perhaps.
  void NotRead(const PythonToken& name) {
    NamedList* list = Find(name.text);
    if (list == nullptr) return;
    Warn(name.location, "this statement about '" + name.text + "' is not read",
         "only assignments, +=, extend, append, add, update and [key] = are");
    list->complete = false;
  }

  // The value of the right-hand side; 'a', 'b' without brackets is a tuple.
  LiteralValue RightHandSide() {
    LiteralValue value = values_.Read(",=");
    if (!cursor_.IsOperator(",")) return value;
    LiteralValue tuple;
    tuple.kind = LiteralKind::kTuple;
    tuple.location = value.location;
    tuple.items.push_back(std::move(value));
    while (cursor_.AcceptOperator(",")) {
      if (cursor_.Is(PythonKind::kNewline)) break;
      tuple.items.push_back(values_.Read(",="));
    }
    return tuple;
  }

  void Assign(const PythonToken& name, const Condition& feature) {
    const LiteralValue value = RightHandSide();
    bool complete = values_.TakeComplete();
    if (cursor_.IsOperator("=")) {
      Warn(name.location, "an assignment to several names is not read");
      complete = false;
    }
    NamedList* list = Find(name.text);
    if (list == nullptr && complete && !IsContainer(value)) return;
    if (list == nullptr) list = &module_.lists.emplace_back();
    if (list->name.empty()) {
      list->name = name.text;
      list->location = name.location;
    }
    list->kind = value.kind;
    list->complete = complete && (list->complete || feature.IsAlways()) && IsContainer(value);
    // What the name held before, it holds only where this assignment is not reached.
    for (ListItem& item : list->items) item.feature = item.feature.And(feature.Not());
    std::erase_if(list->items, [](const ListItem& item) { return !item.feature.CanBeTrue(); });
    if (IsContainer(value)) AddItems(value, feature, *list);
  }

  void AddItems(const LiteralValue& value, const Condition& feature, NamedList& list) {
    const std::size_t step = value.kind == LiteralKind::kDict ? 2 : 1;
    for (std::size_t i = 0; i + step <= value.items.size(); i += step) {
      ListItem item;
      if (step == 2) item.key = value.items[i];
      item.value = value.items[i + step - 1];
      item.feature = feature;
      list.items.push_back(std::move(item));
    }
  }

  void Extend(const PythonToken& name, const Condition& feature) {
    const LiteralValue value = RightHandSide();
    const bool complete = values_.TakeComplete();
    if (!IsContainer(value)) return complete ? NotRead(name) : SetIncomplete(name);
    NamedList& list = Known(name);
    AddItems(value, feature, list);
    list.complete = list.complete && complete;
  }

  void SetIncomplete(const PythonToken& name) {
    if (NamedList* list = Find(name.text)) list->complete = false;
  }

  // NAME.method(value)
  void Method(const PythonToken& name, const Condition& feature) {
    const std::string method = cursor_.Ahead(1).text;
    const bool one = method == "append" || method == "add";
    if (!one && method != "extend" && method != "update") return NotRead(name);
    for (int i = 0; i < 3; ++i) cursor_.Advance();
    const LiteralValue value = values_.Read(",");
    const bool complete = values_.TakeComplete();
    const PythonToken& next = cursor_.Ahead(1);
    const bool whole =
        cursor_.IsOperator(")") && (next.kind == PythonKind::kNewline || next.text == ";");
    const bool usable = one ? value.kind != LiteralKind::kUnreadable : IsContainer(value);
    if (!complete && !usable) return SetIncomplete(name);
    if (!whole || !usable) return NotRead(name);
    NamedList& list = Known(name);
    if (one) {
      list.items.push_back({value, std::nullopt, feature});
    } else {
      AddItems(value, feature, list);
    }
    list.complete = list.complete && complete;
  }

  // NAME[key] = value
  void Subscript(const PythonToken& name, const Condition& feature) {
    cursor_.Advance();
    const LiteralValue key = values_.Read(",");
    const bool index = cursor_.AcceptOperator("]") && cursor_.AcceptOperator("=");
    if (!values_.TakeComplete()) return SetIncomplete(name);
    if (!index || key.kind != LiteralKind::kString) return NotRead(name);
    const LiteralValue value = RightHandSide();
    if (!values_.TakeComplete() && value.kind == LiteralKind::kUnreadable)
      return SetIncomplete(name);
    Known(name).items.push_back({value, key, feature});
  }

  const SourceText& source_;
  PythonCursor cursor_;
  Diagnostics& diagnostics_;
  PythonValueReader values_;
  ListModule module_;
  int nesting_ = 0;
};

}  // namespace

const NamedList* ListModule::Find(std::string_view name) const {
  const auto list = std::find_if(lists.begin(), lists.end(),
                                 [&](const NamedList& each) { return each.name == name; });
  return list == lists.end() ? nullptr : &*list;
}

std::optional<ListModule> ReadPythonLists(std::string path, std::string text,
                                          Diagnostics& diagnostics) {
  const auto source = std::make_shared<const SourceText>(std::move(path), std::move(text));
  std::optional<std::vector<PythonToken>> tokens = LexPython(*source, diagnostics);
  if (!tokens) return std::nullopt;
  ListModule module = ModuleReader(*source, std::move(*tokens), diagnostics).Run();
  module.source = source;
  return module;
}

}  // namespace opledger
