// Collects versions from the siblings' --version and from the addresses of the schemas.
// SPDX-License-Identifier: Apache-2.0
#include "checker/config/version_report.h"

#include <charconv>
#include <string_view>

#include "registry/dialect/dialect.h"
#include "registry/files/list_folder.h"
#include "registry/json/json.h"
#include "registry/platform/platform.h"
#include "registry/project/runner.h"
#include "registry/project/version.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

constexpr std::string_view kSchemaSuffix = ".schema.json";

// Returns "2.6.3" for the part "oneDNN 2.6.3 (avx2)" of "opledger-run 1.2.3, oneDNN 2.6.3 (avx2)",
// if `name` is "oneDNN". "no oneDNN" is not such a part.
std::optional<std::string> PartOf(std::string_view line, const std::string& name) {
  for (std::string_view part : SplitAt(line, ',')) {
    part = Trimmed(part);
    if (!part.starts_with(name + ' ')) continue;
    part.remove_prefix(name.size() + 1);
    return std::string(part.substr(0, part.find(' ')));
  }
  return std::nullopt;
}

// Returns the first line of the sibling's --version; empty if it cannot be run.
std::string VersionLine(const std::string& program) {
  Diagnostics ignored;
  std::string output;
  SiblingStreams streams;
  streams.silent = true;
  if (RunSibling(program, {"--version"}, output, ignored, streams) != 0) return {};
  return output.substr(0, output.find('\n'));
}

std::optional<int> NumberOf(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns 1 for a schema whose "$id" is ".../schemas/report/1.json".
std::optional<int> VersionOfSchema(const std::string& path) {
  Diagnostics ignored;
  const std::optional<JsonDocument> schema = ReadJson(path, ignored);
  const JsonValue* const id = schema ? schema->root.Find("$id") : nullptr;
  if (id == nullptr || !id->string.ends_with(".json")) return std::nullopt;
  const std::string_view address = std::string_view(id->string).substr(0, id->string.size() - 5);
  return NumberOf(address.substr(address.rfind('/') + 1));
}

}  // namespace

VersionReport ReadVersions() {
  VersionReport report;
  report.llvm = PartOf(VersionLine("opledger-scan"), "Clang");
  const std::string runner = VersionLine(ChooseRunner());
  report.onednn = PartOf(runner, "oneDNN");
  const std::optional<std::string> module = PartOf(runner, "CUDA module");
  if (module) report.cuda_module = NumberOf(*module);
  const std::string folder = DataDirectory() + "/schemas";
  for (const std::string& name : NamesIn(folder).names) {
    if (!name.ends_with(kSchemaSuffix)) continue;
    const std::optional<int> version = VersionOfSchema(folder + '/' + name);
    if (version) report.schemas[name.substr(0, name.size() - kSchemaSuffix.size())] = *version;
  }
  Diagnostics ignored;
  report.dialects = ShippedDialects(ignored);
  return report;
}

void WriteVersions(const VersionReport& report, JsonWriter& json) {
  json.Field("version", Version());
  json.Field("llvm", report.llvm);
  json.Field("onednn", report.onednn);
  json.Field("cuda_module", report.cuda_module);
  json.BeginObject("schemas");
  for (const auto& [name, version] : report.schemas) json.Field(name, version);
  json.EndObject();
  json.CompactArray("dialects", report.dialects);
}

std::string VersionJson() {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-version/1");
  WriteVersions(ReadVersions(), json);
  json.EndObject();
  return text;
}

}  // namespace opledger
