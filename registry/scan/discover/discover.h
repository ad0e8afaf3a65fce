// What looks like registration in a tree that no dialect describes: macros, functions, classes,
// decorators and data keys that are given many names where registrations stand, ranked, and a
// dialect that reads the likeliest. In: a tree. Out: candidates with places, JSON text.
// May include: registry/dialect, registry/json, registry/python, registry/source, registry/text,
// registry/scan/lex, registry/scan/tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/source/source.h"
#include "registry/text/location.h"

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

// Something that is given at least three different names.
struct Candidate {
  NamedForm form = NamedForm::kMacro;
  std::string name;
  std::string module;
  std::size_t argument = 0;  // index of the one that is the name
  bool quoted = false;       // mostly a string
  bool schema = false;
  bool scoped = false;          // some name is in a namespace
  bool says_registers = false;  // its own name does
  std::size_t uses = 0;
  std::map<std::string, Location> values;  // name -> where it is first given
  std::map<std::string, int> folders;      // of the files, with how many uses
  std::map<std::string, int> files;
  std::optional<Location> definition;  // in the tree
  double score = 0;
};

// The candidates, the likeliest first. Folders of tests, examples, builds and other projects are
// left out.
std::vector<Candidate> Discover(const Source& source);

// How many of the candidates, from the first on, a dialect should read: none where none is likely.
std::vector<std::size_t> LikelyCandidates(const std::vector<Candidate>& candidates);

// A dialect that reads those, with comments that say why.
std::string StarterDialect(const std::string& name, const std::vector<Candidate>& candidates,
                           const std::vector<std::size_t>& chosen);

// The candidates, which of them were chosen, and the dialect, as JSON for `opledger init`.
std::string DiscoveryJson(const std::string& name, const std::vector<Candidate>& candidates);

// A name as registries have them: "Abs", "aten::add.out", "lookup-table/v2"; of a schema what
// stands before '('. Empty: the text is none.
std::string NameIn(std::string_view text);

}  // namespace opledger::scan
