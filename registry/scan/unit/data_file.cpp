// Uses LLVM's YAML parser, which yields each node once, in file order.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/data_file.h"

#include <algorithm>

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "registry/scan/facts/schema_text.h"
#include "registry/text/text.h"

namespace opledger::scan {
namespace {

namespace yaml = llvm::yaml;

class DataReader {
 public:
  DataReader(const DataFile& how, const std::string& path, const std::string& text)
      : how_(how), path_(path), text_(text) {}

  Facts Read();

 private:
  Location At(const char* place);
  std::string Scalar(yaml::Node* node);
  void Item(yaml::MappingNode& item);
  void Items(yaml::Node& node);
  void Keyed(yaml::MappingNode& mapping);
  void ReadYaml();
  void ReadPattern();
  std::string WithoutComments() const;
  bool Name(std::string text, Location at, Registration& registration);
  void Member(const std::string& key, yaml::Node* value, Registration& registration);
  void Members(const std::string& key, yaml::Node* value, Registration& registration);
  void Add(const std::string& field, std::string key, std::string value,
           Registration& registration);
  void Problem(const char* place, std::string detail);
  void Note(const std::string& key, yaml::Node* value);
  std::string Qualified(std::string name) const;

  // State that relates the members of an item.
  struct ItemMembers {
    bool has_kernels = false;  // has a member of Implicit::unless
    std::string further;
    Location at;  // of `further`
  };

