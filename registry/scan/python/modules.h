// Finds the Python modules of a tree by name, to resolve imports to files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace opledger::scan {

// An imported name, split into the module's file and the rest.
struct PythonTarget {
  std::string path;      // of a module of the tree; empty: a name of another library
  std::string rest;      // "register.Inner"; empty: the module itself
  std::string absolute;  // the name without leading dots: "torch.library.custom_op"
};

class PythonModules {
 public:
  // `files`: all files of the tree, relative to its root. A file's package begins below the nearest
  // parent folder without an __init__.py. The file is also known by its paths from the root, from
  // "src" and from "python", since packages there may lack an __init__.py.
  explicit PythonModules(const std::map<std::string, std::string>& files);

  void NameProject(std::string text) { project_ = std::move(text); }
  // Returns the module's name: "pkg.ops" for "python/pkg/ops.py".
  std::string NameOf(const std::string& path) const;
  // Resolves `name` as used in the file `from`: "torch.library.custom_op", "..ops.register".
  PythonTarget Resolve(const std::string& from, const std::string& name) const;

 private:
  PythonTarget BelowProject(const std::string& from, PythonTarget target) const;
  const std::string* Find(const std::string& from, const std::string& module) const;

  std::string project_;
  std::map<std::string, std::string> names_;                           // by path
  std::map<std::string, std::set<std::string>, std::less<>> by_name_;  // paths
};

}  // namespace opledger::scan
