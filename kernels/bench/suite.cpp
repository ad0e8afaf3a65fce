// Shapes and files of inputs are objects in the file and "NAME=VALUE" in options.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench/suite.h"

#include <algorithm>
#include <filesystem>

#include "kernels/bench/ratios.h"
#include "registry/json/json_fields.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;

class SuiteReader {
 public:
  SuiteReader(const JsonDocument& document, Diagnostics& diagnostics)
      : document_(document),
        folder_(fs::path(document.path.text()).parent_path()),
        diagnostics_(diagnostics) {}

  bool ReadModel(const JsonValue& item, BenchModel& model);
  bool ReadFamily(const JsonValue& item, BenchFamily& family);
  bool ReadBar(const JsonValue& item, Bar& bar);

 private:
  std::string PathOf(const std::string& path) const {
    return path.empty() ? path : (folder_ / path).lexically_normal().string();
  }
  std::vector<std::string> ReadShapes(JsonFields& fields, const char* key);
  std::vector<std::pair<std::string, std::string>> ReadFiles(JsonFields& fields, const char* key);
  std::optional<double> ReadNumber(JsonFields& fields, const char* key);

  const JsonDocument& document_;
  fs::path folder_;
  Diagnostics& diagnostics_;
  bool read_ = true;  // whether all objects were valid
};

std::vector<std::string> SuiteReader::ReadShapes(JsonFields& fields, const char* key) {
  std::vector<std::string> shapes;
  const JsonValue* object = fields.Take(key);
  if (object == nullptr) return shapes;
  for (const JsonMember& member : object->members) {
    std::string text = member.key + "=";
    for (const JsonValue& each : member.value.items) {
      if (each.kind != JsonValue::Kind::kInteger || each.integer < 0) {
        fields.Error(each.span, "a dimension must be a number of at least 0");
      }
      text += (text.back() == '=' ? "" : ",") + std::to_string(each.integer);
    }
    if (member.value.kind != JsonValue::Kind::kArray) {
      fields.Error(member.value.span, "a shape must be an array of numbers");
    }
    shapes.push_back(std::move(text));
  }
  if (object->kind != JsonValue::Kind::kObject) {
    fields.Error(object->span,
                 std::string("'") + key + "' must be an object of inputs and their shapes");
  }
  return shapes;
}

std::vector<std::pair<std::string, std::string>> SuiteReader::ReadFiles(JsonFields& fields,
                                                                        const char* key) {
  std::vector<std::pair<std::string, std::string>> files;
  const JsonValue* object = fields.Take(key);
  if (object == nullptr) return files;
  JsonFields named(document_, *object, key, diagnostics_);
  for (const JsonMember& member : object->members) {
    files.emplace_back(member.key, PathOf(named.RequiredString(member.key)));
  }
  if (!named.Finish()) read_ = false;
  return files;
}

std::optional<double> SuiteReader::ReadNumber(JsonFields& fields, const char* key) {
  const JsonValue* value = fields.Take(key);
  if (value == nullptr) return std::nullopt;
  const bool number =
      value->kind == JsonValue::Kind::kInteger || value->kind == JsonValue::Kind::kFloat;
  if (number && value->number >= 0) return value->number;
  fields.Error(value->span, std::string("'") + key + "' must be a number of at least 0");
  return std::nullopt;
}

bool SuiteReader::ReadModel(const JsonValue& item, BenchModel& model) {
  JsonFields fields(document_, item, "model", diagnostics_);
  model.path = PathOf(fields.RequiredString("model"));
  model.params = PathOf(fields.String("params"));
  for (const auto& [name, file] : ReadFiles(fields, "inputs")) {
    model.inputs.given.push_back(name + "=" + file);
  }
  model.inputs.shapes = ReadShapes(fields, "input_shapes");
  model.new_shapes = ReadShapes(fields, "new_shapes");
  for (const auto& [dtype, file] : ReadFiles(fields, "converted")) model.converted[dtype] = file;
  return fields.Finish() && read_;
}

bool SuiteReader::ReadFamily(const JsonValue& item, BenchFamily& family) {
  JsonFields fields(document_, item, "family", diagnostics_);
  family.name = fields.RequiredString("family");
  bool ok = true;
  for (const JsonValue& model : fields.Objects("models")) {
    ok = ReadModel(model, family.models.emplace_back()) && ok;
  }
  if (ok && family.models.empty()) fields.Error(item.span, "a family must have at least one model");
  return fields.Finish() && ok;
}

bool SuiteReader::ReadBar(const JsonValue& item, Bar& bar) {
  JsonFields fields(document_, item, "bar", diagnostics_);
  if (fields.Require("ratio") != nullptr) {
    bar.ratio = fields.Choice("ratio", {kRatios.begin(), kRatios.end()});
  }
  bar.mean = ReadNumber(fields, "mean");
  bar.each = ReadNumber(fields, "each");
  bar.or_seconds = ReadNumber(fields, "or_seconds").value_or(0);
  bar.families = fields.Strings("families");
  bar.where = fields.String("where");
  if (!bar.mean && !bar.each) fields.Error(item.span, "a bar needs 'mean', 'each' or both");
  return fields.Finish();
}

}  // namespace

std::optional<BenchSuite> ReadSuite(const std::string& path, Diagnostics& diagnostics) {
  const auto document = ReadJson(path, diagnostics);
  if (!document) return std::nullopt;
  JsonFields fields(*document, document->root, "suite", diagnostics);
  SuiteReader reader(*document, diagnostics);
  BenchSuite suite;
  bool ok = true;
  for (const JsonValue& item : fields.Objects("families")) {
    ok = reader.ReadFamily(item, suite.families.emplace_back()) && ok;
  }
  for (const JsonValue& item : fields.Objects("bars")) {
    ok = reader.ReadBar(item, suite.bars.emplace_back()) && ok;
  }
  for (const Bar& bar : suite.bars) {
    for (const std::string& name : bar.families) {
      const auto named = [&](const BenchFamily& family) { return family.name == name; };
      if (ok && std::none_of(suite.families.begin(), suite.families.end(), named)) {
        fields.Error(document->root.span,
                     "a bar names the family '" + name + "', which does not exist");
      }
    }
  }
  if (ok && suite.families.empty()) {
    fields.Error(document->root.span, "a suite must have 'families', at least one");
  }
  if (!fields.Finish() || !ok) return std::nullopt;
  return suite;
}

}  // namespace opledger
