// What is given names where registrations stand: in C++ outside functions, in the blocks that
// macros open there, and in calls of `Register...` anywhere; in other languages by
// registry/scan/discover.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace opledger::scan {

// How names are given.
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

// One use of something that is given names.
struct NamedUse {
  static constexpr std::size_t kArguments = 3;

  NamedForm form = NamedForm::kMacro;
  std::string name;  // of the macro, class, function, method, table or key
  // Of a method, the macro whose block it stands in, if that is given what the method is called on.
  // In Python the module that it is imported from.
  std::string module;
  // The first arguments: "Abs" for a name, "\"abs" for a string; empty: anything else.
  std::array<std::string, kArguments> arguments;
  bool inside = false;     // the body of a function or class
  bool schema = false;     // some string goes on: "abs(Tensor x) -> Tensor"
  std::size_t offset = 0;  // of the name, or of what is given to a table or key
};

// Where something that uses may name is defined.
struct FoundDefinition {
  std::string name;
  std::size_t offset = 0;
};

struct FileUses {
  std::vector<NamedUse> uses;
  std::vector<FoundDefinition> definitions;
};

// The uses in C++, and the macros that the text defines. A NUL byte must follow `text` in memory.
FileUses FindNamedCalls(std::string_view text);

// Those outside of functions whose own name says that they register, and methods that are given a
// schema anywhere; quick where no word of the text does.
std::vector<NamedUse> FindLikelyCalls(std::string_view text);

// Whether the string literal is a schema: "add.out(Tensor a) -> Tensor", perhaps only its
// beginning.
bool IsSchema(std::string_view literal);

// A name as registries have them: "Abs", "aten::add.out", "lookup-table/v2"; of a schema what
// stands before '('. Empty: the text is none.
std::string NameIn(std::string_view text);

}  // namespace opledger::scan
