// Reads only the names in test lists, without evaluating anything: other arguments of such tests
// are computed.
// SPDX-License-Identifier: Apache-2.0
#include "registry/list_source/names/test_names.h"

#include <memory>
#include <utility>

#include "registry/python/parser.h"

namespace opledger {
namespace {

class TestReader {
 public:
  explicit TestReader(const PythonTree& tree) : tree_(tree) {}

  // The recursion depth is that of blocks, which the parser limits.
  void ReadStatements(PythonId block, const std::string& scope,
                      std::vector<TestList>& lists) const {
    for (const PythonId statement : tree_.Children(block)) {
      switch (tree_.Kind(statement)) {
        case PythonKind::kClass:
          ReadStatements(tree_.Child(statement, 3),
                         scope + std::string(tree_[statement].text) + '.', lists);
          break;
        case PythonKind::kFunction:
          ReadStatements(tree_.Child(statement, 4), scope, lists);
          break;
        case PythonKind::kAssign:
          for (const PythonId target : tree_.Children(statement).subspan(1)) {
            Read(target, tree_.Child(statement, 0), scope, lists);
          }
          break;
        case PythonKind::kAnnotatedAssign:
          Read(tree_.Child(statement, 0), tree_.Child(statement, 2), scope, lists);
          break;
        case PythonKind::kBlock:
        case PythonKind::kIf:
        case PythonKind::kBranch:
        case PythonKind::kFor:
        case PythonKind::kWhile:
        case PythonKind::kTry:
        case PythonKind::kHandler:
        case PythonKind::kWith:
          ReadStatements(statement, scope, lists);
          break;
        default:
          break;
      }
    }
  }

 private:
  static bool IsDisplay(PythonKind kind) {
    return kind == PythonKind::kList || kind == PythonKind::kTuple || kind == PythonKind::kSet;
  }

  void Read(PythonId target, PythonId value, const std::string& scope,
            std::vector<TestList>& lists) const {
    std::string name = tree_.DottedName(target);
    if (name.empty() || !IsDisplay(tree_.Kind(value))) return;
    if (name.starts_with("self.")) name.erase(0, 5);
    TestList& list = lists.emplace_back();
    list.name = scope + name;
    list.location = tree_.At(target);
    for (const PythonId item : tree_.Children(value)) {
      const PythonId first = IsDisplay(tree_.Kind(item)) ? tree_.Child(item, 0) : item;
      if (tree_.Kind(first) != PythonKind::kString || tree_[first].unknown) continue;
      list.names.push_back({std::string(tree_[first].text), tree_.At(first)});
    }
  }

  const PythonTree& tree_;
};

}  // namespace

std::vector<TestList> ReadTestLists(std::string path, std::string text, Diagnostics& diagnostics) {
  std::vector<TestList> lists;
  const auto source = std::make_shared<const SourceText>(std::move(path), std::move(text));
  const std::optional<PythonTree> tree = ParsePython(source, diagnostics);
  if (tree) TestReader(*tree).ReadStatements(tree->root(), "", lists);
  return lists;
}

}  // namespace opledger
