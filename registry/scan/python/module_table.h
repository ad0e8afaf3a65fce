// The Python files of a scan with their trees and evaluators. Each file is parsed at most once.
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
  std::optional<PythonTree> tree;  // nullopt: could not be parsed
  Diagnostics diagnostics;         // why it could not be parsed
  std::unique_ptr<PythonEvaluator> evaluator;
  bool evaluated = false;              // completely; until then, others see the values so far
  bool whole = false;                  // including functions that nothing calls
  bool imports = false;                // values of imported names are looked up
  bool lacks_values = false;           // such values would be needed
  std::map<std::string, Facts> facts;  // what it registers, by file of the location
  std::set<PythonId> callees;          // calls whose callees were resolved
  std::set<PythonId> registering;      // calls that registered something, here or elsewhere
  std::set<std::string> handing_on;    // its functions that forward a parameter to a sink
};

// Meaning of an imported name.
struct PythonMeaning {
  enum class Kind { kNothing, kForeign, kModule, kValue };
  Kind kind = Kind::kNothing;
  std::string name;                // of kForeign: the name in the other library
  PythonModule* module = nullptr;  // that contains the value
  PythonValue value;
};

class PythonModuleTable {
 public:
  PythonModuleTable(const std::map<std::string, std::string>& texts, const PythonHooks& hooks)
      : texts_(texts), hooks_(hooks), names_(texts) {}

  // Sets the text in which the project names itself. If the root of project "pkg" is the package,
  // "pkg.a.b" is looked up as "a.b".
  void NameProject(std::string text) { names_.NameProject(std::move(text)); }
  // Parses the file; its tree is nullopt after a syntax error. Returns nullptr if there is no such
  // file.
  PythonModule* Parse(const std::string& path);
  // Parses and evaluates the file. Returns nullptr if it cannot be parsed.
  PythonModule* Load(const std::string& path);
  // Evaluates the module from scratch.
  void Restart(PythonModule& module);
  PythonModule* Of(const PythonEvaluator& evaluator) const;
  const PythonModules& names() const { return names_; }
  // Returns the meaning of `name` in the file `from`. Follows re-exports within the tree.
  PythonMeaning Meaning(const std::string& from, const std::string& name);
  // Returns the names that `from MODULE import *` imports, and the names that they stand for.
  std::vector<std::pair<std::string, std::string>> Starred(const std::string& from,
                                                           const std::string& module);

 private:
  // Names that were looked up so far, with their files.
  using Way = std::vector<std::pair<std::string, std::string>>;
  PythonMeaning Follow(const std::string& from, const std::string& name, Way& way);
  PythonMeaning MeaningIn(PythonModule& module, const std::string& rest, Way& way);

  const std::map<std::string, std::string>& texts_;
  const PythonHooks& hooks_;
  PythonModules names_;
  std::map<std::string, std::unique_ptr<PythonModule>> modules_;
  std::map<const PythonEvaluator*, PythonModule*> by_evaluator_;
  std::vector<std::unique_ptr<PythonEvaluator>> retired_;  // may still be in use
};

}  // namespace opledger::scan
