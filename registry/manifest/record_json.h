// Visitors that write and read records as JSON (records.h). Reading is strict: fields that this
// version does not define are errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/json/json_fields.h"
#include "registry/json/json_write.h"
#include "registry/manifest/records.h"

namespace opledger {

class RecordWriter {
 public:
  static constexpr bool kReads = false;

  // If `own_path` is set, the records are facts about that file: its path is omitted from
  // locations, and all empty or zero fields are omitted.
  explicit RecordWriter(JsonWriter& json, const std::string* own_path = nullptr)
      : json_(json), own_path_(own_path) {}

  void Text(std::string_view key, const std::string& text, Presence presence) {
    if (Writes(presence) || !text.empty()) json_.Field(key, text);
  }
  void Number(std::string_view key, int number, Presence presence) {
    if (Writes(presence) || number != 0) json_.Field(key, number);
  }
  void Flag(std::string_view key, bool flag);
  void Denial(std::string_view key, bool flag) {
    if (flag) json_.Field(key, false);
  }
  void Strings(std::string_view key, const std::vector<std::string>& texts);
  void Table(std::string_view key, const Details& texts);
  void Condition(const class Condition& condition, Presence presence) {
    Text("condition", condition.text(), presence);
  }
  void Place(const Location& location, Presence presence);
  void At(const Location& location);
  void Call(const Location& call, const Location& site);
  void Types(std::string_view key, const std::map<std::string, KernelTypes, std::less<>>& types);
  void Aliases(const std::vector<Alias>& aliases);
  void FieldTable(std::string_view key, const Fields& fields);
  void Configurations(std::string_view key, const opledger::Configurations& configurations) {
    json_.Key(key);
    WriteConfigurations(json_, configurations);
  }

  template <typename Record>
  void List(std::string_view key, const std::vector<Record>& records, std::string_view,
            Presence presence) {
    if (!Writes(presence) && records.empty()) return;
    json_.Array(key, records, [&](const Record& record) { One(record); });
  }
  template <typename Record>
  void Object(std::string_view key, const Record& record, std::string_view) {
    if (record == Record()) return;
    json_.Key(key);
    One(record);
  }

 private:
  bool Writes(Presence presence) const {
    return own_path_ == nullptr && presence != Presence::kUnlessEmpty;
  }
  template <typename Record>
  void One(const Record& record) {
    json_.BeginCompactObject();
    VisitFields(*this, record);
    json_.EndObject();
  }
  void LinesOf(const Location& location);

  JsonWriter& json_;
  const std::string* own_path_;
};

class RecordReader {
 public:
  static constexpr bool kReads = true;

  // `own_path` as for RecordWriter.
  RecordReader(const JsonDocument& document, Diagnostics& diagnostics,
               const std::string* own_path = nullptr)
      : document_(document), diagnostics_(diagnostics), own_path_(own_path) {}

  // Reads the record from `object`; `what` names it in messages.
  template <typename Record>
  void Read(const JsonValue& object, std::string_view what, Record& record) {
    JsonFields fields(document_, object, what, diagnostics_);
    ReadFrom(fields, record);
    Finish(fields);
  }
  // Reads a record from an object that has other fields too. The caller calls Finish().
  template <typename Record>
  void ReadFrom(JsonFields& fields, Record& record) {
    ReadWith(fields, [&] { VisitFields(*this, record); });
  }
  // Calls `read` while `fields` is the current object.
  template <typename Function>
  void ReadWith(JsonFields& fields, Function read) {
    JsonFields* const outer = std::exchange(fields_, &fields);
    read();
    fields_ = outer;
  }
  void Finish(JsonFields& fields) { ok_ = fields.Finish() && ok_; }
  void Fail() { ok_ = false; }
  bool ok() const { return ok_; }

  // Absent fields keep their values.
  void Text(std::string_view key, std::string& text, Presence presence);
  void Number(std::string_view key, int& number, Presence) {
    number = static_cast<int>(fields_->Integer(key, number, 0, INT_MAX));
  }
  void Flag(std::string_view key, bool& flag) { flag = fields_->Boolean(key, flag); }
  void Denial(std::string_view key, bool& flag) { flag = !fields_->Boolean(key, !flag); }
  void Strings(std::string_view key, std::vector<std::string>& texts) {
    texts = fields_->Strings(key);
  }
  void Table(std::string_view key, Details& texts);
  void Condition(class Condition& condition, Presence presence);
  void Place(Location& location, Presence presence);
  void At(Location& location);
  void Call(Location& call, const Location& site);
  void Types(std::string_view key, std::map<std::string, KernelTypes, std::less<>>& types);
  void Aliases(std::vector<Alias>& aliases);
  void FieldTable(std::string_view key, Fields& fields);
  void Configurations(std::string_view key, opledger::Configurations& configurations);

  template <typename Record>
  void List(std::string_view key, std::vector<Record>& records, std::string_view what,
            Presence presence) {
    if (presence == Presence::kRequired) fields_->Require(key);
    const std::vector<JsonValue>& items = fields_->Objects(key);
    records.resize(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) Read(items[i], what, records[i]);
  }
  template <typename Record>
  void Object(std::string_view key, Record& record, std::string_view what) {
    if (const JsonValue* value = fields_->Take(key)) Read(*value, what, record);
  }

 private:
  void LinesOf(Location& location);
  // Reads the members of an object, which are strings.
  void ReadTexts(const JsonValue& object, std::string_view what, Details& texts);

  const JsonDocument& document_;
  Diagnostics& diagnostics_;
  const std::string* own_path_;
  JsonFields* fields_ = nullptr;  // of the current object
  bool ok_ = true;
};

}  // namespace opledger
