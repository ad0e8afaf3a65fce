// Bytes: model files, mapped; edits of them, which leave all other bytes alone; and the containers
// that bytes come in: zip archives, .npy arrays, the layout of a JSON text. SourceFile is the bytes
// of one file, read where they are looked at, never all in memory.
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
  // The regular file `path`; an error names it and says why not. `data_root`: --data-root.
  static std::optional<SourceFile> Open(const std::string& path, Diagnostics& diagnostics,
                                        std::string data_root = {});
  // The same of a file below the folder `folder`, and nowhere else, whatever links and dots
  // `relative` holds: "weights.bin". No link is followed, and a file that has another name, too, is
  // refused: it may be one that lies elsewhere. An error names `who`, which refers to it.
  // `data_root`: a folder within which links are followed, as caches of model hubs have them.
  static std::optional<SourceFile> OpenBelow(const std::string& folder, const std::string& relative,
                                             const std::string& who, Diagnostics& diagnostics,
                                             const std::string& data_root = {});

  // Bytes in memory; `path` is for messages, and data that they name lies beside it.
  static SourceFile FromText(std::string path, std::string text, std::string data_root = {});

  SourceFile(SourceFile&& other) noexcept;
  SourceFile& operator=(SourceFile&& other) noexcept;
  ~SourceFile();

  const std::string& path() const { return path_; }
  const std::string& data_root() const { return data_root_; }
  std::string_view bytes() const { return bytes_; }
  std::string_view Text(Span span) const { return bytes_.substr(span.begin, span.size()); }
  // These bytes are not needed soon: their memory may go, where they are many. They stay readable.
  void Release(Span span) const;
  // Gives these bytes piece by piece, and releases each: a large file is never all in memory.
  // False: `take` gave false.
  bool ForEachPiece(Span span, const std::function<bool(std::string_view)>& take) const;
  // The SHA-256 of the file, in hexadecimal digits.
  std::string Digest() const;

 private:
  SourceFile(std::string path, std::string_view bytes) : path_(std::move(path)), bytes_(bytes) {}
  static std::optional<SourceFile> Map(int descriptor, const std::string& path,
                                       Diagnostics& diagnostics);

  std::string path_;
  std::string data_root_;
  std::unique_ptr<std::string> text_;  // of FromText; none: mapped
  std::string_view bytes_;
};

// Releases the bytes of a file that is read in order, behind the reader.
class ReleasedBehind {
 public:
  explicit ReleasedBehind(const SourceFile& file, std::size_t begin = 0)
      : file_(file), begin_(begin) {}
  ~ReleasedBehind() { file_.Release({begin_, end_}); }
  ReleasedBehind(const ReleasedBehind&) = delete;
  ReleasedBehind& operator=(const ReleasedBehind&) = delete;

  // Everything before `to` has been read.
  void Pass(std::size_t to);
  // The same for a view of the file's bytes.
  void Pass(std::string_view read) { Pass(read.data() + read.size() - file_.bytes().data()); }

 private:
  const SourceFile& file_;
  std::size_t begin_;
  std::size_t end_ = 0;
};

}  // namespace opledger
