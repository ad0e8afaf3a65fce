// Finds constructs that are given names where registrations may be: in C++ outside functions, in
// the blocks that macros open there, and in calls of `Register...` anywhere. registry/scan/discover
// does so for other languages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace opledger::scan {

// Kinds of constructs that take names.
enum class NamedForm {
  kMacro,       // REGISTER_OP(Abs)
  kVariable,    // static Registrar<Op> r("abs", f);
  kFunction,    // static int r = Register("abs", f);
  kMethod,      // MODULE(ext, m) { m.def("abs", f); }
  kTable,       // const char* const kNames[] = {"abs", "erf"};
  kDecorator,   // @register_op("abs")
  kPythonCall,  // register_op("abs", f)
  kYamlKey,     // - op: abs
  kCMakeCall,   // add_layer(Abs)
  kTableGen     // def Abs_Op : Op<"abs">
};

// One use of a construct that takes names.
struct NamedUse {
  static constexpr std::size_t kArguments = 3;

  NamedForm form = NamedForm::kMacro;
  std::string name;  // of the macro, class, function, method, table or key
  // For a method, the macro whose block it is in, if the macro's arguments include the object. In
  // Python, the module that the name is imported from.
  std::string module;
  // The first arguments: "Abs" for a name, "\"abs" for a string, "" for anything else.
  std::array<std::string, kArguments> arguments;
  bool inside = false;     // in the body of a function or class
  bool schema = false;     // a string is a schema: "abs(Tensor x) -> Tensor"
  std::size_t offset = 0;  // of the name; for a table or key, of its entry
};

// Where the construct that a name refers to is defined.
struct FoundDefinition {
  std::string name;
  std::size_t offset = 0;
};

struct FileUses {
  std::vector<NamedUse> uses;
  std::vector<FoundDefinition> definitions;
};

// Returns the uses in C++, and the macros that the text defines. A NUL byte must follow `text` in
// memory.
FileUses FindNamedCalls(std::string_view text);

// Returns the uses outside functions whose own names say that they register, and methods with a
// schema argument anywhere. Fast if no word of the text suggests a registration.
std::vector<NamedUse> FindLikelyCalls(std::string_view text);

// Returns whether the string literal is a schema, or the beginning of one: "add.out(Tensor a) ->
// Tensor".
bool IsSchema(std::string_view literal);

// Returns the text if it is a name as registries have them ("Abs", "aten::add.out",
// "lookup-table/v2"), or the part of a schema before '('. Returns "" for other text.
std::string NameIn(std::string_view text);

}  // namespace opledger::scan
