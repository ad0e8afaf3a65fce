// The syntax tree of a Python module; see ast.h.
// SPDX-License-Identifier: Apache-2.0
#include "registry/python/ast.h"

#include <iterator>
#include <utility>

namespace opledger {
namespace {

constexpr const char* kPythonKindNames[] = {"None",
                                            "Module",
                                            "Block",
                                            "ExpressionStatement",
                                            "Assign",
                                            "AugmentedAssign",
                                            "AnnotatedAssign",
                                            "Delete",
                                            "Pass",
                                            "Break",
                                            "Continue",
                                            "Global",
                                            "Nonlocal",
                                            "Import",
                                            "ImportFrom",
                                            "Alias",
                                            "Return",
                                            "Raise",
                                            "Assert",
                                            "TypeAlias",
                                            "If",
                                            "Branch",
                                            "For",
                                            "While",
                                            "Try",
                                            "Handler",
                                            "With",
                                            "WithItem",
                                            "Function",
                                            "Class",
                                            "Decorators",
                                            "Arguments",
                                            "Match",
                                            "Case",
                                            "Parameters",
                                            "PositionalParameter",
                                            "Parameter",
                                            "StarParameter",
                                            "KeywordParameter",
                                            "DoubleStarParameter",
                                            "TypeParameters",
                                            "TypeParameter",
                                            "TypeTupleParameter",
                                            "TypeKeywordParameter",
                                            "Name",
                                            "Number",
                                            "Constant",
                                            "String",
                                            "Bytes",
                                            "Format",
                                            "Replacement",
                                            "Attribute",
                                            "Call",
                                            "Keyword",
                                            "Subscript",
                                            "Slice",
                                            "Unary",
                                            "Binary",
                                            "Boolean",
                                            "Comparison",
                                            "Compared",
                                            "Conditional",
                                            "Lambda",
                                            "List",
                                            "Tuple",
                                            "Set",
                                            "Dict",
                                            "Pair",
                                            "ListComprehension",
                                            "SetComprehension",
                                            "DictComprehension",
                                            "Generator",
                                            "Clause",
                                            "Starred",
                                            "Named",
                                            "Await",
                                            "Yield",
                                            "YieldFrom",
                                            "ValuePattern",
                                            "CapturePattern",
                                            "SequencePattern",
                                            "StarPattern",
                                            "MappingPattern",
                                            "PairPattern",
                                            "ClassPattern",
                                            "KeywordPattern",
                                            "OrPattern"};
static_assert(std::size(kPythonKindNames) == static_cast<std::size_t>(PythonKind::kOrPattern) + 1);

}  // namespace

const char* PythonKindName(PythonKind kind) {
  return kPythonKindNames[static_cast<std::size_t>(kind)];
}

PythonTree::PythonTree(std::shared_ptr<const SourceText> source)
    : source_(std::move(source)), nodes_(1) {}

std::span<const PythonId> PythonTree::Children(PythonId id) const {
  const PythonNode& node = nodes_[id];
  return std::span<const PythonId>(children_).subspan(node.first_child, node.child_count);
}

PythonId PythonTree::Child(PythonId id, std::size_t index) const {
  const std::span<const PythonId> children = Children(id);
  return index < children.size() ? children[index] : 0;
}

Location PythonTree::At(PythonId id) const { return source_->At(nodes_[id].begin, nodes_[id].end); }

std::string_view PythonTree::Spelling(PythonId id) const {
  const PythonNode& node = nodes_[id];
  return std::string_view(source_->text()).substr(node.begin, node.end - node.begin);
}

PythonId PythonTree::Keyword(PythonId call, std::string_view name) const {
  for (const PythonId argument : Children(call)) {
    const bool found = Kind(argument) == PythonKind::kKeyword && nodes_[argument].text == name;
    if (found) return Child(argument, 0);
  }
  return 0;
}

std::string PythonTree::DottedName(PythonId id) const {
  std::string name;
  for (; Kind(id) == PythonKind::kAttribute; id = Child(id, 0)) {
    name.insert(0, "." + std::string(nodes_[id].text));
  }
  return Kind(id) == PythonKind::kName ? std::string(nodes_[id].text) + name : "";
}

}  // namespace opledger
