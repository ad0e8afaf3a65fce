// Text synchronization, full and incremental.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/documents.h"

#include <cctype>
#include <filesystem>

#include "checker/lsp/message.h"
#include "registry/source/source.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;
using JsonKind = JsonValue::Kind;

constexpr std::size_t kLargestFile = std::size_t{256} << 20;

constexpr std::string_view kScheme = "file://";
constexpr std::string_view kLocalHost = "localhost";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("/-._~").find(c) != std::string_view::npos;
}

const std::string& UriOf(const JsonValue& params) {
  return TextAt(params, {"textDocument", "uri"});
}

}  // namespace

std::optional<std::string> PathOfUri(std::string_view uri) {
  if (uri.size() < kScheme.size()) return std::nullopt;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(uri[i])) != kScheme[i]) return std::nullopt;
  }
  uri.remove_prefix(kScheme.size());
  if (uri.starts_with(kLocalHost)) uri.remove_prefix(kLocalHost.size());
  if (!uri.starts_with('/')) return std::nullopt;
  uri = uri.substr(0, uri.find_first_of("?#"));
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] != '%') {
      path += uri[i];
      continue;
    }
    const int high = i + 2 < uri.size() ? HexDigit(uri[i + 1]) : -1;
    const int low = i + 2 < uri.size() ? HexDigit(uri[i + 2]) : -1;
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    path += static_cast<char>(16 * high + low);
    i += 2;
  }
  if (path.find('\0') != std::string::npos) return std::nullopt;
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

std::string UriOfPath(std::string_view path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri(kScheme);
  for (const char c : path) {
    if (IsUnreserved(c)) {
      uri += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    uri += '%';
    uri += kDigits[byte >> 4U];
    uri += kDigits[byte & 15U];
  }
  return uri;
}

bool ApplyChange(const JsonValue& change, PositionEncoding encoding, std::string& text) {
  const JsonValue* const inserted = change.Find("text");
  const JsonValue* const where = change.Find("range");
  if (inserted == nullptr || inserted->kind != JsonKind::kString) return false;
  if (where == nullptr) {
    text = inserted->string;
    return true;
  }
  const std::optional<Range> range = ReadRange(*where);
  if (!range) return false;
  const DocumentLines lines(text, encoding);
  const std::size_t begin = lines.OffsetOf(range->start);
  const std::size_t end = lines.OffsetOf(range->end);
  text.replace(begin, end - begin, inserted->string);
  return true;
}

std::optional<std::string> Documents::Open(const JsonValue& params) {
  const std::string& uri = UriOf(params);
  const JsonValue& text = ValueAt(params, {"textDocument", "text"});
  std::optional<std::string> path = PathOfUri(uri);
  if (!path || text.kind != JsonKind::kString) return std::nullopt;
  const std::int64_t version = ValueAt(params, {"textDocument", "version"}).integer;
  documents_.insert_or_assign(uri, Document{uri, *path, RealPath(*path), text.string, version});
  return path;
}

std::optional<std::string> Documents::Change(const JsonValue& params) {
  const auto found = documents_.find(UriOf(params));
  if (found == documents_.end()) return std::nullopt;
  Document& document = found->second;
  const JsonValue& changes = ValueAt(params, {"contentChanges"});
  bool known = changes.kind == JsonKind::kArray;
  for (const JsonValue& change : changes.items) {
    known = known && ApplyChange(change, encoding_, document.text);
  }
  if (!known) {
    documents_.erase(found);
    return std::nullopt;
  }
  document.version = ValueAt(params, {"textDocument", "version"}).integer;
  return document.path;
}

std::optional<std::string> Documents::Close(const JsonValue& params) {
  const auto found = documents_.find(UriOf(params));
  if (found == documents_.end()) return std::nullopt;
  std::string path = std::move(found->second.path);
  documents_.erase(found);
  return path;
}

const Document* Documents::Find(const std::string& uri) const {
  const auto found = documents_.find(uri);
  return found == documents_.end() ? nullptr : &found->second;
}

const Document* Documents::FindFile(const std::string& path) const {
  // Resolve links only for candidates, because that takes a dozen system calls.
  const std::string name = fs::path(path).filename().string();
  std::string file;
  for (const auto& [uri, document] : documents_) {
    if (document.path == path) return &document;
    const bool alike =
        fs::path(document.path).filename() == name || fs::path(document.file).filename() == name;
    if (alike && file.empty()) file = RealPath(path);
    if (alike && document.file == file) return &document;
  }
  return nullptr;
}

std::string RealPath(const std::string& path) {
  const std::string real = DiskSource().Canonical(path);
  return real.empty() ? path : real;
}

std::optional<std::string> TextOfFile(const std::string& path) {
  return DiskSource().Read(path, kLargestFile, Reach::kAnywhere);
}

}  // namespace opledger
