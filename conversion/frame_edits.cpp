// Frames are numbered from the outside in, so that going backwards every length is known before
// that of the message around it.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/frame_edits.h"

#include "conversion/model/wire.h"

namespace opledger {

void FrameEdits::Replace(FrameId frame, Span span, NewBytes bytes) {
  if (frame != kNone) {
    growth_[frame] +=
        static_cast<std::int64_t>(bytes.Size()) - static_cast<std::int64_t>(span.size());
  }
  edits_.Replace(span, std::move(bytes));
}

void FrameEdits::ReplaceVarint(Span span, std::uint64_t value) {
  std::string bytes;
  for (std::size_t i = 0; i < span.size(); ++i) {
    const bool last = i + 1 == span.size();
    bytes.push_back(static_cast<char>((value & 0x7f) | (last ? 0 : 0x80)));
    value >>= 7;
  }
  edits_.Replace(span, {std::move(bytes), 0, {}});
}

EditList FrameEdits::Finish() {
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = frames_[i];
    if (growth_[i] == 0) continue;
    std::string length;
    AppendVarint(length, static_cast<std::uint64_t>(static_cast<std::int64_t>(frame.body.size()) +
                                                    growth_[i]));
    if (frame.parent != kNone) {
      growth_[frame.parent] += growth_[i] + static_cast<std::int64_t>(length.size()) -
                               static_cast<std::int64_t>(frame.length.size());
    }
    edits_.Replace(frame.length, {std::move(length), 0, {}});
  }
  return std::move(edits_);
}

}  // namespace opledger
