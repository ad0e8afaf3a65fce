// Converts elements piece by piece while they are written.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/model/mxnet/mxnet_params_edits.h"

#include "conversion/model/half/half.h"

namespace opledger {
namespace {

std::string Number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> 8 * i));
  return text;
}

bool WriteConverted(const MxnetParams& params, std::size_t array, Dtype to, bool raises,
                    OutputSink& sink) {
  const Dtype from = *params.arrays[array].dtype;
  const bool wider = to == Dtype::kFloat32;
  std::string converted;
  return ForEachPiece(params, array, [&](std::string_view piece) {
    const std::size_t count = piece.size() / (wider ? 2 : 4);
    converted.resize(count * (wider ? 4 : 2));
    if (wider) {
      UpcastFloats(piece.data(), count, from, converted.data());
    } else {
      ConvertParameter(piece.data(), count, to, raises, converted.data());
    }
    return sink.Write(converted);
  });
}

}  // namespace

MxnetParamsEdits::MxnetParamsEdits(const MxnetParams& params, bool raises)
    : params_(params), raises_(raises) {
  if (params.npz) zip_.emplace(params.file, params.npz->zip);
}

// Returns `head` followed by the elements.
NewBytes MxnetParamsEdits::Converted(std::string head, std::size_t array, Dtype to) const {
  NewBytes bytes;
  bytes.size =
      head.size() + params_.arrays[array].elements * static_cast<std::uint64_t>(DtypeBits(to) / 8);
  bytes.produce = [&params = params_, array, to, raises = raises_,
                   head = std::move(head)](OutputSink& sink) {
    return sink.Write(head) && WriteConverted(params, array, to, raises, sink);
  };
  return bytes;
}

void MxnetParamsEdits::Convert(std::size_t array, Dtype to) {
  const MxnetArray& each = params_.arrays[array];
  if (zip_) {
    zip_->Replace(each.member, Converted(WithNpyType(params_.npz->headers[array], to), array, to));
    return;
  }
  const auto flag = static_cast<std::uint64_t>(MxnetTypeFlag(to));
  edits_.Replace(each.type_flag, {Number(flag, 4), 0, {}});
  if (each.data.size() > 0) edits_.Replace(each.data, Converted({}, array, to));
}

void MxnetParamsEdits::AddCopy(std::size_t array, const std::string& name, Dtype to) {
  const MxnetArray& each = params_.arrays[array];
  if (zip_) {
    zip_->Add(each.member, name + ".npy",
              Converted(WithNpyType(params_.npz->headers[array], to), array, to));
    return;
  }
  const auto flag = static_cast<std::uint64_t>(MxnetTypeFlag(to));
  std::string head(params_.file.Text({each.whole.begin, each.type_flag.begin}));
  head += Number(flag, 4);
  head += params_.file.Text({each.type_flag.end, each.data.begin});
  edits_.Insert(params_.arrays_end, Converted(std::move(head), array, to));
  names_.push_back(name);
}

void MxnetParamsEdits::Remove(std::size_t array) {
  const MxnetArray& each = params_.arrays[array];
  if (zip_) {
    zip_->Remove(each.member);
    return;
  }
  ++removed_;
  edits_.Replace(each.whole, {});
  // Remove the name together with the preceding length.
  const auto name = static_cast<std::size_t>(each.name.data() - params_.file.bytes().data());
  edits_.Replace({name - 8, name + each.name.size()}, {});
}

EditList MxnetParamsEdits::Finish() {
  if (zip_) return zip_->Finish();
  if (!names_.empty() || removed_ > 0) {
    const std::uint64_t count = params_.arrays.size() + names_.size() - removed_;
    constexpr Span kArrayCount = {16, 24};
    edits_.Replace(kArrayCount, {Number(count, 8), 0, {}});
    edits_.Replace({params_.arrays_end, params_.arrays_end + 8}, {Number(count, 8), 0, {}});
    std::string names;
    for (const std::string& name : names_) names += Number(name.size(), 8) + name;
    if (!names.empty()) edits_.Insert(params_.file.bytes().size(), {std::move(names), 0, {}});
  }
  return std::move(edits_);
}

}  // namespace opledger
