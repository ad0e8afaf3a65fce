// The Python files of a scan with their trees and evaluators, each read at most once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "registry/list_source/evaluate/evaluate.h"
#include "registry/python/python.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/python/modules.h"

namespace opledger::scan {

struct PythonModule {
  std::string path;
  std::shared_ptr<const SourceText> text;
  std::optional<PythonTree> tree;  // none: it could not be parsed
  Diagnostics diagnostics;         // why
  std::unique_ptr<PythonEvaluator> evaluator;
  bool evaluated = false;  // to the end; while it is being evaluated others see what it has so far
  bool whole = false;      // and the functions that nothing calls, too
  bool imports = false;    // the values of what it imports are looked up
  bool lacks_values = false;           // it would need them
  std::map<std::string, Facts> facts;  // of what it registers, by the file of the place
  std::set<PythonId> callees;          // the functions of calls that were understood
  std::set<PythonId> registering;      // calls that registered something, here or elsewhere
  std::set<std::string> handing_on;    // its functions that hand a parameter on to a sink
};

// What a name that is imported turns out to be.
struct PythonMeaning {
  enum class Kind { kNothing, kForeign, kModule, kValue };
  Kind kind = Kind::kNothing;
  std::string name;                // of kForeign: as another library has it
  PythonModule* module = nullptr;  // where the value is
  PythonValue value;
};

class PythonModuleTable {
 public:
  PythonModuleTable(const std::map<std::string, std::string>& texts, const PythonHooks& hooks)
      : texts_(texts), hooks_(hooks), names_(texts) {}

  // The text in which the project says what it is called: of "pkg.a.b" for a project "pkg" whose
  // root is the package, "a.b" is looked for.
  void NameProject(std::string text) { names_.NameProject(std::move(text)); }
  // Parses the file, whose tree is none after a syntax error. Gives nullptr if there is no such
  // file.
  PythonModule* Parse(const std::string& path);
  // The same, evaluated.
  PythonModule* Load(const std::string& path);
  // Evaluates it anew, as if it had not been.
  void Restart(PythonModule& module);
  PythonModule* Of(const PythonEvaluator& evaluator) const;
  const PythonModules& names() const { return names_; }
  // What `name` means in the file `from`; follows re-exports within the tree.
  PythonMeaning Meaning(const std::string& from, const std::string& name);
  // The names that `from MODULE import *` brings, and what they stand for.
  std::vector<std::pair<std::string, std::string>> Starred(const std::string& from,
                                                           const std::string& module);

 private:
  // Names that were looked up on the way, with their files.
  using Way = std::vector<std::pair<std::string, std::string>>;
  PythonMeaning Follow(const std::string& from, const std::string& name, Way& way);
  PythonMeaning MeaningIn(PythonModule& module, const std::string& rest, Way& way);

  const std::map<std::string, std::string>& texts_;
  const PythonHooks& hooks_;
  PythonModules names_;
  std::map<std::string, std::unique_ptr<PythonModule>> modules_;
  std::map<const PythonEvaluator*, PythonModule*> by_evaluator_;
  std::vector<std::unique_ptr<PythonEvaluator>> retired_;  // some may be at work
};

}  // namespace opledger::scan
