// An outline: what the raw pass learns of one file without preprocessing it. In: a file's bytes
// and what the dialect looks for; out: branches, macros, includes, names that look like
// registrations. Depends on nothing else, so it is cached by content.
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
  int previous = kNoBranch;  // the branch before it in its group; kNoBranch: opens the group
  Range keyword;             // "ifdef"
  Range expression;          // what follows the keyword, comments at its end left out
  Offset directive = 0;      // of the '#'
  Offset end = 0;            // of the '#' that ends the branch, or the end of the file
  bool guard = false;        // the include guard around the whole file
  bool resolved = false;     // `text` is an #if expression, the file's own macros put in
  std::string text;          // else the expression, continuations and comments as written
  std::string written;       // where it is resolved, the #if expression as written; empty: final
  int line = 0;              // where __LINE__ may count; 0: it does not, or nobody knows

  // As an #if expression, nothing put in; of #else: empty.
  std::string Expression() const;
};

struct MacroDefinition {
  std::string name;
  bool undefines = false;                // an #undef, or a pop
  bool pops = false;                     // a #pragma pop_macro; `pushed` is its push
  std::string text;                      // "NAME(parameters) body", as written
  std::vector<std::string> identifiers;  // of the body, unique, parameters left out
  // Names its body may build with ##, as {prefix, suffix}: x_##a gives {"x_", ""}; none that
  // begins and ends with a parameter.
  std::vector<std::pair<std::string, std::string>> pastes;
  bool glues = false;  // ## joins parameters alone: any name may come of it
  bool given = false;  // by the unit's command line: it stands before the text, at offset 0
  Offset offset = 0;   // of the name
  Offset pushed = 0;   // of the push that a pop undoes; 0: nobody knows which
  int branch = kNoBranch;
};

struct Include {
  std::string target;
  bool angled = false;
  bool computed = false;  // #include MACRO, which the file alone does not settle
  Range directive;        // from '#' to the end of the target
  int branch = kNoBranch;
};

// An identifier that contains the dialect's suspicious word, outside directives.
struct SuspiciousName {
  std::string name;
  Offset offset = 0;
  bool registers = false;  // opens a statement, or stands behind '=', and is followed by '('
  int branch = kNoBranch;
};

// A set of attributes that operators may take by its name (Dialect::attribute_sets).
struct AttributeSet {
  struct Value {
    std::string name;
    std::string constant;  // that stands for it in the source
  };
  struct Attribute {
    std::string name;
    std::string type;                 // of the member; this and what follows as written
    std::string initial;              // the default; empty: none
    std::vector<Value> values;        // allowed ones; with none of the macros either: any
    std::vector<std::string> macros;  // that add further ones
  };
  std::string name;
  // Where sets of several files have the name, the file of this one and those that include it;
  // empty: not asked for.
  std::vector<std::string> readers;
  std::vector<Attribute> attributes;
};

// A function or a constant that evaluation may need (Dialect::evaluation).
//   const std::vector<std::string>& Types::floats() { static const auto v = ...; return v; }
struct Definition {
  struct Parameter {
    std::string name;
    std::string value;  // the default, as written
  };
  std::string name;  // without scopes
  bool is_function = false;
  bool has_body = false;  // else a declaration, which may know defaults
  std::vector<Parameter> parameters;
  std::string text;  // the body between its braces, or the initializer
};

// A function that may run operators (Dialect::kernels.element_types), or a name under which one is
// registered.
struct KernelFunction {
  // "MACRO NAME" where a macro begins it; empty: the file may have more, in macros that are too
  // large.
  std::string name;
  std::string device;  // only for this one; empty: for any
  std::string bound;   // of its element types (kernel_bound.h); "= NAME": that of another function
};
// Where the device follows from the path of the file.
inline constexpr std::string_view kDeviceOfFile = "of its file";

struct Outline {
  std::vector<Branch> branches;  // by position of their directives
  std::vector<MacroDefinition> macros;
  std::vector<Include> includes;
  // #embed, and #include with a name that does not end: Clang's preprocessor alone crashes on some.
  std::vector<Range> unsafe_directives;
  std::vector<SuspiciousName> suspicious_names;
  std::vector<AttributeSet> attribute_sets;
  std::vector<Definition> definitions;
  std::vector<KernelFunction> kernel_functions;
  std::vector<NamedUse> named_uses;        // FindLikelyCalls
  std::vector<int> error_branches;         // that hold an #error
  std::vector<std::uint32_t> identifiers;  // hashes of those outside directives, sorted, unique
  bool guarded = false;                    // by an include guard or #pragma once
  std::string unreadable;                  // why this is no source text; empty: it is

  bool Mentions(std::string_view identifier) const;
  // The innermost branch that holds the byte at `offset`.
  int BranchAt(Offset offset) const;
  // The branch that opens the group which this one is in.
  int FirstOf(int branch) const;
  // All branches of a group, from the one that opens it on.
  std::vector<int> GroupOf(int first) const;
  // The condition of a branch among its own group: its expression and not the ones before it.
  Condition OwnCondition(int index) const;
  // That neither this branch nor one before it in its group is taken.
  Condition PassedBy(int index) const;
  // The whole condition: its own and that of every branch around it, include guards left out.
  Condition StackCondition(int branch) const;
  // Decides the branches that are decided when none of these macros is defined.
  void AssumeUndefined(const std::vector<std::string>& macros);
};

// The raw pass. A NUL byte must follow `text` in memory.
Outline MakeOutline(std::string_view text, const Dialect& dialect);

// The attribute sets declared in `text`, both sides of every #if. No identifier how.declare stands
// before `names` begins, where one does, or behind its end.
std::vector<AttributeSet> FindAttributeSets(std::string_view text, Range names,
                                            const AttributeSets& how);

// What a macro adds to an attribute's allowed values: a set of the macro's name, with an attribute
// of its name. None: it adds none.
std::optional<AttributeSet> ValuesOfMacro(const MacroDefinition& macro, const AttributeSets& how);

// The functions and constants of its types and names that are defined outside of functions.
std::vector<Definition> FindDefinitions(std::string_view text, const Evaluation& how);

// The functions of `text`, which defines `macros`, that choose code by element type or call others.
std::vector<KernelFunction> FindKernelFunctions(std::string_view text,
                                                const std::vector<MacroDefinition>& macros,
                                                const ElementTypes& how);

std::string SerializeOutline(const Outline& outline);
std::optional<Outline> ParseOutline(std::string_view bytes);

}  // namespace opledger::scan
