// The outline of a file: what the raw pass finds without preprocessing. In: a file's bytes and the
// words that the dialect looks for. Out: branches, macros, includes, and names that look like
// registrations. Depends on nothing else, so that it can be cached by content.
// May include: registry/condition, registry/dialect, registry/text, registry/scan/lex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/lex/lex.h"
#include "registry/scan/outline/named_uses.h"

namespace opledger::scan {

inline constexpr int kNoBranch = -1;

// One branch of a conditional: from its directive to the next one of its group.
struct Branch {
  enum class Kind { kIf, kIfdef, kIfndef, kElif, kElifdef, kElifndef, kElse };
  Kind kind = Kind::kIf;
  int parent = kNoBranch;    // the enclosing branch
  int previous = kNoBranch;  // the previous branch of its group; kNoBranch for the first
  Range keyword;             // "ifdef"
  Range expression;          // after the keyword, without trailing comments
  Offset directive = 0;      // of the '#'
  Offset end = 0;            // of the '#' that ends the branch, or the end of the file
  bool guard = false;        // the include guard of the file
  bool resolved = false;     // `text` is an #if expression with the file's macros resolved
  std::string text;          // otherwise the expression as written, with continuations and comments
  std::string written;       // if resolved, the #if expression as written; empty: same as `text`
  int line = 0;              // value of __LINE__; 0: unused or unknown

  // Returns the branch as an #if expression, unresolved; "" for #else.
  std::string Expression() const;
};

struct MacroDefinition {
  std::string name;
  bool undefines = false;                // an #undef or a pop
  bool pops = false;                     // a #pragma pop_macro; its push is at `pushed`
  std::string text;                      // "NAME(parameters) body", as written
  std::vector<std::string> identifiers;  // of the body, unique, without parameters
  // Names that its body may build with ##, as {prefix, suffix}: x_##a is {"x_", ""}. Without those
  // that begin and end with a parameter.
  std::vector<std::pair<std::string, std::string>> pastes;
  bool glues = false;  // ## joins parameters only: any name is possible
  bool given = false;  // defined on the command line: before the text, at offset 0
  Offset offset = 0;   // of the name
  Offset pushed = 0;   // of the push that a pop undoes; 0 if unknown
  int branch = kNoBranch;
};

struct Include {
  std::string target;
  bool angled = false;
  bool computed = false;  // #include MACRO that the file alone does not resolve
  Range directive;        // from '#' to the end of the target
  int branch = kNoBranch;
};

// An identifier outside directives that contains the dialect's suspicious word.
struct SuspiciousName {
  std::string name;
  Offset offset = 0;
  bool registers = false;  // begins a statement or follows '=', and '(' follows
  int branch = kNoBranch;
};

// A set of attributes that operators can refer to by name (Dialect::attribute_sets).
struct AttributeSet {
  struct Value {
    std::string name;
    std::string constant;  // its constant in the source
  };
  struct Attribute {
    std::string name;
    std::string type;                 // of the member; this and the rest as written
    std::string initial;              // the default; empty if there is none
    std::vector<Value> values;        // allowed values; any if these and `macros` are empty
    std::vector<std::string> macros;  // macros that add more values
  };
  std::string name;
  // If several files have sets of this name: the set's file, then those that include it. Otherwise
  // empty.
  std::vector<std::string> readers;
  std::vector<Attribute> attributes;
};

// A function or constant that evaluation may need (Dialect::evaluation).
//   const std::vector<std::string>& Types::floats() { static const auto v = ...; return v; }
struct Definition {
  struct Parameter {
    std::string name;
    std::string value;  // the default, as written
  };
  std::string name;  // without scopes
  bool is_function = false;
  bool has_body = false;  // false: a declaration, which may state defaults
  std::vector<Parameter> parameters;
  std::string text;  // the body between its braces, or the initializer
};

// A function that may run operators (Dialect::kernels.element_types), or the name under which one
// is registered.
struct KernelFunction {
  // "MACRO NAME" if a macro defines it. Empty: the file may have more functions, in macros that are
  // too large to expand.
  std::string name;
  std::string device;  // only for this device; empty: any
  std::string bound;   // of its element types (kernel_bound.h); "= NAME": that of another function
};
// The device follows from the path of the file.
inline constexpr std::string_view kDeviceOfFile = "of its file";

struct Outline {
  std::vector<Branch> branches;  // by position of their directives
  std::vector<MacroDefinition> macros;
  std::vector<Include> includes;
  // #embed, and #include with an unterminated name: Clang's preprocessor crashes on some of these.
  std::vector<Range> unsafe_directives;
  std::vector<SuspiciousName> suspicious_names;
  std::vector<AttributeSet> attribute_sets;
  std::vector<Definition> definitions;
  std::vector<KernelFunction> kernel_functions;
  std::vector<NamedUse> named_uses;        // FindLikelyCalls
  std::vector<int> error_branches;         // branches with an #error
  std::vector<std::uint32_t> identifiers;  // hashes of those outside directives, sorted, unique
  bool guarded = false;                    // by an include guard or #pragma once
  std::string unreadable;                  // why this is not source text; empty if it is

  bool Mentions(std::string_view identifier) const;
  // Returns the innermost branch that contains the byte at `offset`; kNoBranch if there is none.
  int BranchAt(Offset offset) const;
  // Returns the first branch of the group.
  int FirstOf(int branch) const;
  // Returns all branches of the group that `first` opens.
  std::vector<int> GroupOf(int first) const;
  // Returns the condition of a branch within its group: its expression and not the previous ones.
  Condition OwnCondition(int index) const;
  // Returns the condition that neither this branch nor a previous one of its group is taken.
  Condition PassedBy(int index) const;
  // Returns the whole condition: that of the branch and of all enclosing ones, without include
  // guards.
  Condition StackCondition(int branch) const;
  // Resolves the branches whose conditions are decided if none of these macros is defined.
  void AssumeUndefined(const std::vector<std::string>& macros);
};

// Runs the raw pass. A NUL byte must follow `text` in memory.
Outline MakeOutline(std::string_view text, const Dialect& dialect);

// Returns the attribute sets declared in `text`, in both branches of every #if. All mentions of
// how.declare must be within `names`.
std::vector<AttributeSet> FindAttributeSets(std::string_view text, Range names,
                                            const AttributeSets& how);

// Returns the values that a macro adds to an attribute: a set with the macro's name and one
// attribute of the same name. Returns nullopt if it adds none.
std::optional<AttributeSet> ValuesOfMacro(const MacroDefinition& macro, const AttributeSets& how);

// Returns the functions and constants of how's types and names that are defined outside functions.
std::vector<Definition> FindDefinitions(std::string_view text, const Evaluation& how);

// Returns the functions of `text`, which defines `macros`, that choose code by element type or call
// others.
std::vector<KernelFunction> FindKernelFunctions(std::string_view text,
                                                const std::vector<MacroDefinition>& macros,
                                                const ElementTypes& how);

std::string SerializeOutline(const Outline& outline);
std::optional<Outline> ParseOutline(std::string_view bytes);

}  // namespace opledger::scan
