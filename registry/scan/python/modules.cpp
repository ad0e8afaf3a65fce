// Names modules by their paths and the places of __init__.py files; see modules.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/modules.h"

#include <algorithm>

#include "registry/text/text.h"

namespace opledger::scan {
namespace {

std::string FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? "" : path.substr(0, slash));
}

// "a/b/__init__.py" -> "a.b", "a/b.py" -> "a.b".
std::string Dotted(std::string_view path) {
  path.remove_suffix(3);
  if (path == "__init__") return {};
  if (path.ends_with("/__init__")) path.remove_suffix(9);
  std::string name(path);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::string_view Below(std::string_view path, std::string_view folder) {
  return folder.empty() ? path : path.substr(folder.size() + 1);
}

// Returns the length of the common prefix of two paths.
std::size_t Common(const std::string& one, const std::string& other) {
  const std::size_t most = std::min(one.size(), other.size());
  return static_cast<std::size_t>(
      std::mismatch(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(most), other.begin())
          .first -
      one.begin());
}

}  // namespace

PythonModules::PythonModules(const std::map<std::string, std::string>& files) {
  for (const auto& [path, text] : files) {
    std::string root = FolderOf(path);
    while (!root.empty() && files.contains(root + "/__init__.py")) root = FolderOf(root);
    const std::string name = Dotted(Below(path, root));
    names_[path] = name.empty() ? "__init__" : name;
    by_name_[name].insert(path);
    by_name_[Dotted(path)].insert(path);
    for (const char* folder : {"src/", "python/"}) {
      const std::size_t at = path.find(folder);
      const bool whole = at == 0 || (at != std::string::npos && path[at - 1] == '/');
      if (whole)
        by_name_[Dotted(std::string_view(path).substr(at + std::string_view(folder).size()))]
            .insert(path);
    }
  }
  by_name_.erase("");
}

std::string PythonModules::NameOf(const std::string& path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? std::string() : found->second;
}

const std::string* PythonModules::Find(const std::string& from, const std::string& module) const {
  const auto found = by_name_.find(module);
  if (found == by_name_.end()) return nullptr;
  return &*std::max_element(
      found->second.begin(), found->second.end(),
      [&](const auto& one, const auto& other) { return Common(one, from) < Common(other, from); });
}

// Resolves "executorch.a.b" if the root of the tree is the package "executorch".
PythonTarget PythonModules::BelowProject(const std::string& from, PythonTarget target) const {
  const std::size_t dot = target.absolute.find('.');
  if (dot == std::string::npos || project_.empty()) return target;
  const std::string first = target.absolute.substr(0, dot);
  if (!ContainsWord(project_, first)) return target;
  std::string module = target.absolute.substr(dot + 1);
  const std::string rest = module;
  while (module.find('.') != std::string::npos) {
    if (const std::string* found = Find(from, module)) {
      target.path = *found;
      target.rest = rest.substr(std::min(rest.size(), module.size() + 1));
      return target;
    }
    module = module.substr(0, module.rfind('.'));
  }
  return target;
}

PythonTarget PythonModules::Resolve(const std::string& from, const std::string& name) const {
  PythonTarget target;
  std::size_t dots = 0;
  while (dots < name.size() && name[dots] == '.') ++dots;
  std::string folder;
  if (dots > 0) {
    folder = FolderOf(from);
    for (std::size_t i = 1; i < dots; ++i) folder = FolderOf(folder);
  }
  target.absolute = name.substr(dots);
  // Find the longest prefix that is a module.
  std::string module = target.absolute;
  while (true) {
    const std::string* found = nullptr;
    std::string path = folder.empty() ? "" : folder + "/";
    std::string part = module;
    std::replace(part.begin(), part.end(), '.', '/');
    if (dots > 0) {
      for (const std::string& each : {path + part + "/__init__.py", path + part + ".py"}) {
        const auto known = names_.find(module.empty() ? path + "__init__.py" : each);
        if (known != names_.end()) found = &known->first;
        if (found != nullptr) break;
      }
    } else if (!module.empty()) {
      found = Find(from, module);
    }
    if (found != nullptr) {
      target.path = *found;
      target.rest = target.absolute.substr(module.size());
      if (target.rest.starts_with('.')) target.rest.erase(0, 1);
      return target;
    }
    if (module.empty()) return BelowProject(from, target);
    const std::size_t dot = module.rfind('.');
    module = dot == std::string::npos ? "" : module.substr(0, dot);
  }
}

}  // namespace opledger::scan