  const DataFile& how_;
  const std::string& path_;
  const std::string& text_;
  const char* counted_ = nullptr;  // position up to which lines were counted
  int line_ = 1;
  ItemMembers item_;
  Facts facts_;
};

// Fast for ascending positions; an earlier one restarts the count.
Location DataReader::At(const char* place) {
  const char* begin = text_.data();
  if (place < begin || place > begin + text_.size()) place = begin;
  if (counted_ == nullptr || place < counted_) {
    counted_ = begin;
    line_ = 1;
  }
  line_ += static_cast<int>(std::count(counted_, place, '\n'));
  counted_ = place;
  const char* line = place;
  while (line > begin && line[-1] != '\n') --line;
  Location location;
  location.path = path_;
  location.line = location.end_line = line_;
  location.column = location.end_column = static_cast<int>(place - line) + 1;
  return location;
}

void DataReader::Problem(const char* place, std::string detail) {
  facts_.incomplete.push_back({At(place), "file", std::move(detail)});
}

// Returns the text of a scalar; "" for any other node.
std::string DataReader::Scalar(yaml::Node* node) {
  llvm::SmallString<256> storage;
  if (auto* scalar = llvm::dyn_cast_or_null<yaml::ScalarNode>(node)) {
    const llvm::StringRef value = scalar->getValue(storage);
    // LLVM 16 includes blank lines before a comment in an unquoted scalar.
    const bool quoted = scalar->getRawValue().find_first_of("\"'") == 0;
    return (quoted ? value : value.rtrim()).str();
  }
  if (auto* block = llvm::dyn_cast_or_null<yaml::BlockScalarNode>(node)) {
    return block->getValue().str();
  }
  return {};
}

void DataReader::Add(const std::string& field, std::string key, std::string value,
                     Registration& registration) {
  FieldFact& fact = registration.fields.emplace_back();
  fact.field = field;
  fact.value.key = std::move(key);
  fact.value.value = std::move(value);
  fact.order = static_cast<int>(registration.fields.size());
}

// Reads a sequence of mappings, "kernels: [{kernel_name: f}]": the member that the field
// "kernels.kernel_name" names is a value.
void DataReader::Members(const std::string& key, yaml::Node* value, Registration& registration) {
  auto* sequence = llvm::dyn_cast_or_null<yaml::SequenceNode>(value);
  const auto nested = how_.fields.lower_bound(key + ".");
  if (sequence == nullptr || nested == how_.fields.end() || !nested->first.starts_with(key + ".")) {
    return value->skip();
  }
  for (yaml::Node& item : *sequence) {
    auto* mapping = llvm::dyn_cast<yaml::MappingNode>(&item);
    if (mapping == nullptr) {
      item.skip();
      continue;
    }
    for (yaml::KeyValueNode& member : *mapping) {
      const auto field = how_.fields.find(key + "." + Scalar(member.getKey()));
      if (field == how_.fields.end()) {
        if (member.getValue() != nullptr) member.getValue()->skip();
      } else {
        Add(field->second, {}, Scalar(member.getValue()), registration);
      }
    }
  }
}

// Adds a member's value: a scalar is one value, each item of a sequence is one, and each member of
// a mapping is one per key ("CPU, CUDA: f" has two).
void DataReader::Member(const std::string& key, yaml::Node* value, Registration& registration) {
  if (!how_.alias.empty() && key == how_.alias) {
    const auto add = [&](yaml::Node* node) {
      const std::string text = Scalar(node);
      if (text.empty()) return;
      registration.aliases.push_back({text, At(node->getSourceRange().Start.getPointer()), {}});
    };
    if (auto* all = llvm::dyn_cast<yaml::SequenceNode>(value)) {
      for (yaml::Node& item : *all) add(&item);
    } else {
      add(value);
    }
    return;
  }
  auto field = how_.fields.find(key);
  if (field == how_.fields.end()) return Members(key, value, registration);
  if (auto* mapping = llvm::dyn_cast_or_null<yaml::MappingNode>(value)) {
    for (yaml::KeyValueNode& member : *mapping) {
      std::string keys = Scalar(member.getKey()) + ",";
      std::string text = Scalar(member.getValue());
      for (std::size_t at = 0, comma; (comma = keys.find(',', at)) != std::string::npos;
           at = keys.find_first_not_of(" ,", comma)) {
        Add(field->second, keys.substr(at, comma - at), text, registration);
        if (keys.find_first_not_of(" ,", comma) == std::string::npos) break;
      }
    }
  } else if (auto* sequence = llvm::dyn_cast_or_null<yaml::SequenceNode>(value)) {
    for (yaml::Node& item : *sequence) Add(field->second, {}, Scalar(&item), registration);
  } else {
    Add(field->second, {}, Scalar(value), registration);
  }
}

// Sets the name and the fields of its schema. Returns false if the text does not contain a name.
bool DataReader::Name(std::string text, Location at, Registration& registration) {
  const std::size_t open = how_.alias_in_parentheses ? text.find(" (") : std::string::npos;
  const auto separator = how_.space.empty() ? std::string() : how_.space + how_.separator;
  if (open != std::string::npos && text.ends_with(')')) {
    std::string alias = text.substr(open + 2, text.size() - open - 3);
    text.resize(open);
    registration.aliases.push_back({separator + alias, at, {}});
  }
  registration.name = SchemaName(text);
  if (registration.name.empty()) return false;
  for (FieldFact& fact : SchemaFields(text)) registration.fields.push_back(std::move(fact));
  at.end_column += static_cast<int>(registration.name.size());
  registration.site.location = registration.site.call = at;
  registration.name = Qualified(std::move(registration.name));
  return true;
}

void DataReader::Item(yaml::MappingNode& item) {
  Registration registration;
  item_ = {};
  const char* begin = item.getSourceRange().Start.getPointer();
  bool named = false;
  for (yaml::KeyValueNode& member : item) {
    std::string key = Scalar(member.getKey());
    yaml::Node* value = member.getValue();
    const bool names = std::find(how_.names.begin(), how_.names.end(), key) != how_.names.end();
    if (!names || named || value == nullptr) {
      if (value == nullptr) continue;
      Note(key, value);
      Member(key, value, registration);
      continue;
    }
    const char* name = value->getSourceRange().Start.getPointer();
    if (name < text_.data() + text_.size() && (*name == '"' || *name == '\'')) ++name;
    named = Name(Scalar(value), At(name), registration);
    registration.site.macro = key;
  }
  if (!named) {
    return Problem(begin, "an item has no '" + Join(how_.names, "' or '") +
                              "', so it does not name an operator");
  }
  const bool implicit = !how_.implicit.unless.empty() && !item_.has_kernels;
  if (implicit) Add(how_.implicit.field, how_.implicit.key, {}, registration);
  const auto& further = how_.further;
  const auto& facts = registration.fields;
  const bool needed = std::any_of(facts.begin(), facts.end(), [&](const FieldFact& fact) {
    return fact.field == further.needs_field && fact.value.value == further.needs_value;
  });
  if (!item_.further.empty() && (!implicit || needed)) {
    for (std::string_view name : SplitAt(item_.further, ',')) {
      Registration beside;
      beside.name = Qualified(std::string(Trimmed(name)));
      beside.site = registration.site;
      beside.site.location = beside.site.call = item_.at;
      Add(further.field, further.key, {}, beside);
      Add("generated_by", {}, registration.name, beside);
      facts_.registrations.push_back(std::move(beside));
    }
  }
  facts_.registrations.push_back(std::move(registration));
}

// Updates item_ for a member.
void DataReader::Note(const std::string& key, yaml::Node* value) {
  const auto& unless = how_.implicit.unless;
  const bool has = std::find(unless.begin(), unless.end(), key) != unless.end();
  item_.has_kernels = item_.has_kernels || has;
  if (!how_.further.member.empty() && key == how_.further.member) {
    item_.further = Scalar(value);
    item_.at = At(value->getSourceRange().Start.getPointer());
  }
}

std::string DataReader::Qualified(std::string name) const {
  if (name.find(how_.separator) != std::string::npos || how_.space.empty()) return name;
  return how_.space + how_.separator + name;
}

// Reads operators by key: abs: {args: x}
void DataReader::Keyed(yaml::MappingNode& mapping) {
  for (yaml::KeyValueNode& member : mapping) {
    Registration registration;
    registration.site.macro = "key";
    const char* begin = member.getSourceRange().Start.getPointer();
    const bool named = Name(Scalar(member.getKey()), At(begin), registration);
    if (!named) Problem(begin, "a key is not the name of an operator");
    yaml::Node* value = member.getValue();
    if (auto* fields = llvm::dyn_cast_or_null<yaml::MappingNode>(value)) {
      for (yaml::KeyValueNode& field : *fields) {
        const std::string key = Scalar(field.getKey());
        if (field.getValue() != nullptr) Member(key, field.getValue(), registration);
      }
    } else if (value != nullptr) {
      value->skip();
    }
    if (named) facts_.registrations.push_back(std::move(registration));
  }
}

void DataReader::Items(yaml::Node& node) {
  if (how_.keyed) {
    if (auto* mapping = llvm::dyn_cast<yaml::MappingNode>(&node)) return Keyed(*mapping);
    Problem(node.getSourceRange().Start.getPointer(),
            "the value is not a mapping with operator names as keys");
    return node.skip();
  }
  auto* items = llvm::dyn_cast<yaml::SequenceNode>(&node);
  if (items == nullptr) {
    Problem(node.getSourceRange().Start.getPointer(), "the value is not a sequence of operators");
    return node.skip();
  }
  for (yaml::Node& item : *items) {
    if (auto* mapping = llvm::dyn_cast<yaml::MappingNode>(&item)) {
      Item(*mapping);
    } else {
      Problem(item.getSourceRange().Start.getPointer(), "an item is not a mapping");
      item.skip();
    }
  }
}

// Replaces comments by spaces, so that positions do not change.
std::string DataReader::WithoutComments() const {
  std::string text = text_;
  if (how_.comment.empty()) return text;
  for (std::size_t at = text.find(how_.comment); at != std::string::npos;
       at = text.find(how_.comment, at)) {
    while (at < text.size() && text[at] != '\n') text[at++] = ' ';
  }
  return text;
}

void DataReader::ReadPattern() {
  std::string error;
  const llvm::Regex pattern(how_.pattern, llvm::Regex::Newline);
  if (!pattern.isValid(error)) {
    return Problem(text_.data(), "cannot be read: the dialect's pattern '" + how_.pattern +
                                     "' is malformed: " + error);
  }
  const std::string text = WithoutComments();
  llvm::SmallVector<llvm::StringRef, 3> groups;
  for (llvm::StringRef rest = text; pattern.match(rest, &groups);) {
    const bool named = groups.size() > 1 && !groups[1].empty();
    if (named) {
      Registration registration;
      registration.site.macro = "pattern";
      const Location at = At(text_.data() + (groups[1].data() - text.data()));
      if (Name(groups[1].str(), at, registration)) {
        if (groups.size() > 2 && !groups[2].empty()) {
          registration.aliases.push_back({groups[2].str(), at, {}});
        }
        facts_.registrations.push_back(std::move(registration));
      }
    }
    const std::size_t behind =
        static_cast<std::size_t>(groups[0].data() - rest.data()) + groups[0].size();
    if (behind >= rest.size()) break;
    rest = rest.drop_front(std::max<std::size_t>(behind, 1));
  }
}

Facts DataReader::Read() {
  if (how_.pattern.empty()) {
    ReadYaml();
  } else {
    ReadPattern();
  }
  facts_.Normalise();
  return std::move(facts_);
}

void DataReader::ReadYaml() {
  llvm::SourceMgr sources;
  struct First {
    const char* place = nullptr;
    std::string message;
  } first;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& diagnostic, void* context) {
        auto& kept = *static_cast<First*>(context);
        if (!kept.message.empty()) return;
        kept.place = diagnostic.getLoc().getPointer();
        kept.message = diagnostic.getMessage().str();
      },
      &first);
  yaml::Stream stream(llvm::StringRef(text_.data(), text_.size()), sources, false);
  for (yaml::Document& document : stream) {
    yaml::Node* root = document.getRoot();
    if (root == nullptr || stream.failed()) break;
    auto* members = llvm::dyn_cast<yaml::MappingNode>(root);
    if (how_.under.empty() || members == nullptr) {
      Items(*root);
      continue;
    }
    bool found = false;
    for (yaml::KeyValueNode& member : *members) {
      const bool here = Scalar(member.getKey()) == how_.under;
      yaml::Node* value = member.getValue();
      found = found || here;
      if (value == nullptr) continue;
      if (here) {
        Items(*value);
      } else {
        value->skip();
      }
    }
    if (!found) Problem(text_.data(), "the file has no '" + how_.under + "'");
  }
  if (stream.failed() || !first.message.empty()) {
    Problem(first.place, "the file is malformed: " + first.message);
  }
}

}  // namespace

Facts ReadDataFile(const DataFile& how, const std::string& path, const std::string& text) {
  return DataReader(how, path, text).Read();
}

}  // namespace opledger::scan
