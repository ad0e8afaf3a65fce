// Leaves out empty and default values, and the path if it is that of the record. Reading is strict
// and rejects anything that this version does not know.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/facts/facts_json.h"

#include "registry/manifest/record_json.h"
#include "registry/scan/facts/fact_records.h"

namespace opledger::scan {
namespace {

void WriteDigest(JsonWriter& json, std::string_view key, const Digest& digest) {
  if (digest != Digest()) json.Field(key, digest.Hex());
}

bool ReadDigest(JsonFields& fields, Span line, std::string_view key, Digest& digest) {
  const std::string hex = fields.String(key);
  if (hex.empty()) return true;
  const std::optional<Digest> read = Digest::FromHex(hex);
  digest = read.value_or(Digest());
  if (!read) fields.Error(line, "'" + std::string(key) + "' is not a digest");
  return read.has_value();
}

}  // namespace

bool FileFacts::IsEmpty() const {
  return !awaits && facts.registrations.empty() && facts.dynamic.empty() &&
         facts.incomplete.empty() && facts.balance == Balance() && facts.header_mentions.empty() &&
         attribute_sets.empty() && definitions.empty() && kernel_functions.empty();
}

std::string WriteFileFacts(const FileFacts& file) {
  std::string text;
  JsonWriter json(text);
  json.BeginObject();
  json.Field("path", file.path);
  WriteDigest(json, "content", file.content);
  WriteDigest(json, "part", file.part);
  WriteDigest(json, "reach", file.reach);
  RecordWriter writer(json, &file.path);
  writer.Flag("awaits", file.awaits);
  VisitFields(writer, file.facts);
  writer.List("attribute_sets", file.attribute_sets, {}, Presence::kUnlessEmpty);
  writer.List("definitions", file.definitions, {}, Presence::kUnlessEmpty);
  writer.List("kernel_functions", file.kernel_functions, {}, Presence::kUnlessEmpty);
  json.EndObject();
  return text;
}

std::optional<FileFacts> ReadFileFacts(const JsonDocument& line, Diagnostics& diagnostics) {
  JsonFields fields(line, line.root, "record of facts", diagnostics);
  FileFacts file;
  file.path = fields.RequiredString("path");
  const bool content = ReadDigest(fields, line.root.span, "content", file.content);
  const bool part = ReadDigest(fields, line.root.span, "part", file.part);
  const bool reach = ReadDigest(fields, line.root.span, "reach", file.reach);
  RecordReader reader(line, diagnostics, &file.path);
  reader.ReadWith(fields, [&] {
    reader.Flag("awaits", file.awaits);
    VisitFields(reader, file.facts);
    reader.List("attribute_sets", file.attribute_sets, "attribute set", Presence::kUnlessEmpty);
    reader.List("definitions", file.definitions, "definition", Presence::kUnlessEmpty);
    reader.List("kernel_functions", file.kernel_functions, "kernel function",
                Presence::kUnlessEmpty);
  });
  reader.Finish(fields);
  if (!reader.ok() || !content || !part || !reach) return std::nullopt;
  return file;
}

}  // namespace opledger::scan
