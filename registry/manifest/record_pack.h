// Visitors that pack and unpack records as bytes (records.h), for the cache and for exchange
// between opledger's programs. Fields have no names and none are omitted; both sides must be the
// same build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/manifest/records.h"
#include "registry/text/bytes.h"

namespace opledger {

class RecordPacker {
 public:
  static constexpr bool kReads = false;

  explicit RecordPacker(ByteWriter& out) : out_(out) {}

  void Text(std::string_view, const std::string& text, Presence) { out_.Text(text); }
  void Number(std::string_view, int number, Presence) {
    out_.Number(static_cast<std::uint64_t>(number));
  }
  void Flag(std::string_view, bool flag) { out_.Number(flag ? 1 : 0); }
  void Denial(std::string_view key, bool flag) { Flag(key, flag); }
  void Strings(std::string_view, const std::vector<std::string>& texts) {
    Each(texts, [this](const std::string& text) { out_.Text(text); });
  }
  void Table(std::string_view, const Details& texts) {
    Each(texts, [this](const auto& member) {
      out_.Text(member.first);
      out_.Text(member.second);
    });
  }
  void Condition(const class Condition& condition, Presence) { out_.Text(condition.text()); }
  void Place(const Location& location, Presence) {
    out_.Text(location.path);
    for (const int number :
         {location.line, location.column, location.end_line, location.end_column}) {
      Number({}, number, Presence::kAlways);
    }
  }
  void At(const Location& location) {
    out_.Number(location.path.empty() ? 0 : 1);
    if (!location.path.empty()) Place(location, Presence::kAlways);
  }
  // Usually in the site's own file, for which the path takes one byte.
  void Call(const Location& call, const Location& site) {
    Location written = call;
    if (call.path == site.path) written.path = {};
    Place(written, Presence::kAlways);
  }
  void Types(std::string_view, const std::map<std::string, KernelTypes, std::less<>>& types) {
    Each(types, [this](const auto& member) {
      out_.Text(member.first);
      out_.Text(member.second.unread);
      Strings({}, member.second.dtypes);
    });
  }
  void Aliases(const std::vector<Alias>& aliases) { List({}, aliases, {}, Presence::kAlways); }
  void FieldTable(std::string_view, const Fields& fields) {
    Each(fields, [this](const auto& member) {
      out_.Text(member.first);
      List({}, member.second, {}, Presence::kAlways);
    });
  }
  void Configurations(std::string_view, const opledger::Configurations& configurations) {
    Each(configurations, [this](const auto& member) {
      out_.Text(member.first);
      Table({}, member.second.defines);
      Each(member.second.undefined, [this](const std::string& name) { out_.Text(name); });
    });
  }
  template <typename Record>
  void List(std::string_view, const std::vector<Record>& records, std::string_view, Presence) {
    Each(records, [this](const Record& record) { VisitFields(*this, record); });
  }
  template <typename Record>
  void Object(std::string_view, const Record& record, std::string_view) {
    VisitFields(*this, record);
  }

 private:
  template <typename Items, typename Function>
  void Each(const Items& items, Function write) {
    out_.Number(items.size());
    for (const auto& item : items) write(item);
  }

  ByteWriter& out_;
};

// After a failed read, the record is incomplete and the ByteReader is not ok().
class RecordUnpacker {
 public:
  static constexpr bool kReads = true;

  explicit RecordUnpacker(ByteReader& in) : in_(in) {}

  void Text(std::string_view, std::string& text, Presence) { text = in_.Text(); }
  void Number(std::string_view, int& number, Presence) { number = static_cast<int>(in_.Number()); }
  void Flag(std::string_view, bool& flag) { flag = in_.Number() != 0; }
  void Denial(std::string_view key, bool& flag) { Flag(key, flag); }
  void Strings(std::string_view, std::vector<std::string>& texts) {
    texts.resize(in_.Count());
    for (std::string& text : texts) text = in_.Text();
  }
  void Table(std::string_view, Details& texts) {
    EachMember(texts, [this](std::string& text) { text = in_.Text(); });
  }
  void Condition(class Condition& condition, Presence) { condition = ParsedCondition(in_.Text()); }
  void Place(Location& location, Presence) {
    location.path = in_.Text();
    for (int* const number :
         {&location.line, &location.column, &location.end_line, &location.end_column}) {
      *number = static_cast<int>(in_.Number());
    }
  }
  void At(Location& location) {
    if (in_.Number() != 0) Place(location, Presence::kAlways);
  }
  void Call(Location& call, const Location& site) {
    Place(call, Presence::kAlways);
    if (call.path.empty()) call.path = site.path;
  }
  void Types(std::string_view, std::map<std::string, KernelTypes, std::less<>>& types) {
    EachMember(types, [this](KernelTypes& of) {
      of.unread = in_.Text();
      Strings({}, of.dtypes);
    });
  }
  void Aliases(std::vector<Alias>& aliases) { List({}, aliases, {}, Presence::kAlways); }
  void FieldTable(std::string_view, Fields& fields) {
    EachMember(fields, [this](std::vector<FieldValue>& values) {
      List({}, values, {}, Presence::kAlways);
    });
  }
  void Configurations(std::string_view, opledger::Configurations& configurations) {
    EachMember(configurations, [this](Configuration& configuration) {
      Table({}, configuration.defines);
      for (std::size_t left = in_.Count(); left > 0; --left) {
        configuration.undefined.emplace(in_.Text());
      }
    });
  }
  template <typename Record>
  void List(std::string_view, std::vector<Record>& records, std::string_view, Presence) {
    records.resize(in_.Count());
    for (Record& record : records) VisitFields(*this, record);
  }
  template <typename Record>
  void Object(std::string_view, Record& record, std::string_view) {
    VisitFields(*this, record);
  }

 private:
  template <typename Members, typename Function>
  void EachMember(Members& members, Function read) {
    for (std::uint64_t left = in_.Count(); left > 0; --left) {
      std::string name(in_.Text());
      read(members[std::move(name)]);
    }
  }

  ByteReader& in_;
};

}  // namespace opledger
