// The texts that a client holds open, by file: URI, updated by its notifications.
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

// Turns "file:///a%20b/c.cc" into "/a b/c.cc". Returns nullopt if the URI has another scheme or
// host, or is malformed.
std::optional<std::string> PathOfUri(std::string_view uri);

// `path` is absolute.
std::string UriOfPath(std::string_view path);

struct Document {
  std::string uri;   // as spelled by the client
  std::string path;  // absolute, as in the URI
  std::string file;  // likewise, with links resolved
  std::string text;
  std::int64_t version = 0;
};

// Applies a change of textDocument/didChange, which replaces a range or the whole text. Returns
// false if it is malformed.
bool ApplyChange(const JsonValue& change, PositionEncoding encoding, std::string& text);

class Documents {
 public:
  void SetEncoding(PositionEncoding encoding) { encoding_ = encoding; }
  PositionEncoding encoding() const { return encoding_; }

  // Handle the `params` of textDocument/didOpen, didChange and didClose. Return the document's
  // path, or nullopt if it is not a file, is not open, or the notification is malformed. After a
  // malformed change the text is unknown, so the document counts as closed.
  std::optional<std::string> Open(const JsonValue& params);
  std::optional<std::string> Change(const JsonValue& params);
  std::optional<std::string> Close(const JsonValue& params);

  // Returns the open document, or nullptr.
  const Document* Find(const std::string& uri) const;
  // Finds a document by path, with links resolved.
  const Document* FindFile(const std::string& path) const;
  const std::map<std::string, Document>& all() const { return documents_; }  // by URI

 private:
  PositionEncoding encoding_ = PositionEncoding::kUtf16;
  std::map<std::string, Document> documents_;
};

// Resolves links in `path`, even if the file does not exist.
std::string RealPath(const std::string& path);

// Returns the saved contents of a file, or nullopt if it cannot be read.
std::optional<std::string> TextOfFile(const std::string& path);

}  // namespace opledger
