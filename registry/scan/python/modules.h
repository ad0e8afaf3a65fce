// The Python modules of a tree, by name: which file an import means.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opledger::scan {

// A name that an import gives, taken apart: the module's file, and what of it is meant.
struct PythonTarget {
  std::string path;      // of a module of the tree; empty: the name is of another library
  std::string rest;      // "register.Inner"; empty: the module itself
  std::string absolute;  // the name without leading dots: "torch.library.custom_op"
};

class PythonModules {
 public:
  // `files`: all of the tree, relative to its root. A file's package begins below the last folder
  // upwards without an __init__.py; it is also known by its path from the root, from "src" and from
  // "python", where packages without an __init__.py are.
  explicit PythonModules(const std::map<std::string, std::string>& files);

  void NameProject(std::string text) { project_ = std::move(text); }
  // "pkg.ops" of "python/pkg/ops.py".
  std::string NameOf(const std::string& path) const;
  // What `name` means in the file `from`: "torch.library.custom_op", "..ops.register".
  PythonTarget Resolve(const std::string& from, const std::string& name) const;

 private:
  PythonTarget BelowProject(const std::string& from, PythonTarget target) const;
  const std::string* Find(const std::string& from, const std::string& module) const;

  std::string project_;
  std::map<std::string, std::string> names_;                           // by path
  std::map<std::string, std::set<std::string>, std::less<>> by_name_;  // paths
};

}  // namespace opledger::scan
