// Statements that only cast and call, and the types of the casts; see autocast_kernel.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/python/autocast_kernel.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "registry/scan/python/registrations.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMostNested = 8;  // blocks of `with`

class KernelReader {
 public:
  explicit KernelReader(const PythonTree& tree) : tree_(tree) {}

  std::string Read(PythonId function) {
    const PythonId body = tree_.Child(function, 4);
    if (!ReadBlock(body, 0) || !disabled_ || !calls_) return {};
    FindCasts(body);
    return types_.size() == 1 ? *types_.begin() : std::string();
  }

 private:
  bool ReadBlock(PythonId block, std::size_t depth) {
    const auto statements = tree_.Children(block);
    return depth < kMostNested &&
           std::all_of(statements.begin(), statements.end(),
                       [&](PythonId statement) { return ReadStatement(statement, depth); });
  }

  bool ReadStatement(PythonId statement, std::size_t depth) {
    switch (tree_.Kind(statement)) {
      case PythonKind::kAssign:
        NoteNames(statement);
        return true;
      case PythonKind::kExpressionStatement:
      case PythonKind::kPass:
        return true;
      case PythonKind::kReturn:
        calls_ = calls_ || disabled_;
        return true;
      case PythonKind::kWith:
        return ReadWith(statement, depth);
      default:
        return false;
    }
  }

  bool ReadWith(PythonId with, std::size_t depth) {
    for (const PythonId item : tree_.Children(with).subspan(1)) {
      disabled_ = disabled_ || Disables(tree_.Child(item, 0));
    }
    return ReadBlock(tree_.Child(with, 0), depth + 1);
  }

  // torch.amp.autocast("cuda", enabled=False), or a guard that leaves the dispatch keys out.
  bool Disables(PythonId call) const {
    if (tree_.Kind(call) != PythonKind::kCall) return false;
    const PythonNode& function = tree_[tree_.Child(call, 0)];
    if (function.text == "_AutoDispatchBelowAutocast" ||
        function.text == "_ExcludeDispatchKeyGuard") {
      return true;
    }
    if (function.text != "autocast") return false;
    const auto arguments = tree_.Children(call).subspan(1);
    return std::any_of(arguments.begin(), arguments.end(), [&](PythonId argument) {
      return tree_.Kind(argument) == PythonKind::kKeyword && tree_[argument].text == "enabled" &&
             tree_[tree_.Child(argument, 0)].text == "False";
    });
  }

  void NoteNames(PythonId assignment) {
    for (const PythonId target : tree_.Children(assignment).subspan(1)) {
      if (tree_.Kind(target) != PythonKind::kName) continue;
      const auto [known, is_new] =
          values_.try_emplace(tree_[target].text, tree_.Child(assignment, 0));
      if (!is_new) known->second = 0;  // not one value
    }
  }

  // Of the expression of a type; "" if it is not known.
  std::string TypeOf(PythonId expression) const {
    if (tree_.Kind(expression) == PythonKind::kName) {
      const auto known = values_.find(tree_[expression].text);
      if (known == values_.end() || tree_.Kind(known->second) == PythonKind::kName) return {};
      return TypeOf(known->second);
    }
    if (tree_.Kind(expression) == PythonKind::kCall) {
      const std::string_view function = tree_[tree_.Child(expression, 0)].text;
      const bool context =
          function == "get_autocast_dtype" || function == "get_autocast_gpu_dtype" ||
          function == "get_autocast_cpu_dtype" || function == "get_autocast_xpu_dtype";
      return context ? kContextType : "";
    }
    const std::string name = tree_.DottedName(expression);
    return name.starts_with("torch.") ? DtypeOfPython(name) : std::string();
  }

  void AddCast(PythonId expression) { types_.insert(TypeOf(expression)); }

  // x.to(T), x.half(), _cast(arguments, device, T): every one adds its type, an unknown one too.
  void ReadCast(PythonId call) {
    const PythonId callee = tree_.Child(call, 0);
    const std::string_view function = tree_[callee].text;
    const auto arguments = tree_.Children(call).subspan(1);
    if (tree_.Kind(callee) == PythonKind::kAttribute && arguments.empty() &&
        !DtypeOfPython(function).empty()) {
      types_.insert(DtypeOfPython(function));
    } else if (function == "to" || function == "type") {
      const auto named = std::find_if(arguments.begin(), arguments.end(), [&](PythonId argument) {
        return tree_.Kind(argument) == PythonKind::kKeyword && tree_[argument].text == "dtype";
      });
      const bool given = named != arguments.end();
      AddCast(given ? tree_.Child(*named, 0) : arguments.empty() ? 0 : arguments.front());
    } else if (function == "_cast" || function == "cast") {
      AddCast(arguments.empty() ? 0 : arguments.back());
    }
  }

  void FindCasts(PythonId body) {
    std::vector<PythonId> open = {body};
    while (!open.empty()) {
      const PythonId id = open.back();
      open.pop_back();
      if (tree_.Kind(id) == PythonKind::kCall) ReadCast(id);
      for (const PythonId child : tree_.Children(id)) open.push_back(child);
    }
  }

  const PythonTree& tree_;
  bool disabled_ = false;                        // autocast, from there on
  bool calls_ = false;                           // returns something with autocast disabled
  std::map<std::string_view, PythonId> values_;  // of names that the body assigns
  std::set<std::string> types_;                  // of its casts
};

}  // namespace

std::string AutocastCast(const PythonTree& tree, PythonId function) {
  if (tree.Kind(function) != PythonKind::kFunction) return {};
  return KernelReader(tree).Read(function);
}

}  // namespace opledger::scan
