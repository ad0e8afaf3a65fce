// Uses LLVM's YAML parser, which yields each node once, in file order.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/outline/find_yaml_lists.h"

#include <algorithm>
#include <set>
#include <string>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "registry/text/location.h"

namespace opledger::scan {
namespace {

namespace yaml = llvm::yaml;

constexpr int kDeepest = 32;

bool NamesOperator(std::string_view key) { return key == "op" || key == "func" || key == "name"; }

class YamlLists {
 public:
  explicit YamlLists(std::string_view text) : text_(text) {}

  std::vector<CppList> Find() {
    llvm::SourceMgr sources;
    sources.setDiagHandler([](const llvm::SMDiagnostic&, void*) {}, nullptr);
    yaml::Stream stream(llvm::StringRef(text_.data(), text_.size()), sources, false);
    for (yaml::Document& document : stream) {
      yaml::Node* const root = document.getRoot();
      if (root == nullptr || stream.failed()) break;
      const bool again = !lists_.empty();
      Value(*root, "", 0);
      // It is not known which of several documents counts.
      for (CppList& list : lists_) {
        if (again) list.removed.push_back(list.begin);
      }
    }
    if (stream.failed()) lists_.clear();
    return std::move(lists_);
  }

 private:
  Span PlaceOf(const yaml::Node& node) const {
    const llvm::SMRange range = node.getSourceRange();
    const auto at = [&](llvm::SMLoc place) {
      return static_cast<std::size_t>(place.getPointer() - text_.data());
    };
    return {std::min(at(range.Start), text_.size()), std::min(at(range.End), text_.size())};
  }

  CppList& ListAt(const std::string& name, Span place) {
    const auto known = std::find_if(lists_.begin(), lists_.end(),
                                    [&](const CppList& list) { return list.name == name; });
    if (known != lists_.end()) return *known;
    CppList& list = lists_.emplace_back();
    list.name = name;
    list.begin = place.begin;
    list.end = place.end;
    return list;
  }

  static std::string TextOf(yaml::Node* node) {
    auto* const scalar = llvm::dyn_cast_or_null<yaml::ScalarNode>(node);
    if (scalar == nullptr) return {};
    llvm::SmallString<64> storage;
    return scalar->getValue(storage).str();
  }

  void Add(const std::string& name, Span list, std::string text, Span place) {
    ListAt(name, list).strings.push_back({std::move(text), false, place.begin, place.end, ""});
  }

  // `name`: the path to the value; "" at the root.
  void Value(yaml::Node& node, const std::string& name, int depth) {
    if (auto* const mapping = llvm::dyn_cast<yaml::MappingNode>(&node);
        mapping && depth < kDeepest) {
      std::set<std::string> keys;
      for (yaml::KeyValueNode& member : *mapping) Member(member, name, depth, keys);
    } else if (auto* const items = llvm::dyn_cast<yaml::SequenceNode>(&node)) {
      const Span place = head_.size() > 0 ? head_ : PlaceOf(node);
      for (yaml::Node& item : *items) Item(item, name, place);
    } else {
      node.skip();
    }
  }

  // `keys`: the previous keys of the mapping. A repeated key would replace the first one.
  void Member(yaml::KeyValueNode& member, const std::string& name, int depth,
              std::set<std::string>& keys) {
    yaml::Node* const key = member.getKey();
    const std::string word = TextOf(key);
    if (key == nullptr || word.empty()) return member.skip();
    const Span place = PlaceOf(*key);
    yaml::Node* const value = member.getValue();
    if (value == nullptr) return;
    if (llvm::isa<yaml::ScalarNode>(value)) {
      const std::string role = TextOf(value);
      if (!name.empty() && !role.empty()) Add(name + '.' + role, head_, word, place);
      return;
    }
    const Span outer = head_;
    head_ = place;
    const std::string path = name.empty() ? word : name + '.' + word;
    if (!keys.insert(word).second) ListAt(path, place).removed.push_back(place.begin);
    if (llvm::isa<yaml::AliasNode>(value)) {
      ListAt(path, place).removed.push_back(place.begin);
    } else {
      Value(*value, path, depth + 1);
    }
    head_ = outer;
  }

  void Item(yaml::Node& item, const std::string& name, Span list) {
    if (llvm::isa<yaml::ScalarNode>(&item)) {
      std::string text = TextOf(&item);
      Add(name, list, std::move(text), PlaceOf(item));
      return;
    }
    auto* const mapping = llvm::dyn_cast<yaml::MappingNode>(&item);
    bool found = false;
    if (mapping != nullptr) {
      for (yaml::KeyValueNode& member : *mapping) {
        const bool names = NamesOperator(TextOf(member.getKey()));
        yaml::Node* const value = member.getValue();
        const std::string text = names ? TextOf(value) : "";
        if (value != nullptr && (!names || text.empty())) value->skip();
        if (text.empty() || found) continue;
        found = true;
        Add(name, list, text.substr(0, text.find('(')), PlaceOf(*value));
      }
    } else {
      item.skip();
    }
    if (!found) ListAt(name, list).removed.push_back(PlaceOf(item).begin);
  }

  std::string_view text_;
  Span head_;  // of the enclosing key
  std::vector<CppList> lists_;
};

}  // namespace

std::vector<CppList> FindYamlLists(std::string_view text) { return YamlLists(text).Find(); }

}  // namespace opledger::scan
