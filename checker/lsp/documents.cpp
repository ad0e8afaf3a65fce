// Text synchronisation, in full and by increments.
// SPDX-License-Identifier: Apache-2.0
#include "checker/lsp/documents.h"

#include <filesystem>

#include "checker/lsp/message.h"
#include "checker/lsp/uri.h"
#include "registry/platform/files.h"

namespace opledger {
namespace {

namespace fs = std::filesystem;
using JsonKind = JsonValue::Kind;

constexpr std::size_t kLargestFile = std::size_t{256} << 20;

const std::string& UriOf(const JsonValue& params) {
  return TextAt(params, {"textDocument", "uri"});
}

}  // namespace

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
  const std::optional<std::string> path = PathOfUri(uri);
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
  const std::string file = documents_.empty() ? std::string() : RealPath(path);
  for (const auto& [uri, document] : documents_) {
    if (document.file == file) return &document;
  }
  return nullptr;
}

std::string RealPath(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

std::string TextOfFile(const std::string& path) {
  Diagnostics ignored;
  return ReadFile(path, kLargestFile, ignored).value_or("");
}

}  // namespace opledger
