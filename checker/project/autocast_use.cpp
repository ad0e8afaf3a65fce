// Parses only files that contain the name of the context.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/autocast_use.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "registry/python/parser.h"

namespace opledger {
namespace {

constexpr std::size_t kLargestPython = 4 << 20;

class UseFinder {
 public:
  UseFinder(const Source& source, const std::string& function, AutocastUse& use)
      : source_(source), function_(function), use_(use) {}

  void Look() {
    std::vector<std::string> folders = {""};
    while (!folders.empty()) {
      const std::string folder = std::move(folders.back());
      folders.pop_back();
      std::vector<FolderEntry> entries;
      source_.List(folder, entries);
      for (const FolderEntry& entry : entries) {
        const std::string path = folder.empty() ? entry.name : folder + '/' + entry.name;
        const bool hidden = entry.name.starts_with('.');
        if (entry.kind == PathKind::kFolder && !hidden) folders.push_back(path);
        if (entry.kind == PathKind::kFile && entry.name.ends_with(".py")) LookInto(path);
      }
    }
    if (!use_.first) use_.first = disabling_;
  }

 private:
  void LookInto(const std::string& path) {
    std::optional<std::string> text = source_.Read(path, kLargestPython, Reach::kBelow);
    if (!text || text->find(function_) == std::string::npos) return;
    Diagnostics ignored;
    const auto tree =
        ParsePython(std::make_shared<const SourceText>(path, std::move(*text)), ignored);
    if (!tree) return;
    for (PythonId id = 1; id < tree->size(); ++id) {
      if (!IsCall(*tree, id)) continue;
      const bool disables = Disables(*tree, id);
      ++(disables ? use_.disabling : use_.calls);
      std::optional<Location>& first = disables ? disabling_ : use_.first;
      const Location place = tree->At(id);
      if (!first || place < *first) first = place;
    }
  }

  bool IsCall(const PythonTree& tree, PythonId id) const {
    const PythonId callee = tree.Child(id, 0);
    return tree.Kind(id) == PythonKind::kCall && tree[callee].text == function_ &&
           !tree.DottedName(callee).empty();
  }

  static bool Disables(const PythonTree& tree, PythonId call) {
    return tree[tree.Keyword(call, "enabled")].text == "False";
  }

  const Source& source_;
  const std::string& function_;
  AutocastUse& use_;
  std::optional<Location> disabling_;
};

}  // namespace

bool HasAutocastKernel(const Operator& op, const AutocastKernels& autocast,
                       const std::string& device) {
  const auto kernels = op.fields.find(autocast.field);
  return kernels != op.fields.end() &&
         std::any_of(kernels->second.begin(), kernels->second.end(), [&](const FieldValue& kernel) {
           const std::string of = autocast.DeviceOf(kernel.key);
           return !of.empty() && (device.empty() || of == device);
         });
}

AutocastUse FindAutocastUse(const Source& source, const AutocastKernels& autocast,
                            const Manifest& manifest) {
  AutocastUse use;
  for (const Operator& op : manifest.operators) {
    const bool rule = op.fields.contains(autocast.policy);
    if (rule || HasAutocastKernel(op, autocast, {})) ++use.operators;
  }
  if (!autocast.context.empty()) UseFinder(source, autocast.context, use).Look();
  return use;
}

}  // namespace opledger
