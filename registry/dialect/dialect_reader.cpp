// Reads a dialect file. Every mistake is reported with its position.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "registry/dialect/dialect.h"
#include "registry/dialect/dialect_kernel_reader.h"
#include "registry/dialect/extend_dialect.h"
#include "registry/json/json_fields.h"
#include "registry/project/contained_path.h"
#include "registry/text/dtype.h"
#include "registry/text/suggestion.h"

namespace opledger {
namespace {

// Reads one dialect document; each method reads one part.
class DialectReader {
 public:
  DialectReader(const JsonDocument& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  std::optional<Dialect> Read();

 private:
  NameForm ReadForm(JsonFields& fields, const JsonValue& value, NameForm fallback);
  bool ReadScopeMethod(const JsonValue& value);
  bool ReadData(const JsonValue& value);
  bool ReadSink(const JsonValue& value);
  bool ReadPrefix(JsonFields& fields, const JsonValue& value, Sink& sink);
  bool ReadChainMethod(const JsonValue& value);
  ChainMethod::Detail ReadDetail(const JsonMember& member);
  bool ReadEvaluation(const JsonValue& value);
  bool ReadFactOverride(const JsonValue& value);
  bool ReadUnlistedSource(const JsonValue& value);
  void ReadLists(JsonFields& fields);
  bool ReadDeviceKernels(const JsonValue& value);
  bool ReadAutocastKernels(const JsonValue& value);
  bool ReadDevices(JsonFields& fields, std::map<std::string, std::vector<std::string>>& devices);
  bool ReadRelations(const JsonValue& value);
  bool ReadKeptList(const JsonValue& item);
  void ReadExclude(const JsonValue& value);
  // `may_climb`: allows ".." to leave the root; the scan confines such paths to the repository.
  std::vector<std::string> ReadPaths(JsonFields& fields, std::string_view key,
                                     bool may_climb = false);
  bool ReadTypes(const JsonValue& value);
  bool ReadFilter(const JsonValue& value, std::vector<Filter>& filters);
  bool ReadKnownDynamic(const JsonValue& value);
  bool ReadBuildName(const JsonValue& value);
  bool ReadPathCondition(const JsonValue& value);
  static std::vector<std::string> ReadMembers(JsonFields& fields, std::string_view key);
  bool ReadSuspicious(const JsonValue& value);
  bool ReadAttributeSets(const JsonValue& value);
  bool ReadKeyFields(const JsonValue& value);
  std::map<std::string, std::string> ReadNames(JsonFields& fields, std::string_view key,
                                               bool empty_too = false);
  bool CheckWhole(JsonFields& fields);

  template <typename Function>
  void ForEach(JsonFields& fields, std::string_view key, Function read) {
    for (const JsonValue& item : fields.Objects(key)) ok_ = read(item) && ok_;
  }

  const JsonDocument& document_;
  Diagnostics& diagnostics_;
  Dialect dialect_;
  bool ok_ = true;
};

NameForm DialectReader::ReadForm(JsonFields& fields, const JsonValue& value, NameForm fallback) {
  static const std::map<std::string, NameForm> forms{{"token", NameForm::kToken},
                                                     {"string", NameForm::kString},
                                                     {"schema", NameForm::kSchema},
                                                     {"type", NameForm::kType}};
  std::string form = fields.String("form");
  if (form.empty()) return fallback;
  auto found = forms.find(form);
  if (found != forms.end()) return found->second;
  fields.Error(value.Find("form")->span, "unknown form '" + form + "'",
               "use \"token\" (the argument as written), \"string\", \"schema\" or \"type\"");
  return fallback;
}

bool DialectReader::ReadScopeMethod(const JsonValue& value) {
  JsonFields fields(document_, value, "scope method", diagnostics_);
  ScopeMethod method;
  method.method = fields.RequiredString("method");
  method.registers = fields.Boolean("registers", true);
  method.returns_scope = fields.Boolean("returns_scope", true);
  method.name = static_cast<int>(fields.Integer("name", 0, 0, 63));
  method.form = ReadForm(fields, value, NameForm::kSchema);
  method.adds = fields.String("adds");
  method.value = static_cast<int>(fields.Integer("value", -1, -1, 63));
  method.key = static_cast<int>(fields.Integer("key", -1, -1, 63));
  method.key_function = fields.String("key_function");
  dialect_.scope_methods.push_back(std::move(method));
  return fields.Finish();
}

bool DialectReader::ReadData(const JsonValue& value) {
  JsonFields fields(document_, value, "data file", diagnostics_);
  DataFile data;
  data.path = fields.RequiredString("path");
  data.pattern = fields.String("pattern");
  data.comment = fields.String("comment");
  data.keyed = fields.Boolean("keyed", false);
  data.under = fields.String("under");
  data.alias = fields.String("alias");
  data.alias_in_parentheses = fields.Boolean("alias_in_parentheses", false);
  data.names = ReadMembers(fields, "name");
  if (data.names.empty() + data.pattern.empty() + !data.keyed != 2) {
    fields.Error(
        value.span, "a data file must specify its names in exactly one way",
        "use one of \"name\" (the member that holds the name), \"keyed\": true, or \"pattern\"");
  }
  data.space = fields.String("namespace");
  data.separator = fields.String("separator", "::");
  data.fields = ReadNames(fields, "fields");
  if (const JsonValue* implicit = fields.Take("implicit")) {
    JsonFields of(document_, *implicit, "implicit value", diagnostics_);
    data.implicit = {of.Strings("unless"), of.RequiredString("field"), of.RequiredString("key")};
    ok_ = of.Finish() && ok_;
  }
  if (const JsonValue* further = fields.Take("further")) {
    JsonFields of(document_, *further, "further operators", diagnostics_);
    data.further = {of.RequiredString("member"), of.RequiredString("field"),
                    of.RequiredString("key"), of.String("needs_field"), of.String("needs_value")};
    ok_ = of.Finish() && ok_;
  }
  dialect_.data.push_back(std::move(data));
  return fields.Finish();
}

// Reads a string, or {"argument": 1, "separator": "."}, which says where the prefix comes from.
bool DialectReader::ReadPrefix(JsonFields& fields, const JsonValue& value, Sink& sink) {
  const JsonValue* prefix = value.Find("prefix");
  if (prefix == nullptr || prefix->kind != JsonValue::Kind::kObject) {
    sink.prefix = fields.String("prefix");
    return true;
  }
  fields.Take("prefix");
  JsonFields own(document_, *prefix, "prefix", diagnostics_);
  sink.prefix_method = own.String("method");
  sink.prefix_argument = static_cast<int>(own.Integer("argument", -1, -1, 63));
  if (sink.prefix_argument < 0) {
    own.Error(prefix->span,
              "\"prefix\" needs \"argument\", the index of the argument that holds it",
              "{\"argument\": 1}");
  }
  sink.prefix_separator = own.String("separator");
  sink.prefix_token = own.Choice("form", {"string", "token"}) == "token";
  return own.Finish();
}

bool DialectReader::ReadSink(const JsonValue& value) {
  JsonFields fields(document_, value, "sink", diagnostics_);
  Sink sink;
  sink.macro = fields.RequiredString("macro");
  sink.parameters = static_cast<int>(fields.Integer("parameters", 1, -1, 64));
  sink.name = static_cast<int>(fields.Integer("name", 0, 0, 63));
  sink.templates = fields.Boolean("template_arguments", false);
  sink.form = ReadForm(fields, value, NameForm::kToken);
  ok_ = ReadPrefix(fields, value, sink) && ok_;
  sink.prefix_optional = fields.Boolean("prefix_optional", false);
  sink.is_call = fields.Boolean("call", false);
  const JsonValue* receiver = value.Find("receiver");
  if (receiver != nullptr && receiver->kind == JsonValue::Kind::kArray) {
    sink.receivers = fields.Strings("receiver");
  } else if (receiver != nullptr) {
    sink.receivers = {fields.String("receiver")};
  }
  sink.other_receivers = fields.Strings("other_receivers");
  sink.version = static_cast<int>(fields.Integer("version", -1, -1, 63));
  sink.chain = static_cast<int>(fields.Integer("chain", -1, -1, 63));
  sink.paths = fields.Strings("paths");
  sink.identity = fields.Boolean("identity", false);
  sink.methods = fields.Strings("methods");
  sink.variable = fields.Boolean("variable", false);
  ReadIndices(fields, "table", sink.table);
  sink.within = fields.String("within");
  sink.expression = fields.String("expression");
  sink.also = fields.Strings("also");
  if (const JsonValue* scope = fields.Take("scope")) {
    JsonFields arguments(document_, *scope, "scope", diagnostics_);
    sink.scope.emplace();
    sink.scope->space = static_cast<int>(arguments.Integer("namespace", 0, 0, 63));
    sink.scope->receiver = static_cast<int>(arguments.Integer("receiver", 1, 0, 63));
    sink.scope->key = static_cast<int>(arguments.Integer("key", -1, -1, 63));
    sink.scope->expands = arguments.Boolean("expands", false);
    sink.name = sink.scope->space;
    ok_ = arguments.Finish() && ok_;
  }
  if (const JsonValue* kernel = fields.Take("kernel")) {
    JsonFields call(document_, *kernel, "kernel", diagnostics_);
    sink.kernel.emplace();
    sink.operator_too = call.Boolean("operator", false);
    ok_ = ReadKernelCall(document_, *kernel, call, *sink.kernel, diagnostics_) && ok_;
    ok_ = call.Finish() && ok_;
  }
  if (sink.parameters >= 0 && sink.name >= sink.parameters) {
    fields.Error(value.span,
                 "the sink takes " + std::to_string(sink.parameters) + " arguments, so argument " +
                     std::to_string(sink.name) + " cannot carry the name",
                 "arguments are numbered from 0");
  }
  dialect_.sinks.push_back(std::move(sink));
  return fields.Finish();
}

bool DialectReader::ReadChainMethod(const JsonValue& value) {
  JsonFields fields(document_, value, "chain method", diagnostics_);
  ChainMethod method;
  method.method = fields.RequiredString("method");
  method.field = fields.RequiredString("field");
  method.key = static_cast<int>(fields.Integer("key", -1, -1, 63));
  method.value = static_cast<int>(fields.Integer("value", 0, -1, 63));
  method.order = static_cast<int>(fields.Integer("order", -1, -1, 63));
  method.populates = fields.Boolean("populates", false);
  method.within = fields.String("within");
  method.types = fields.Strings("types");
  method.otherwise = fields.String("otherwise");
  if (const JsonValue* details = fields.Take("details")) {
    JsonFields members(document_, *details, "details", diagnostics_);
    for (const JsonMember& member : details->members) {
      if (member.key == "$comment") continue;
      members.Take(member.key);
      method.details.push_back(ReadDetail(member));
    }
    ok_ = members.Finish() && ok_;
  }
  dialect_.chain.push_back(std::move(method));
  return fields.Finish();
}

ChainMethod::Detail DialectReader::ReadDetail(const JsonMember& member) {
  JsonFields fields(document_, member.value, "detail", diagnostics_);
  ChainMethod::Detail detail;
  detail.name = member.key;
  detail.argument = static_cast<int>(fields.Integer("argument", 0, 0, 63));
  if (member.value.Find("boolean") != nullptr) detail.boolean = fields.Boolean("boolean", false);
  detail.absent = fields.String("absent");
  detail.values = ReadNames(fields, "values");
  ok_ = fields.Finish() && ok_;
  return detail;
}

bool DialectReader::ReadEvaluation(const JsonValue& value) {
  JsonFields fields(document_, value, "evaluation", diagnostics_);
  dialect_.evaluation.definitions = fields.Strings("definitions");
  dialect_.evaluation.names = fields.Strings("names");
  if (const JsonValue* words = fields.Take("words")) {
    JsonFields members(document_, *words, "words", diagnostics_);
    for (const JsonMember& member : words->members) {
      if (member.key == "$comment") continue;
      std::vector<std::string>& texts = dialect_.evaluation.words[member.key];
      if (member.value.kind == JsonValue::Kind::kArray) {
        texts = members.Strings(member.key);
      } else {
        texts = {members.String(member.key)};
      }
    }
    ok_ = members.Finish() && ok_;
  }
  return fields.Finish();
}

bool DialectReader::ReadFactOverride(const JsonValue& value) {
  JsonFields fields(document_, value, "stated fact", diagnostics_);
  FactOverride fact;
  fact.op = fields.RequiredString("operator");
  fact.field = fields.RequiredString("field");
  fact.key = fields.String("key");
  fact.value = fields.RequiredString("value");
  fact.details = ReadNames(fields, "details");
  dialect_.fact_overrides.push_back(std::move(fact));
  return fields.Finish();
}

bool DialectReader::ReadFilter(const JsonValue& value, std::vector<Filter>& filters) {
  JsonFields fields(document_, value, "filter", diagnostics_);
  Filter filter;
  filter.name = fields.RequiredString("name");
  filter.contains = fields.String("contains");
  filter.prefix = fields.String("prefix");
  filter.suffix = fields.String("suffix");
  filter.equals = fields.String("equals");
  filter.paths = fields.Strings("paths");
  filter.field = fields.String("field");
  filter.keys = fields.Strings("keys");
  filter.only = fields.Boolean("only", false);
  filter.value_contains = fields.String("value_contains");
  filter.inputs_without = fields.String("inputs_without");
  filter.unless_field = fields.String("unless_field");
  filter.schema_without = fields.String("schema_without");
  int kinds = !filter.field.empty() + !filter.schema_without.empty() +
              !filter.inputs_without.empty() + !filter.contains.empty() + !filter.prefix.empty() +
              !filter.suffix.empty() + !filter.equals.empty() + !filter.paths.empty();
  if (kinds != 1) {
    fields.Error(value.span, "a filter must have exactly one test",
                 "use one of contains, prefix, suffix, equals, paths, field, inputs_without, "
                 "schema_without");
  }
  filters.push_back(std::move(filter));
  return fields.Finish();
}

bool DialectReader::ReadKnownDynamic(const JsonValue& value) {
  JsonFields fields(document_, value, "known dynamic registration", diagnostics_);
  KnownDynamic known;
  known.path = fields.RequiredString("path");
  known.expression = fields.RequiredString("expression");
  known.reason = fields.RequiredString("reason");
  dialect_.known_dynamic.push_back(std::move(known));
  return fields.Finish();
}

bool DialectReader::ReadBuildName(const JsonValue& value) {
  JsonFields fields(document_, value, "name of the build", diagnostics_);
  BuildName name;
  name.macro = fields.RequiredString("macro");
  name.path = fields.String("path");
  name.value = fields.String("value");
  dialect_.build_names.push_back(std::move(name));
  return fields.Finish();
}

bool DialectReader::ReadPathCondition(const JsonValue& value) {
  JsonFields fields(document_, value, "path condition", diagnostics_);
  PathCondition condition;
  condition.path = fields.RequiredString("path");
  condition.condition = Condition::FromExpression(fields.RequiredString("condition"));
  dialect_.path_conditions.push_back(std::move(condition));
  return fields.Finish();
}

bool DialectReader::ReadSuspicious(const JsonValue& value) {
  JsonFields fields(document_, value, "suspicious identifiers", diagnostics_);
  dialect_.suspicious = fields.String("containing");
  const JsonValue* except = fields.Take("except");
  if (except == nullptr) return fields.Finish();
  if (except->kind != JsonValue::Kind::kArray) {
    fields.Error(except->span,
                 std::string("\"except\" must be an array, not ") + JsonKindName(except->kind));
    return fields.Finish();
  }
  for (const JsonValue& item : except->items) {
    if (item.kind == JsonValue::Kind::kString) {
      dialect_.not_registrations.push_back({item.string, {}, {}});
      continue;
    }
    JsonFields rule(document_, item, "exception", diagnostics_);
    dialect_.not_registrations.push_back(
        {rule.String("name"), rule.String("path"), rule.RequiredString("reason")});
    if (dialect_.not_registrations.back().name.empty() &&
        dialect_.not_registrations.back().path.empty()) {
      rule.Error(item.span, "an exception needs a \"name\" or a \"path\"");
    }
    ok_ = rule.Finish() && ok_;
  }
  return fields.Finish();
}

bool DialectReader::ReadAttributeSets(const JsonValue& value) {
  JsonFields fields(document_, value, "attribute sets", diagnostics_);
  dialect_.attribute_sets.declare = fields.RequiredString("declare");
  dialect_.attribute_sets.field = fields.RequiredString("field");
  dialect_.attribute_sets.value = fields.String("value");
  dialect_.attribute_sets.initial = fields.String("default");
  dialect_.attribute_sets.optional = fields.String("optional");
  dialect_.attribute_sets.none = fields.String("none");
  dialect_.attribute_sets.types = ReadNames(fields, "types");
  dialect_.attribute_sets.defaults = ReadNames(fields, "defaults");
  dialect_.attribute_sets.reference = fields.RequiredString("reference");
  return fields.Finish();
}

bool DialectReader::ReadKeyFields(const JsonValue& value) {
  JsonFields fields(document_, value, "key fields", diagnostics_);
  for (const JsonMember& member : value.members) {
    if (member.key == "$comment") continue;
    if (member.value.kind != JsonValue::Kind::kObject) {
      dialect_.key_fields.push_back({member.key, fields.RequiredString(member.key), {}, {}});
      continue;
    }
    fields.Take(member.key);
    JsonFields field(document_, member.value, "key field", diagnostics_);
    KeyField own{member.key, field.RequiredString("field"), field.String("as"),
                 ReadNames(field, "values")};
    dialect_.key_fields.push_back(std::move(own));
    ok_ = field.Finish() && ok_;
  }
  return fields.Finish();
}

// Reads an object of strings: {"kFollow": "widest"}.
std::map<std::string, std::string> DialectReader::ReadNames(JsonFields& fields,
                                                            std::string_view key, bool empty_too) {
  std::map<std::string, std::string> names;
  const JsonValue* value = fields.Take(key);
  if (value == nullptr) return names;
  JsonFields members(document_, *value, std::string(key), diagnostics_);
  for (const JsonMember& member : value->members) {
    if (member.key == "$comment") continue;
    names[member.key] = empty_too ? members.String(member.key) : members.RequiredString(member.key);
  }
  ok_ = members.Finish() && ok_;
  return names;
}

// Reads a string or an array of strings.
std::vector<std::string> DialectReader::ReadMembers(JsonFields& fields, std::string_view key) {
  const JsonValue* const value = fields.Take(key);
  if (value == nullptr) return {};
  if (value->kind == JsonValue::Kind::kArray) return fields.Strings(key);
  return {fields.RequiredString(key)};
}

bool DialectReader::CheckWhole(JsonFields& fields) {
  if (!dialect_.extends.empty()) return fields.Finish();
  const PythonDialect& python = dialect_.python;
  if (dialect_.sinks.empty() && dialect_.data.empty() && python.sinks.empty() &&
      python.receivers.empty()) {
    fields.Error(document_.root.span, "a dialect needs at least one sink or data file",
                 "\"sinks\": [{\"macro\": \"REGISTER_OP\"}] names the macro that registers");
  }
  if (dialect_.sources.empty()) {
    fields.Error(document_.root.span, "a dialect needs sources",
                 "\"sources\": [\"src/**\"] says where its operators are registered");
  }
  if (!dialect_.default_configuration.empty() && dialect_.default_configuration != "union" &&
      !dialect_.configurations.contains(dialect_.default_configuration)) {
    fields.Error(document_.root.Find("default_configuration")->span,
                 "unknown configuration '" + dialect_.default_configuration + "'",
                 "use one of \"configurations\", or \"union\"");
  }
  return fields.Finish();
}

bool DialectReader::ReadKeptList(const JsonValue& item) {
  JsonFields fields(document_, item, "list", diagnostics_);
  KeptList& list = dialect_.lists.emplace_back();
  fields.Require("target_dtype");
  list.target_dtype = fields.Choice("target_dtype", {"float16", "bfloat16"});
  list.device = fields.String("device");
  list.configuration = fields.String("configuration");
  list.unlisted = fields.Choice("unlisted", {"required", "target", "fp32", "widest", "either"});
  bool ok = true;
  if (const JsonValue* const origins = fields.Require("derived_from")) {
    ok = ReadListOrigins(document_, *origins, list.derived_from, diagnostics_);
    list.derived_text = document_.text.substr(origins->span.begin, origins->span.size());
  }
  return fields.Finish() && ok;
}

bool DialectReader::ReadUnlistedSource(const JsonValue& value) {
  JsonFields fields(document_, value, "unlisted_source", diagnostics_);
  dialect_.unlisted_source.file = fields.RequiredString("file");
  dialect_.unlisted_source.says = fields.RequiredString("says");
  return fields.Finish();
}

bool DialectReader::ReadDeviceKernels(const JsonValue& value) {
  JsonFields fields(document_, value, "device_kernels", diagnostics_);
  DeviceKernels& kernels = dialect_.device_kernels;
  kernels.field = fields.RequiredString("field");
  kernels.unless_field = fields.String("unless_field");
  kernels.no_device = fields.Strings("no_device");
  const bool ok = ReadDevices(fields, kernels.devices);
  return fields.Finish() && ok;
}

bool DialectReader::ReadAutocastKernels(const JsonValue& value) {
  JsonFields fields(document_, value, "autocast_kernels", diagnostics_);
  dialect_.autocast_kernels.field = fields.RequiredString("field");
  dialect_.autocast_kernels.policy = fields.RequiredString("policy");
  dialect_.autocast_kernels.context = fields.String("context");
  dialect_.autocast_kernels.rule = fields.String("rule");
  dialect_.autocast_kernels.default_device = fields.String("default_device");
  const bool ok = ReadDevices(fields, dialect_.autocast_kernels.devices);
  return fields.Finish() && ok;
}

bool DialectReader::ReadDevices(JsonFields& fields,
                                std::map<std::string, std::vector<std::string>>& devices) {
  const JsonValue* const value = fields.Require("devices");
  if (value == nullptr) return false;
  JsonFields each(document_, *value, "devices", diagnostics_);
  for (const JsonMember& device : value->members) {
    devices[device.key] = each.Strings(device.key);
  }
  return each.Finish();
}

bool DialectReader::ReadRelations(const JsonValue& value) {
  JsonFields fields(document_, value, "relations", diagnostics_);
  dialect_.relations.version = fields.String("version");
  dialect_.relations.gradient = fields.String("gradient");
  const auto gradients = ReadNames(fields, "gradients", true);
  dialect_.relations.gradients = {gradients.begin(), gradients.end()};
  return fields.Finish();
}

bool DialectReader::ReadTypes(const JsonValue& value) {
  JsonFields fields(document_, value, "types", diagnostics_);
  dialect_.types.variables = fields.String("variables");
  dialect_.types.inputs = fields.String("inputs");
  dialect_.types.outputs = fields.String("outputs");
  dialect_.types.separator = fields.String("separator");
  if (const JsonValue* implies = fields.Take("implies")) {
    JsonFields members(document_, *implies, "implies", diagnostics_);
    for (const JsonMember& member : implies->members) {
      if (member.key == "$comment") continue;
      dialect_.types.implies[member.key] = members.String(member.key);
    }
    ok_ = members.Finish() && ok_;
  }
  const JsonValue* names = fields.Require("names");
  if (names != nullptr) {
    JsonFields members(document_, *names, "names of types", diagnostics_);
    for (const JsonMember& member : names->members) {
      if (member.key == "$comment") continue;
      dialect_.types.names[member.key];
      for (const std::string& dtype : members.Strings(member.key)) {
        if (!ParseDtype(dtype)) {
          members.Error(member.value.span, "'" + dtype + "' is not an element type",
                        DidYouMean(dtype, DtypeNames()));
        }
        dialect_.types.names[member.key].push_back(dtype);
      }
    }
    ok_ = members.Finish() && ok_;
  }
  return fields.Finish();
}

// Reads globs, or {"path": GLOB, "reason": TEXT}.
void DialectReader::ReadExclude(const JsonValue& value) {
  if (value.kind != JsonValue::Kind::kArray) {
    ErrorAt(document_, value.span,
            std::string("'exclude' must be an array, not ") + JsonKindName(value.kind), "",
            diagnostics_);
    ok_ = false;
  }
  for (const JsonValue& item : value.items) {
    if (item.kind == JsonValue::Kind::kString) {
      dialect_.exclude.push_back(item.string);
      continue;
    }
    JsonFields fields(document_, item, "excluded path", diagnostics_);
    dialect_.exclude.push_back(fields.RequiredString("path"));
    fields.RequiredString("reason");
    ok_ = fields.Finish() && ok_;
  }
}

// Reads paths or globs below the root. A repository's dialect must not cause files elsewhere to be
// read.
std::vector<std::string> DialectReader::ReadPaths(JsonFields& fields, std::string_view key,
                                                  bool may_climb) {
  std::vector<std::string> paths = fields.Strings(key);
  const JsonValue* value = document_.root.Find(key);
  for (const JsonValue& item : value == nullptr ? std::vector<JsonValue>() : value->items) {
    if (item.kind != JsonValue::Kind::kString || StaysBelow(item.string)) continue;
    if (may_climb && IsRelative(item.string)) continue;
    ErrorAt(document_, item.span, "'" + item.string + "' is outside the root",
            "use a path relative to the root; for headers elsewhere, use a compile database (-p)",
            diagnostics_);
    ok_ = false;
  }
  return paths;
}

// Reads everything that concerns precision lists.
void DialectReader::ReadLists(JsonFields& fields) {
  for (const JsonValue& item : fields.Objects("lists")) ok_ = ReadKeptList(item) && ok_;
  dialect_.unlisted = fields.String("unlisted");
  if (const JsonValue* value = fields.Take("unlisted_source")) {
    ok_ = ReadUnlistedSource(*value) && ok_;
  }
  if (const JsonValue* value = fields.Take("device_kernels")) {
    ok_ = ReadDeviceKernels(*value) && ok_;
  }
  if (const JsonValue* value = fields.Take("autocast_kernels")) {
    ok_ = ReadAutocastKernels(*value) && ok_;
  }
  const std::string unlisted =
      fields.Choice("unlisted_default", {"required", "target", "fp32", "widest", "either"});
  if (!unlisted.empty()) dialect_.unlisted_default = unlisted;
}

std::optional<Dialect> DialectReader::Read() {
  JsonFields fields(document_, document_.root, "dialect", diagnostics_);
  dialect_.name = fields.RequiredString("name");
  fields.String("description");
  dialect_.extends = fields.String("extends");
  dialect_.root_markers = fields.Strings("root_markers");
  dialect_.detect = fields.Strings("detect");
  dialect_.sources = ReadPaths(fields, "sources");
  if (const JsonValue* value = fields.Take("exclude")) ReadExclude(*value);
  dialect_.extensions = fields.Strings("extensions");
  if (dialect_.extensions.empty()) {
    dialect_.extensions = {".cc", ".cpp", ".cxx",  ".cu",  ".c++", ".cp",
                           ".C",  ".CPP", ".cppm", ".ixx", ".mm",  ".hip"};
  }
  dialect_.include_directories = ReadPaths(fields, "include_directories", true);
  ForEach(fields, "sinks", [&](const JsonValue& v) { return ReadSink(v); });
  ForEach(fields, "scope_methods", [&](const JsonValue& v) { return ReadScopeMethod(v); });
  dialect_.separator = fields.String("separator", "::");
  dialect_.scope_types = fields.Strings("scope_types");
  dialect_.identity_functions = fields.Strings("identity_functions");
  dialect_.constants = ReadNames(fields, "constants", true);
  ForEach(fields, "data", [&](const JsonValue& v) { return ReadData(v); });
  ForEach(fields, "known_dynamic", [&](const JsonValue& v) { return ReadKnownDynamic(v); });
  ForEach(fields, "build_names", [&](const JsonValue& v) { return ReadBuildName(v); });
  ForEach(fields, "chain", [&](const JsonValue& v) { return ReadChainMethod(v); });
  dialect_.name_pattern = fields.String("name_pattern");
  dialect_.declarations = fields.Strings("declarations");
  dialect_.string_lists = fields.Strings("string_lists");
  ForEach(fields, "exempt", [&](const JsonValue& v) { return ReadFilter(v, dialect_.exempt); });
  ForEach(fields, "drop", [&](const JsonValue& v) { return ReadFilter(v, dialect_.drop); });
  ForEach(fields, "keep", [&](const JsonValue& v) { return ReadFilter(v, dialect_.keep); });
  ForEach(fields, "stated", [&](const JsonValue& v) { return ReadFactOverride(v); });
  ForEach(fields, "path_conditions", [&](const JsonValue& v) { return ReadPathCondition(v); });
  if (const JsonValue* value = fields.Take("suspicious")) ok_ = ReadSuspicious(*value) && ok_;
  if (const JsonValue* value = fields.Take("attribute_sets")) {
    ok_ = ReadAttributeSets(*value) && ok_;
  }
  if (const JsonValue* value = fields.Take("evaluation")) ok_ = ReadEvaluation(*value) && ok_;
  if (const JsonValue* value = fields.Take("key_fields")) ok_ = ReadKeyFields(*value) && ok_;
  if (const JsonValue* value = fields.Take("kernels")) {
    ok_ = ReadKernelNames(document_, *value, dialect_.kernels, diagnostics_) && ok_;
  }
  if (const JsonValue* value = fields.Take("configurations")) {
    ok_ = ReadConfigurations(document_, *value, dialect_.configurations, diagnostics_) && ok_;
  }
  dialect_.never_defined = fields.Strings("never_defined");
  dialect_.default_configuration = fields.String("default_configuration", "union");
  if (const JsonValue* value = fields.Take("types")) ok_ = ReadTypes(*value) && ok_;
  if (const JsonValue* value = fields.Take("relations")) ok_ = ReadRelations(*value) && ok_;
  ReadLists(fields);
  if (const JsonValue* value = fields.Take("python")) {
    ok_ = ReadPythonDialect(document_, *value, dialect_.python, diagnostics_) && ok_;
  }
  ok_ = CheckWhole(fields) && ok_;
  if (!ok_) return std::nullopt;
  dialect_.path = document_.path;
  dialect_.text = document_.text;
  return std::move(dialect_);
}

}  // namespace

std::optional<Dialect> ReadDialect(const Source& source, const std::string& path, Reach reach,
                                   Diagnostics& diagnostics) {
  std::optional<JsonDocument> document = ReadJson(source, path, reach, diagnostics);
  if (!document) return std::nullopt;
  std::optional<Dialect> dialect = DialectReader(*document, diagnostics).Read();
  if (!dialect) {
    diagnostics.Add({Severity::kNote,
                     {document->path, 0, 0, 0, 0},
                     "`opledger explain dialect` lists the fields of a dialect",
                     "",
                     ""});
  }
  if (!dialect || dialect->extends.empty()) return dialect;
  const std::vector<std::string> shipped = ShippedDialects(diagnostics);
  const std::string extends = dialect->extends;
  if (std::find(shipped.begin(), shipped.end(), extends) == shipped.end()) {
    ErrorAt(*document, document->root.Find("extends")->span,
            "'" + extends + "' is not a shipped dialect", ChoiceHint(extends, shipped),
            diagnostics);
    return std::nullopt;
  }
  std::optional<Dialect> base = FindDialect(source, extends, Reach::kAnywhere, diagnostics);
  if (!base) return std::nullopt;
  return ExtendDialect(std::move(*base), std::move(*dialect), *document, diagnostics);
}

}  // namespace opledger
