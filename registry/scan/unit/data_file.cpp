// LLVM's parser gives nodes in the order of the file, each once.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/unit/data_file.h"

#include <algorithm>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include "registry/scan/facts/schema_text.h"

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
  void Member(const std::string& key, yaml::Node* value, Registration& registration);
  void Add(const std::string& field, std::string key, std::string value,
           Registration& registration);
  void Problem(const char* place, std::string detail);

  const DataFile& how_;
  const std::string& path_;
  const std::string& text_;
  const char* counted_ = nullptr;  // up to where lines were counted
  int line_ = 1;
  Facts facts_;
};

// Asked for in ascending order; an earlier place starts the count anew.
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

// The text of a scalar; empty for anything else.
std::string DataReader::Scalar(yaml::Node* node) {
  llvm::SmallString<256> storage;
  if (auto* scalar = llvm::dyn_cast_or_null<yaml::ScalarNode>(node)) {
    const llvm::StringRef value = scalar->getValue(storage);
    // LLVM 16 takes the blank lines before a comment for part of what stands without quotes.
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

// A scalar is a value; of a sequence each item is; of a mapping each member is one, "CPU, CUDA: f"
// being two.
void DataReader::Member(const std::string& key, yaml::Node* value, Registration& registration) {
  auto field = how_.fields.find(key);
  if (field == how_.fields.end()) return value->skip();
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

void DataReader::Item(yaml::MappingNode& item) {
  Registration registration;
  const char* begin = item.getSourceRange().Start.getPointer();
  for (yaml::KeyValueNode& member : item) {
    std::string key = Scalar(member.getKey());
    yaml::Node* value = member.getValue();
    if (key != how_.name) {
      if (value != nullptr) Member(key, value, registration);
      continue;
    }
    std::string schema = Scalar(value);
    registration.name = SchemaName(schema);
    for (FieldFact& fact : SchemaFields(schema)) registration.fields.push_back(std::move(fact));
    if (value == nullptr) continue;
    const char* name = value->getSourceRange().Start.getPointer();
    if (name < text_.data() + text_.size() && (*name == '"' || *name == '\'')) ++name;
    registration.site.location = At(name);
    registration.site.location.end_column += static_cast<int>(registration.name.size());
  }
  if (registration.name.empty()) {
    return Problem(begin, "an item has no '" + how_.name + "', so it names no operator");
  }
  if (!how_.space.empty() && registration.name.find(how_.separator) == std::string::npos) {
    registration.name = how_.space + how_.separator + registration.name;
  }
  registration.site.macro = how_.name;
  registration.site.call = registration.site.location;
  facts_.registrations.push_back(std::move(registration));
}

Facts DataReader::Read() {
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
    auto* items = llvm::dyn_cast<yaml::SequenceNode>(root);
    if (items == nullptr) {
      Problem(root->getSourceRange().Start.getPointer(), "is not a sequence of operators");
      root->skip();
      continue;
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
  if (stream.failed() || !first.message.empty()) {
    Problem(first.place, "is malformed: " + first.message);
  }
  facts_.Normalise();
  return std::move(facts_);
}

}  // namespace

Facts ReadDataFile(const DataFile& how, const std::string& path, const std::string& text) {
  return DataReader(how, path, text).Read();
}

}  // namespace opledger::scan
