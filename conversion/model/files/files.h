// Accesses model files, mapped into memory; edits that keep all other bytes; and containers: zip
// archives, .npy arrays, the layout of a JSON text. A SourceFile provides the bytes of one file,
// which are paged in on demand.
// May include: registry/*.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "registry/text/diagnostics.h"
#include "registry/text/location.h"

namespace opledger {

class SourceFile {
 public:
  // Opens the regular file `path`. Errors name it and the reason. `data_root`: --data-root.
  static std::optional<SourceFile> Open(const std::string& path, Diagnostics& diagnostics,
                                        std::string data_root = {});
  // Opens a file inside `folder`, such as "weights.bin", whatever links and dots `relative`
  // contains. Does not follow links, and rejects files with more than one hard link, which may be
  // elsewhere. Follows links within `data_root` if it is given, as in caches of model hubs. Errors
  // name `who`, which refers to the file.
  static std::optional<SourceFile> OpenBelow(const std::string& folder, const std::string& relative,
                                             const std::string& who, Diagnostics& diagnostics,
                                             const std::string& data_root = {});

  // Creates a file in memory. `path` is for messages and locates data that the text names.
  static SourceFile FromText(std::string path, std::string text, std::string data_root = {});

  SourceFile(SourceFile&& other) noexcept;
  SourceFile& operator=(SourceFile&& other) noexcept;
  ~SourceFile();

  const std::string& path() const { return path_; }
  const std::string& data_root() const { return data_root_; }
  std::string_view bytes() const { return bytes_; }
  std::string_view Text(Span span) const { return bytes_.substr(span.begin, span.size()); }
  // Tells the kernel that these bytes are not needed soon. They stay readable. Ignores small spans.
  void Release(Span span) const;
  // Passes these bytes to `take` piece by piece and releases each, so that a large file is never in
  // memory as a whole. Returns false if `take` does.
  bool ForEachPiece(Span span, const std::function<bool(std::string_view)>& take) const;
  // Returns the SHA-256 of the file in hexadecimal.
  std::string Digest() const;

 private:
  SourceFile(std::string path, std::string_view bytes) : path_(std::move(path)), bytes_(bytes) {}
  static std::optional<SourceFile> Map(int descriptor, const std::string& path,
                                       Diagnostics& diagnostics);

  std::string path_;
  std::string data_root_;
  std::unique_ptr<std::string> text_;  // from FromText; null: mapped
  std::string_view bytes_;
};

// Releases the bytes of a file behind a sequential reader.
class ReleasedBehind {
 public:
  explicit ReleasedBehind(const SourceFile& file, std::size_t begin = 0)
      : file_(file), begin_(begin) {}
  ~ReleasedBehind() { file_.Release({begin_, end_}); }
  ReleasedBehind(const ReleasedBehind&) = delete;
  ReleasedBehind& operator=(const ReleasedBehind&) = delete;

  // Call after everything before `to` has been read.
  void Pass(std::size_t to);
  // Like Pass above, for everything up to the end of `read`, a view of the file's bytes.
  void Pass(std::string_view read) { Pass(read.data() + read.size() - file_.bytes().data()); }

 private:
  const SourceFile& file_;
  std::size_t begin_;
  std::size_t end_ = 0;
};

}  // namespace opledger
