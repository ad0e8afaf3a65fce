// Numbers are converted piece by piece while they are written.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet_params_edits.h"

#include <algorithm>

#include "conversion/model/half.h"

namespace opledger {
namespace {

constexpr std::size_t kArrayPiece = std::size_t{1} << 20;  // numbers

std::string Number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> 8 * i));
  return text;
}

bool WriteConverted(const SourceFile& file, Span data, Dtype target, OutputSink& sink) {
  std::string piece;
  while (data.size() >= 4) {
    const std::size_t count = std::min(kArrayPiece, data.size() / 4);
    piece.resize(2 * count);
    ConvertFloats(file.bytes().data() + data.begin, count, target, piece.data());
    if (!sink.Write(piece)) return false;
    file.Release({data.begin, data.begin + 4 * count});
    data.begin += 4 * count;
  }
  return true;
}

}  // namespace

// `head`, then the numbers.
NewBytes MxnetParamsEdits::Converted(std::string head, Span data) const {
  NewBytes bytes;
  bytes.size = head.size() + data.size() / 2;
  bytes.produce = [&file = params_.file, data, target = target_,
                   head = std::move(head)](OutputSink& sink) {
    return sink.Write(head) && WriteConverted(file, data, target, sink);
  };
  return bytes;
}

void MxnetParamsEdits::Convert(std::size_t array) {
  const MxnetArray& each = params_.arrays[array];
  const auto flag = static_cast<std::uint64_t>(MxnetTypeFlag(target_));
  edits_.Replace(each.type_flag, {Number(flag, 4), 0, {}});
  edits_.Replace(each.data, Converted({}, each.data));
}

void MxnetParamsEdits::AddCopy(std::size_t array, const std::string& name) {
  const MxnetArray& each = params_.arrays[array];
  const auto flag = static_cast<std::uint64_t>(MxnetTypeFlag(target_));
  std::string head(params_.file.Text({each.whole.begin, each.type_flag.begin}));
  head += Number(flag, 4);
  head += params_.file.Text({each.type_flag.end, each.data.begin});
  edits_.Insert(params_.arrays_end, Converted(std::move(head), each.data));
  names_.push_back(name);
}

EditList MxnetParamsEdits::Finish() {
  if (!names_.empty()) {
    const std::uint64_t count = params_.arrays.size() + names_.size();
    constexpr Span kArrayCount = {16, 24};
    edits_.Replace(kArrayCount, {Number(count, 8), 0, {}});
    edits_.Replace({params_.arrays_end, params_.arrays_end + 8}, {Number(count, 8), 0, {}});
    std::string names;
    for (const std::string& name : names_) names += Number(name.size(), 8) + name;
    edits_.Insert(params_.file.bytes().size(), {std::move(names), 0, {}});
  }
  return std::move(edits_);
}

}  // namespace opledger
