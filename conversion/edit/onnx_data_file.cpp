// Aligns large tensors to pages, so that runtimes can map them.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/edit/onnx_data_file.h"

#include <cstdio>
#include <cstring>

#include "conversion/model/half/half.h"
#include "conversion/model/onnx/onnx_fields.h"
#include "conversion/model/onnx/wire.h"

namespace opledger {
namespace {

constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kAlignment = 64;

std::string Entry(std::string_view key, std::string_view value) {
  std::string entry;
  AppendBytesField(entry, entry_field::kKey, key);
  AppendBytesField(entry, entry_field::kValue, value);
  std::string field;
  AppendBytesField(field, tensor_field::kExternalData, entry);
  return field;
}

// Names contents. Runs at memory speed, unlike SHA-256; it does not have to resist attacks.
class Digest {
 public:
  void Add(std::string_view bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      if (rest_.empty() && bytes.size() >= kBlock) {
        Mix(bytes.data());
        bytes.remove_prefix(kBlock);
        continue;
      }
      const std::string_view taken = bytes.substr(0, kBlock - rest_.size());
      rest_ += taken;
      bytes.remove_prefix(taken.size());
      if (rest_.size() < kBlock) break;
      Mix(rest_.data());
      rest_.clear();
    }
  }

  std::uint64_t Value() {
    rest_.resize(kBlock, '\0');
    Mix(rest_.data());
    std::uint64_t value = size_;
    for (const std::uint64_t lane : lanes_) value = Step(value, lane);
    value = (value ^ (value >> 32)) * kFactor;
    return value ^ (value >> 29);
  }

 private:
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kBlock = kLanes * sizeof(std::uint64_t);
  static constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;

  static std::uint64_t Step(std::uint64_t state, std::uint64_t word) {
    state = (state ^ word) * kFactor;
    return state ^ (state >> 31);
  }

  void Mix(const char* block) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, block + i * sizeof word, sizeof word);
      lanes_[i] = Step(lanes_[i], word);
    }
  }

  std::uint64_t lanes_[kLanes] = {1, 2, 3, 4};
  std::string rest_;
  std::uint64_t size_ = 0;
};

}  // namespace

bool OnnxDataFile::IsExternal(TensorId tensor) const {
  return model_.graph.tensors[tensor].storage == Tensor::Storage::kExternal;
}

std::string OnnxDataFile::Add(TensorId id, bool low) {
  Item item{id, low, 0, 0};
  Diagnostics checked;
  const auto bytes = data_.External(id, checked);
  item.size = low ? 2 * model_.graph.tensors[id].elements : bytes ? bytes->span.size() : 0;
  const std::uint64_t alignment = item.size >= kLarge ? kPage : kAlignment;
  item.offset = (end_ + alignment - 1) / alignment * alignment;
  end_ = item.offset + item.size;
  items_.push_back(item);
  std::string fields = Entry("location", location_) + Entry("offset", std::to_string(item.offset)) +
                       Entry("length", std::to_string(item.size));
  AppendVarintField(fields, tensor_field::kDataLocation, tensor_field::kExternal);
  return fields;
}

bool OnnxDataFile::Check(Diagnostics& diagnostics) {
  for (TensorId id = 0; id < static_cast<TensorId>(model_.graph.tensors.size()); ++id) {
    if (IsExternal(id) && !data_.External(id, diagnostics)) return false;
  }
  return true;
}

bool OnnxDataFile::WriteItem(const Item& item, OutputSink& sink) {
  if (item.low) {
    std::string piece;
    return data_.ForEach(item.tensor, [&](const char* numbers, std::size_t count) {
      piece.resize(2 * count);
      ConvertParameter(numbers, count, target_, raises_, piece.data());
      return sink.Write(piece);
    });
  }
  Diagnostics checked;
  const auto bytes = data_.External(item.tensor, checked);
  return bytes && bytes->file->ForEachPiece(
                      bytes->span, [&](std::string_view piece) { return sink.Write(piece); });
}

bool OnnxDataFile::Write(const std::string& path, std::uint64_t& digest, Replacement replacement,
                         Diagnostics& diagnostics) {
  Digest all;
  replacement.produce = [&](OutputSink& file) {
    OutputSink sink([&](std::string_view piece) {
      all.Add(piece);
      return file.Write(piece);
    });
    std::uint64_t at = 0;
    for (const Item& item : items_) {
      if (!sink.Write(std::string(item.offset - at, '\0')) || !WriteItem(item, sink)) return false;
      at = item.offset + item.size;
    }
    digest = all.Value();
    return sink.Flush();
  };
  return WriteFile(path, replacement, diagnostics);
}

std::string OnnxDataFile::Location(const std::string& stem, std::uint64_t digest) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
  return stem + "-" + text;
}

}  // namespace opledger
