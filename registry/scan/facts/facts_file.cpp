// Verifies the checksum first: a file with the right one is complete and unchanged.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/facts/facts_file.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>

#include "registry/files/files.h"
#include "registry/files/open_file.h"
#include "registry/files/sha256.h"
#include "registry/json/json_fields.h"
#include "registry/json/json_write.h"
#include "registry/project/version.h"
#include "registry/scan/cache/build_identity.h"

namespace opledger::scan {
namespace {

constexpr std::size_t kMaxFactsFileBytes = std::size_t{4} << 30;
constexpr std::size_t kMaxHeaderBytes = 4096;
constexpr int kMaxShards = 100'000;  // each missing shard is reported
constexpr std::string_view kChecksumOpens = "{\"sha256\":\"";
constexpr std::string_view kChecksumCloses = "\"}\n";
constexpr std::size_t kChecksumDigits = 64;
constexpr std::size_t kChecksumLine =
    kChecksumOpens.size() + kChecksumDigits + kChecksumCloses.size();

std::optional<FactsHeader> ReadHeader(const JsonDocument& line, Diagnostics& diagnostics) {
  JsonFields fields(line, line.root, "facts file", diagnostics);
  if (!fields.Schema("opledger-facts", 1)) return std::nullopt;
  FactsHeader header;
  header.tool = fields.RequiredString("tool");
  header.dialect = fields.RequiredString("dialect");
  header.description = Digest::FromHex(fields.RequiredString("description")).value_or(Digest());
  header.mode = fields.RequiredString("mode");
  header.shard.number = static_cast<int>(fields.Integer("shard", 0, 1, kMaxShards));
  header.shard.count = static_cast<int>(fields.Integer("shards", 0, 1, kMaxShards));
  header.tree = Digest::FromHex(fields.String("tree")).value_or(Digest());
  header.units = static_cast<int>(fields.Integer("units", 0, 0, INT_MAX));
  if (!fields.Finish()) return std::nullopt;
  return header;
}

// Returns the message of the first error.
std::string Why(const Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? "the file is not a facts file"
                                   : diagnostics.all().front().message;
}

}  // namespace

bool Shard::Owns(std::string_view path) const {
  const Digest digest = DigestOf(path);
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | digest.bytes[i];
  return value % static_cast<std::uint64_t>(count) == static_cast<std::uint64_t>(number - 1);
}

std::optional<Shard> Shard::Parse(std::string_view text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != '/') return std::nullopt;
  const auto count = std::from_chars(number.ptr + 1, end, shard.count);
  if (count.ec != std::errc() || count.ptr != end) return std::nullopt;
  if (shard.number < 1 || shard.number > shard.count || shard.count > kMaxShards) {
    return std::nullopt;
  }
  return shard;
}

std::string ToolName() {
  return std::string("opledger-scan ") + Version() + ", build " + std::string(BuildIdentity());
}

void AddConfigurations(const Dialect& dialect, DigestBuilder& digest) {
  for (const auto& [name, configuration] : dialect.configurations) {
    digest.Add("configuration").Add(name);
    for (const auto& [macro, value] : configuration.defines) digest.Add(macro).Add(value);
    for (const std::string& macro : configuration.undefined) digest.Add("undefined").Add(macro);
  }
}

Digest DialectDigest(const Dialect& dialect) {
  DigestBuilder key;
  key.Add(dialect.text);
  for (const std::string& glob : dialect.sources) key.Add("source").Add(glob);
  for (const std::string& glob : dialect.exclude) key.Add("exclude").Add(glob);
  for (const std::string& folder : dialect.include_directories) key.Add("-I").Add(folder);
  AddConfigurations(dialect, key);
  return key.Add(dialect.default_configuration).Finish();
}

FactsHeader HeaderFor(const Dialect& dialect, bool exhaustive) {
  FactsHeader header;
  header.tool = ToolName();
  header.dialect = dialect.name;
  header.description = DialectDigest(dialect);
  header.mode = exhaustive ? "exhaustive" : "fast";
  return header;
}

