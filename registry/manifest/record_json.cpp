// Reads and writes records as JSON. Kernel types that were understood are an array, the text of
// others is a string. Aliases are listed by name, and their known locations separately.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/record_json.h"

#include <algorithm>
#include <set>

namespace opledger {

void RecordWriter::Flag(std::string_view key, bool flag) {
  if (!flag) return;
  json_.Field(key, true);
}

void RecordWriter::Strings(std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json_.Array(key, texts);
}

void RecordWriter::Table(std::string_view key, const Details& texts) {
  if (texts.empty()) return;
  json_.BeginObject(key);
  for (const auto& [name, text] : texts) json_.Field(name, text);
  json_.EndObject();
}

void RecordWriter::LinesOf(const Location& location) {
  Number("line", location.line, Presence::kAlways);
  Number("column", location.column, Presence::kAlways);
  Number("end_line", location.end_line, Presence::kAlways);
  Number("end_column", location.end_column, Presence::kAlways);
}

void RecordWriter::Place(const Location& location, Presence) {
  if (own_path_ == nullptr || location.path != *own_path_) json_.Field("path", location.path);
  LinesOf(location);
}

void RecordWriter::At(const Location& location) {
  if (location.path.empty()) return;
  json_.BeginObject("at");
  if (own_path_ == nullptr || location.path != *own_path_) json_.Field("path", location.path);
  LinesOf(location);
  json_.EndObject();
}

void RecordWriter::Call(const Location& call, const Location& site) {
  if (own_path_ != nullptr && call == site) return;
  json_.BeginObject("call");
  const std::string& usual = own_path_ != nullptr ? *own_path_ : site.path.text();
  if (call.path != usual) json_.Field("path", call.path);
  LinesOf(call);
  json_.EndObject();
}

void RecordWriter::Types(std::string_view key,
                         const std::map<std::string, KernelTypes, std::less<>>& types) {
  if (types.empty()) return;
  json_.BeginObject(key);
  for (const auto& [variable, of] : types) {
    json_.Key(variable);
    if (!of.unread.empty() && of.dtypes.empty()) {
      json_.String(of.unread);
      continue;
    }
    if (!of.unread.empty()) {
      json_.BeginObject();
      json_.Key("known");
    }
    json_.BeginArray();
    for (const std::string& dtype : of.dtypes) json_.String(dtype);
    json_.EndArray();
    if (of.unread.empty()) continue;
    json_.Field("unknown", of.unread);
    json_.EndObject();
  }
  json_.EndObject();
}

void RecordWriter::Aliases(const std::vector<Alias>& aliases) {
  json_.BeginArray("aliases");
  const Alias* previous = nullptr;
  std::vector<Alias> placed;
  for (const Alias& alias : aliases) {
    if (previous == nullptr || previous->name != alias.name) json_.String(alias.name);
    previous = &alias;
    if (!alias.location.path.empty() || !alias.condition.IsAlways()) placed.push_back(alias);
  }
  json_.EndArray();
  List("alias_sites", placed, {}, Presence::kUnlessEmpty);
}

void RecordWriter::FieldTable(std::string_view key, const Fields& fields) {
  if (fields.empty()) return;
  json_.BeginObject(key);
  for (const auto& [name, values] : fields) List(name, values, {}, Presence::kAlways);
  json_.EndObject();
}

void RecordReader::Text(std::string_view key, std::string& text, Presence presence) {
  text = presence == Presence::kRequired ? fields_->RequiredString(key)
                                         : fields_->String(key, std::move(text));
}

void RecordReader::Condition(class Condition& condition, Presence) {
  condition = ParsedCondition(fields_->String("condition"));
}

void RecordReader::LinesOf(Location& location) {
  location.line = location.column = location.end_line = location.end_column = 0;
  Number("line", location.line, Presence::kAlways);
  Number("column", location.column, Presence::kAlways);
  Number("end_line", location.end_line, Presence::kAlways);
  Number("end_column", location.end_column, Presence::kAlways);
}

void RecordReader::Place(Location& location, Presence presence) {
  if (own_path_ != nullptr) {
    location.path = fields_->String("path", *own_path_);
  } else {
    std::string path = location.path;
    Text("path", path, presence);
    location.path = path;
  }
  LinesOf(location);
}

void RecordReader::At(Location& location) {
  const JsonValue* const value = fields_->Take("at");
  if (value == nullptr) return;
  JsonFields place(document_, *value, "place", diagnostics_);
  location.path = own_path_ != nullptr ? place.String("path", *own_path_) : place.String("path");
  ReadWith(place, [&] { LinesOf(location); });
  Finish(place);
}

void RecordReader::Call(Location& call, const Location& site) {
  call = site;
  const JsonValue* const value = fields_->Take("call");
  if (value == nullptr) return;
  JsonFields place(document_, *value, "call", diagnostics_);
  call.path = place.String("path", own_path_ != nullptr ? *own_path_ : site.path.text());
  ReadWith(place, [&] { LinesOf(call); });
  Finish(place);
}

void RecordReader::ReadTexts(const JsonValue& object, std::string_view what, Details& texts) {
  JsonFields fields(document_, object, what, diagnostics_);
  for (const JsonMember& member : object.members) texts[member.key] = fields.String(member.key);
  Finish(fields);
}

void RecordReader::Table(std::string_view key, Details& texts) {
  if (const JsonValue* value = fields_->Take(key)) ReadTexts(*value, key, texts);
}

void RecordReader::Types(std::string_view key,
                         std::map<std::string, KernelTypes, std::less<>>& types) {
  const JsonValue* const value = fields_->Take(key);
  if (value == nullptr) return;
  JsonFields variables(document_, *value, key, diagnostics_);
  for (const JsonMember& member : value->members) {
    KernelTypes& of = types[member.key];
    if (member.value.kind == JsonValue::Kind::kString) {
      of.unread = variables.RequiredString(member.key);
    } else if (member.value.kind == JsonValue::Kind::kObject) {
      variables.Take(member.key);
      JsonFields both(document_, member.value, "types", diagnostics_);
      of.dtypes = both.Strings("known");
      of.unread = both.RequiredString("unknown");
      std::sort(of.dtypes.begin(), of.dtypes.end());
      Finish(both);
    } else {
      of.dtypes = variables.Strings(member.key);
      std::sort(of.dtypes.begin(), of.dtypes.end());
    }
  }
  Finish(variables);
}

void RecordReader::Aliases(std::vector<Alias>& aliases) {
  const std::vector<std::string> listed = fields_->Strings("aliases");
  std::set<std::string> names(listed.begin(), listed.end());
  List("alias_sites", aliases, "alias", Presence::kUnlessEmpty);
  const std::vector<JsonValue>& items = fields_->Objects("alias_sites");
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    if (names.contains(aliases[i].name)) continue;
    fields_->Error(items[i].span, "alias '" + aliases[i].name + "' is not in 'aliases'");
  }
  for (const Alias& alias : aliases) names.erase(alias.name);
  for (const std::string& name : names) {
    aliases.push_back({.name = name, .location = {}, .condition = {}});
  }
}

void RecordReader::FieldTable(std::string_view key, Fields& fields) {
  const JsonValue* const value = fields_->Take(key);
  if (value == nullptr) return;
  JsonFields names(document_, *value, "table of fields", diagnostics_);
  ReadWith(names, [&] {
    for (const JsonMember& member : value->members) {
      List(member.key, fields[member.key], "value", Presence::kAlways);
    }
  });
  Finish(names);
}

void RecordReader::Configurations(std::string_view key, opledger::Configurations& configurations) {
  const JsonValue* const value = fields_->Take(key);
  if (value != nullptr && !ReadConfigurations(document_, *value, configurations, diagnostics_)) {
    Fail();
  }
}

}  // namespace opledger
