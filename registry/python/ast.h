// The syntax tree of a Python module. Nodes are records in one table; children are referred to by
// number.
//   f(x, k=1)  ->  kCall: kName "f", kName "x", kKeyword "k": kNumber "1"
// PythonTree owns nodes and texts. A list of statements is one kBlock.
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

// The number of a node. 0 is a node of kind kNone and represents an absent child.
using PythonId = std::uint32_t;

// Each kind is followed by a description of `text`, if used, and its children. `[x]` may be absent
// (0). `x...` is any number of children and always comes last.
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
  kImportFrom,  // module, may be empty: kAlias...; `level`: number of leading dots
  kAlias,       // dotted name, or "*": [kName that it is bound to]
  kReturn,      // [value]
  kRaise,       // [exception], [cause]
  kAssert,      // test, [message]
  kTypeAlias,   // kName, kTypeParameters or 0, value
  kIf,          // kBranch... for if and elif, then [kBlock] for else
  kBranch,      // test, kBlock
  kFor,         // target, iterable, kBlock, [kBlock] for else; `async`
  kWhile,       // test, kBlock, [kBlock] for else
  kTry,         // kBlock, [kBlock] for else, [kBlock] for finally, kHandler...
  kHandler,     // name it is bound to: [type], kBlock; `star`: except*
  kWith,        // kBlock, kWithItem...; `async`
  kWithItem,    // value, [target]
  kFunction,    // name: kDecorators, [kTypeParameters], kParameters, [returns], kBlock; `async`
  kClass,       // name: kDecorators, [kTypeParameters], kArguments, kBlock
  kDecorators,  // expression...
  kArguments,   // like kCall, without the function
  kMatch,       // subject, kCase...
  kCase,        // pattern, [guard], kBlock
  // Parameters.
  kParameters,            // parameters in source order
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
  bool joined = false;         // made of several adjacent literals
  bool unknown = false;        // has a named character escape, so its value is unknown
  bool parenthesized = false;  // in parentheses that are not part of it
  std::uint16_t level = 0;
  std::uint32_t begin = 0;  // byte range in the source, end exclusive
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
  // Returns 0 if there are fewer children.
  PythonId Child(PythonId id, std::size_t index) const;
  PythonKind Kind(PythonId id) const { return nodes_[id].kind; }
  Location At(PythonId id) const;
  // Returns the source text of the node.
  std::string_view Spelling(PythonId id) const;
  // Returns the value of a keyword argument, or 0 if it is not given.
  PythonId Keyword(PythonId call, std::string_view name) const;
  // Returns "torch.library.custom_op" for a name or its attributes, or an empty string for other
  // nodes.
  std::string DottedName(PythonId id) const;

 private:
  friend class PythonParser;

  std::shared_ptr<const SourceText> source_;
  PythonId root_ = 0;
  std::vector<PythonNode> nodes_;
  std::vector<PythonId> children_;
  std::deque<std::string> texts_;  // of strings; other texts point into the source
};

}  // namespace opledger