Digest TreeDigest(const SourceTree& tree) {
  std::map<std::string_view, const SourceFile*> files;
  for (const SourceFile& file : tree.files()) files.emplace(file.path, &file);
  DigestBuilder digest;
  for (const auto& [path, file] : files) {
    digest.Add(path).Add(file->content).Add(file->is_unit ? "unit" : "");
    digest.Add(file->outline.unreadable);
    AddCommand(file->command, digest);
  }
  return digest.Finish();
}

FactsFileWriter::FactsFileWriter(const FactsHeader& header) {
  JsonWriter json(text_);
  json.BeginObject();
  json.Field("schema", "opledger-facts/1");
  json.Field("tool", header.tool);
  json.Field("dialect", header.dialect);
  json.Field("description", header.description.Hex());
  json.Field("mode", header.mode);
  if (!header.shard.IsNone()) {
    json.Field("shard", header.shard.number);
    json.Field("shards", header.shard.count);
  }
  if (header.tree != Digest()) {
    json.Field("tree", header.tree.Hex());
    json.Field("units", header.units);
  }
  json.EndObject();
  text_ += '\n';
}

void FactsFileWriter::Add(const FileFacts& file) { text_.append(WriteFileFacts(file)) += '\n'; }

std::string FactsFileWriter::Finish() {
  const std::string checksum = Sha256Hex(text_);
  text_.append(kChecksumOpens).append(checksum).append(kChecksumCloses);
  return std::move(text_);
}

std::optional<FactsHeader> ReadFactsHeader(const std::string& path) {
  const Descriptor file(OpenInput(path));
  std::string text(kMaxHeaderBytes, '\0');
  std::size_t size = 0;
  for (ssize_t count = file.get() < 0 ? 0 : 1; count != 0 && size < text.size();) {
    count = read(file.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno != EINTR) return std::nullopt;
    if (count > 0) size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  Diagnostics diagnostics;
  std::optional<JsonDocument> line = ParseJson(path, text.substr(0, text.find('\n')), diagnostics);
  return line ? ReadHeader(*line, diagnostics) : std::nullopt;
}

std::optional<FactsFile> ReadFactsFile(const std::string& path, FactsFileProblem& problem) {
  Diagnostics diagnostics;
  std::optional<std::string> text = ReadFile(path, kMaxFactsFileBytes, diagnostics);
  if (text) return ParseFactsFile(path, std::move(*text), problem);
  problem.what = Why(diagnostics);
  return std::nullopt;
}

std::optional<FactsFile> ParseFactsFile(const std::string& path, std::string text,
                                        FactsFileProblem& problem) {
  Diagnostics diagnostics;
  FactsFile file;
  file.path = path;
  const std::size_t line_end = text.find('\n');
  std::optional<JsonDocument> line = ParseJson(path, text.substr(0, line_end), diagnostics);
  std::optional<FactsHeader> header;
  if (line) header = ReadHeader(*line, diagnostics);
  if (!header) {
    problem.what = text.empty() ? "the file is empty" : Why(diagnostics);
    if (line && diagnostics.has_errors()) problem.hint = diagnostics.all().front().hint;
    return std::nullopt;
  }
  problem.shard = header->shard;
  const std::string_view all = text;
  if (!all.ends_with(kChecksumCloses) || all.size() < line_end + 1 + kChecksumLine ||
      all.substr(all.size() - kChecksumLine, kChecksumOpens.size()) != kChecksumOpens) {
    problem.what = "the file is truncated";
    return std::nullopt;
  }
  file.begin = line_end + 1;
  file.end = all.size() - kChecksumLine;
  file.checksum = all.substr(file.end + kChecksumOpens.size(), kChecksumDigits);
  if (Sha256Hex(all.substr(0, file.end)) != file.checksum) {
    problem.what = "the file is damaged: its checksum is wrong";
    return std::nullopt;
  }
  file.header = std::move(*header);
  file.text = std::move(text);
  return file;
}

bool FactsFile::ForEach(const std::function<void(FileFacts file)>& found,
                        Diagnostics& diagnostics) const {
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = text.find('\n', at);
    std::optional<JsonDocument> line = ParseJson(path, text.substr(at, next - at), diagnostics);
    if (!line) return false;
    std::optional<FileFacts> record = ReadFileFacts(*line, diagnostics);
    if (!record) return false;
    found(std::move(*record));
    at = next + 1;
  }
  return true;
}

}  // namespace opledger::scan
