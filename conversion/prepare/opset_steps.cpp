// Reads the table of steps.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/prepare/opset_steps.h"

#include <charconv>

#include "registry/json/json_fields.h"
#include "registry/platform/platform.h"

namespace opledger {
namespace {

constexpr std::int64_t kLargest = 1 << 16;

std::vector<std::string> Texts(const JsonValue& list) {
  std::vector<std::string> texts;
  for (const JsonValue& item : list.items) texts.push_back(item.string);
  return texts;
}

std::map<std::string, std::string> TextMap(const JsonValue& object) {
  std::map<std::string, std::string> texts;
  for (const JsonMember& member : object.members) texts[member.key] = member.value.string;
  return texts;
}

OpsetStep::Input ReadInput(const JsonDocument& document, const JsonValue& value,
                           Diagnostics& diagnostics) {
  JsonFields fields(document, value, "input", diagnostics);
  OpsetStep::Input input;
  input.attribute = fields.String("attribute");
  input.input = static_cast<std::size_t>(fields.Integer("input", 0, 0, kLargest));
  input.type = fields.Choice("type", {"int64", "float32", "input"});
  input.scalar = fields.Boolean("scalar", false);
  input.shift = fields.Boolean("shift", false);
  if (value.Find("default") != nullptr) {
    input.fallback = fields.Integer("default", 0, -kLargest, kLargest);
  }
  fields.Finish();
  return input;
}

OpsetStep ReadStep(const JsonDocument& document, const JsonValue& value, Diagnostics& diagnostics) {
  JsonFields fields(document, value, "step", diagnostics);
  OpsetStep step;
  if (const JsonValue* only = fields.Take("only")) {
    for (const JsonMember& member : only->members) step.only[member.key] = Texts(member.value);
  }
  if (value.Find("unused_outputs") != nullptr) {
    step.unused_outputs =
        static_cast<std::size_t>(fields.Integer("unused_outputs", 0, 0, kLargest));
  }
  step.last_axis = fields.String("last_axis");
  step.upscales = fields.Boolean("upscales", false);
  for (const JsonValue& input : fields.Objects("inputs")) {
    step.inputs.push_back(ReadInput(document, input, diagnostics));
  }
  if (const JsonValue* values = fields.Take("values")) {
    for (const JsonMember& member : values->members) {
      step.values[member.key] = TextMap(member.value);
    }
  }
  if (const JsonValue* write = fields.Take("write")) step.write = TextMap(*write);
  step.remove = fields.Strings("remove");
  step.new_operator = fields.String("operator");
  step.count_outputs = fields.String("count_outputs");
  fields.Finish();
  return step;
}

}  // namespace

std::optional<OpsetSteps> OpsetSteps::Load(Diagnostics& diagnostics) {
  const auto document = ReadJson(DataDirectory() + "/operators/onnx-opsets.json", diagnostics);
  if (!document) return std::nullopt;
  JsonFields fields(*document, document->root, "opset steps", diagnostics);
  fields.Schema("opledger-opset-steps", 1);
  OpsetSteps steps;
  steps.newest_ = fields.Integer("newest", 1, 1, kLargest);
  if (const JsonValue* operators = fields.Require("operators")) {
    for (const JsonMember& op : operators->members) {
      for (const JsonMember& version : op.value.members) {
        int since = 0;
        std::from_chars(version.key.data(), version.key.data() + version.key.size(), since);
        steps.steps_[{op.key, since}] = ReadStep(*document, version.value, diagnostics);
      }
    }
  }
  if (!fields.Finish() || diagnostics.has_errors()) return std::nullopt;
  return steps;
}

const OpsetStep* OpsetSteps::Find(const std::string& op, int since) const {
  const auto found = steps_.find({op, since});
  return found == steps_.end() ? nullptr : &found->second;
}

}  // namespace opledger
