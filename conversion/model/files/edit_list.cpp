// Applies edits: writes unchanged pieces of the file with the new bytes in between.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/files/edit_list.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace opledger {
namespace {

bool Copy(const SourceFile& file, Span span, OutputSink& sink) {
  return file.ForEachPiece(span, [&](std::string_view piece) { return sink.Write(piece); });
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
    std::fprintf(stderr, "opledger: internal error: two edits of one place, at byte %zu\n",
                 edits_[i].span.begin);
    std::abort();
  }
  sorted_ = true;
  return edits_;
}

bool WriteEdited(const SourceFile& file, EditList& edits, const std::string& path,
                 Diagnostics& diagnostics, Replacement replacement) {
  const std::vector<Edit>& sorted = edits.Sorted();
  replacement.produce = [&](OutputSink& sink) { return WritePieces(file, sorted, sink); };
  return WriteFile(path, replacement, diagnostics);
}

std::string EditedText(const SourceFile& file, EditList& edits) {
  std::string text;
  OutputSink sink(text);
  WritePieces(file, edits.Sorted(), sink);
  return text;
}

namespace {

// Splits the output of the first list into pieces and applies the second list to them. Everything
// between two unchanged pieces of the file becomes one edit.
class Composer {
 public:
  Composer(std::size_t size, const std::vector<Edit>& first) : size_(size), first_(first) {}

  EditList Compose(const std::vector<Edit>& second) {
    for (const Edit& edit : second) {
      Take(edit.span.begin - at_, true);
      Take(edit.span.size(), false);
      pending_.push_back(edit.bytes);
    }
    Take(static_cast<std::size_t>(-1), true);
    Copy({size_, size_});
    return std::move(edits_);
  }

 private:
  // Advances by `count` bytes of the first list's output, or to its end, keeping or dropping them.
  void Take(std::size_t count, bool keep) {
    while (count > 0) {
      const bool in_edit = next_ < first_.size() && first_[next_].span.begin == file_at_;
      if (in_edit && done_ == first_[next_].bytes.bytes.size()) {
        file_at_ = first_[next_++].span.end;
        done_ = 0;
        continue;
      }
      const std::size_t end = next_ < first_.size() ? first_[next_].span.begin : size_;
      const std::size_t there = in_edit ? first_[next_].bytes.bytes.size() - done_ : end - file_at_;
      const std::size_t step = std::min(count, there);
      if (step == 0) return;  // the end
      if (in_edit) {
        if (keep) pending_.push_back({first_[next_].bytes.bytes.substr(done_, step), 0, {}});
        done_ += step;
      } else {
        if (keep) Copy({file_at_, file_at_ + step});
        file_at_ += step;
      }
      count -= step;
      at_ += step;
    }
  }

  // Keeps bytes of the file. Everything since the previous ones becomes an edit.
  void Copy(Span span) {
    if (!pending_.empty() || span.begin != copied_) {
      edits_.Replace({copied_, span.begin}, Joined(std::exchange(pending_, {})));
    }
    copied_ = span.end;
  }

  static NewBytes Joined(std::vector<NewBytes> parts) {
    NewBytes all;
    const bool at_hand = std::none_of(parts.begin(), parts.end(),
                                      [](const NewBytes& part) { return bool(part.produce); });
    if (at_hand) {
      for (const NewBytes& part : parts) all.bytes += part.bytes;
      return all;
    }
    for (const NewBytes& part : parts) all.size += part.Size();
    const auto shared = std::make_shared<std::vector<NewBytes>>(std::move(parts));
    all.produce = [shared](OutputSink& sink) {
      return std::all_of(shared->begin(), shared->end(), [&](const NewBytes& part) {
        return part.produce ? part.produce(sink) : sink.Write(part.bytes);
      });
    };
    return all;
  }

  std::size_t size_;
  const std::vector<Edit>& first_;
  std::size_t next_ = 0;           // in the first list
  std::size_t done_ = 0;           // bytes done in that edit
  std::size_t file_at_ = 0;        // position in the file
  std::size_t at_ = 0;             // position in the first list's output
  std::size_t copied_ = 0;         // end of the kept bytes of the file
  std::vector<NewBytes> pending_;  // new bytes after it
  EditList edits_;
};

}  // namespace

EditList ComposeEdits(std::size_t size, EditList& first, EditList& second) {
  return Composer(size, first.Sorted()).Compose(second.Sorted());
}

}  // namespace opledger
