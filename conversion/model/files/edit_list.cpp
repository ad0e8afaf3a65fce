// Applying edits: the file in pieces, the new bytes between them.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/edit_list.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace opledger {
namespace {

constexpr std::size_t kPiece = std::size_t{4} << 20;

// Copies a range in pieces whose memory is given back: a large file is never all in memory.
bool Copy(const SourceFile& file, Span span, OutputSink& sink) {
  while (span.begin < span.end) {
    const Span piece = {span.begin, std::min(span.end, span.begin + kPiece)};
    if (!sink.Write(file.Text(piece))) return false;
    if (piece.size() == kPiece) file.Release(piece);
    span.begin = piece.end;
  }
  return true;
}

bool WritePieces(const SourceFile& file, const std::vector<Edit>& edits, OutputSink& sink) {
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (!Copy(file, {at, edit.span.begin}, sink)) return false;
    const NewBytes& bytes = edit.bytes;
    if (bytes.produce ? !bytes.produce(sink) : !sink.Write(bytes.bytes)) return false;
    at = edit.span.end;
  }
  return Copy(file, {at, file.bytes().size()}, sink);
}

}  // namespace

void EditList::Replace(Span span, NewBytes bytes) {
  edits_.push_back({span, std::move(bytes)});
  sorted_ = false;
}

const std::vector<Edit>& EditList::Sorted() {
  if (sorted_) return edits_;
  std::stable_sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) {
    const bool a_replaces = a.span.size() > 0;
    const bool b_replaces = b.span.size() > 0;
    return std::pair(a.span.begin, a_replaces) < std::pair(b.span.begin, b_replaces);
  });
  for (std::size_t i = 1; i < edits_.size(); ++i) {
    if (edits_[i].span.begin >= edits_[i - 1].span.end) continue;
    std::fprintf(stderr, "opledger: bug: two edits of one place, at byte %zu\n",
                 edits_[i].span.begin);
    std::abort();
  }
  sorted_ = true;
  return edits_;
}

bool WriteEdited(const SourceFile& file, EditList& edits, const std::string& path,
                 Diagnostics& diagnostics, const std::function<bool(const std::string&)>& accept) {
  const std::vector<Edit>& sorted = edits.Sorted();
  return WriteFile(
      path, [&](OutputSink& sink) { return WritePieces(file, sorted, sink); }, diagnostics, accept);
}

std::string EditedText(const SourceFile& file, EditList& edits) {
  std::string text;
  OutputSink sink(text);
  WritePieces(file, edits.Sorted(), sink);
  return text;
}

}  // namespace opledger
