// The syntax tree of a Python module: records in one table, children as numbers of records.
//   f(x, k=1)  ->  kCall: kName "f", kName "x", kKeyword "k": kNumber "1"
// Tree and texts belong to PythonTree. Statement lists are one kBlock.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/text/source_text.h"

namespace opledger {

// Number of a node; 0 is a node of kind kNone and stands for a child that is absent.
using PythonId = std::uint32_t;

// After each kind: what `text` is, then its children. `[x]` may be absent (0), `x...` is any
// number; nothing stands behind a list.
enum class PythonKind : std::uint8_t {
  kNone,
  // Statements.
  kModule,               // statement...
  kBlock,                // statement...
  kExpressionStatement,  // expression
  kAssign,               // value, target...
  kAugmentedAssign,      // "+" of `+=`: target, value
  kAnnotatedAssign,      // target, annotation, [value]; `simple`: the target is a bare name
  kDelete,               // target...
  kPass,
  kBreak,
  kContinue,
  kGlobal,      // kName...
  kNonlocal,    // kName...
  kImport,      // kAlias...
  kImportFrom,  // the module, may be empty: kAlias...; `level`: how many dots precede it
  kAlias,       // the dotted name, or "*": [kName that it is bound to]
  kReturn,      // [value]
  kRaise,       // [exception], [cause]
  kAssert,      // test, [message]
  kTypeAlias,   // kName, kTypeParameters or 0, value
  kIf,          // kBranch... of if and elifs, then [kBlock] of else
  kBranch,      // test, kBlock
  kFor,         // target, iterable, kBlock, [kBlock] of else; `async`
  kWhile,       // test, kBlock, [kBlock] of else
  kTry,         // kBlock, [kBlock] of else, [kBlock] of finally, kHandler...
  kHandler,     // the name it is bound to: [type], kBlock; `star`: except*
  kWith,        // kBlock, kWithItem...; `async`
  kWithItem,    // value, [target]
  kFunction,    // name: kDecorators, [kTypeParameters], kParameters, [returns], kBlock; `async`
  kClass,       // name: kDecorators, [kTypeParameters], kArguments, kBlock
  kDecorators,  // expression...
  kArguments,   // as of kCall, without the function
  kMatch,       // subject, kCase...
  kCase,        // pattern, [guard], kBlock
  // Parameters.
  kParameters,            // parameters in the order of the source
  kPositionalParameter,   // name: [annotation], [default]; before `/`
  kParameter,             // as above
  kStarParameter,         // *name
  kKeywordParameter,      // after `*`
  kDoubleStarParameter,   // **name
  kTypeParameters,        // type parameters
  kTypeParameter,         // name: [bound], [default]
  kTypeTupleParameter,    // *name: 0, [default]
  kTypeKeywordParameter,  // **name: 0, [default]
  // Expressions.
  kName,               // the name
  kNumber,             // as spelled
  kConstant,           // None, True, False, ...
  kString,             // the value of all adjacent literals; `joined`, `unknown`
  kBytes,              // likewise
  kFormat,             // f'': kString or kReplacement...; `joined`
  kReplacement,        // "r", "s", "a" or "": value, [kFormat] of the format specification
  kAttribute,          // the attribute: value
  kCall,               // function, then arguments: expression, kStarred, kKeyword, ...
  kKeyword,            // name, empty for **: value
  kSubscript,          // value, index
  kSlice,              // [lower], [upper], [step]
  kUnary,              // "not", "-", "+", "~": operand
  kBinary,             // "+", "//", ...: left, right
  kBoolean,            // "and" or "or": operand...
  kComparison,         // left, kCompared...
  kCompared,           // "<", "not in", ...: right
  kConditional,        // test, value if true, value if false
  kLambda,             // kParameters, body
  kList,               // element...
  kTuple,              // element...
  kSet,                // element...
  kDict,               // kPair or kStarred (for **)...
  kPair,               // key, value
  kListComprehension,  // element, kClause...
  kSetComprehension,   // element, kClause...
  kDictComprehension,  // kPair, kClause...
  kGenerator,          // element, kClause...
  kClause,             // target, iterable, condition...; `async`
  kStarred,            // value
  kNamed,              // target := value
  kAwait,              // value
  kYield,              // [value]
  kYieldFrom,          // value
  // Patterns.
  kValuePattern,     // expression; None, True and False are kConstant
  kCapturePattern,   // name, empty for _: [pattern] before `as`
  kSequencePattern,  // pattern...
  kStarPattern,      // name, empty for _; in a mapping **name
  kMappingPattern,   // kPairPattern..., kStarPattern
  kPairPattern,      // key, pattern
  kClassPattern,     // class, pattern or kKeywordPattern...
  kKeywordPattern,   // name: pattern
  kOrPattern,        // pattern...
};

const char* PythonKindName(PythonKind kind);  // "Module", "ListComprehension", ...

struct PythonNode {
  PythonKind kind = PythonKind::kNone;
  bool async = false;
  bool star = false;
  bool simple = false;
  bool joined = false;         // of several adjacent literals
  bool unknown = false;        // an escape in it names a character: the value is not known
  bool parenthesized = false;  // in brackets that are no part of it
  std::uint16_t level = 0;
  std::uint32_t begin = 0;  // bytes of the source, end exclusive
  std::uint32_t end = 0;
  std::uint32_t first_child = 0;
  std::uint32_t child_count = 0;
  std::string_view text;
};

class PythonTree {
 public:
  explicit PythonTree(std::shared_ptr<const SourceText> source);

  const SourceText& source() const { return *source_; }
  PythonId root() const { return root_; }
  std::size_t size() const { return nodes_.size(); }
  const PythonNode& operator[](PythonId id) const { return nodes_[id]; }
  std::span<const PythonId> Children(PythonId id) const;
  // 0 where there are not as many.
  PythonId Child(PythonId id, std::size_t index) const;
  PythonKind Kind(PythonId id) const { return nodes_[id].kind; }
  Location At(PythonId id) const;
  // As written.
  std::string_view Spelling(PythonId id) const;
  // The value of the keyword in a call; 0: it is not given.
  PythonId Keyword(PythonId call, std::string_view name) const;
  // "torch.library.custom_op" of a name or of attributes of one; "" of anything else.
  std::string DottedName(PythonId id) const;

 private:
  friend class PythonParser;

  std::shared_ptr<const SourceText> source_;
  PythonId root_ = 0;
  std::vector<PythonNode> nodes_;
  std::vector<PythonId> children_;
  std::deque<std::string> texts_;  // of strings; other texts are the source's
};

}  // namespace opledger
