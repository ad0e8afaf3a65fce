// Writes the external data of a converted ONNX model: one file next to it with every tensor that
// was external, converted or unchanged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conversion/model/onnx/tensor_data.h"
#include "registry/files/files.h"
#include "registry/files/replacement.h"

namespace opledger {

class OnnxDataFile {
 public:
  // A tensor in the file.
  struct Item {
    TensorId tensor = kNone;
    bool low = false;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  // `location`: the file's name for use in the model. It consists of `stem` and a digest of the
  // contents, which Write computes. `raises`: raise elements that would become zero to the smallest
  // number of the type.
  OnnxDataFile(const OnnxModel& model, TensorData& data, Dtype target, bool raises,
               std::string location)
      : model_(model),
        data_(data),
        target_(target),
        raises_(raises),
        location_(std::move(location)) {}

  // Returns the file name for a digest: STEM-0123456789abcdef.
  static std::string Location(const std::string& stem, std::uint64_t digest);

  bool IsExternal(TensorId tensor) const;
  // Adds a tensor to the file, in the target type if `low`. Returns the TensorProto fields that
  // locate it.
  std::string Add(TensorId id, bool low);

  const std::string& location() const { return location_; }
  const std::vector<Item>& items() const { return items_; }
  // Locates the bytes of all tensors. Reports an error that names the first missing one.
  bool Check(Diagnostics& diagnostics);
  // Writes the file. Sets `digest` before asking `replacement` for the name.
  bool Write(const std::string& path, std::uint64_t& digest, Replacement replacement,
             Diagnostics& diagnostics);

 private:
  bool WriteItem(const Item& item, OutputSink& sink);

  const OnnxModel& model_;
  TensorData& data_;
  Dtype target_;
  bool raises_;
  std::string location_;
  std::vector<Item> items_;
  std::uint64_t end_ = 0;
};

}  // namespace opledger
