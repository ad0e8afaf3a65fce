// The texts that a client holds open, named by file: URIs and kept in step by its notifications.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "checker/lsp/position.h"
#include "registry/json/json.h"

namespace opledger {

// "file:///a%20b/c.cc" -> "/a b/c.cc". None: it is of another scheme or machine, or malformed.
std::optional<std::string> PathOfUri(std::string_view uri);

// `path` is absolute.
std::string UriOfPath(std::string_view path);

struct Document {
  std::string uri;   // as the client spells it
  std::string path;  // absolute, as the URI spells it
  std::string file;  // the same with links followed
  std::string text;
  std::int64_t version = 0;
};

// A text after one of the changes of textDocument/didChange: a range replaced, or all. False: it is
// no such change.
bool ApplyChange(const JsonValue& change, PositionEncoding encoding, std::string& text);

class Documents {
 public:
  void SetEncoding(PositionEncoding encoding) { encoding_ = encoding; }
  PositionEncoding encoding() const { return encoding_; }

  // The `params` of textDocument/didOpen, didChange and didClose. The document's path; none: it is
  // no file, is not open, or the notification is malformed. A change that is malformed leaves a
  // document that nobody knows the text of: it counts as closed.
  std::optional<std::string> Open(const JsonValue& params);
  std::optional<std::string> Change(const JsonValue& params);
  std::optional<std::string> Close(const JsonValue& params);

  const Document* Find(const std::string& uri) const;
  // By path, whatever links it holds.
  const Document* FindFile(const std::string& path) const;
  const std::map<std::string, Document>& all() const { return documents_; }  // by URI

 private:
  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  std::map<std::string, Document> documents_;
};

// `path` with links followed, also where it is not there.
std::string RealPath(const std::string& path);

// What a file holds as it is saved; none where it cannot be read.
std::optional<std::string> TextOfFile(const std::string& path);

}  // namespace opledger
