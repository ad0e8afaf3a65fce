// The external data of a converted ONNX model: one file beside it, with every tensor that was
// external, converted or as it was.
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

  // `location`: the file's name as the model is to say it: `stem` and a digest of what is in it,
  // which Write finds out.
  // `raises`: numbers that would become zero become the smallest of the type.
  OnnxDataFile(const OnnxModel& model, TensorData& data, Dtype target, bool raises,
               std::string location)
      : model_(model),
        data_(data),
        target_(target),
        raises_(raises),
        location_(std::move(location)) {}

  // The name of a file of this digest: STEM-0123456789abcdef.
  static std::string Location(const std::string& stem, std::uint64_t digest);

  bool IsExternal(TensorId tensor) const;
  // A tensor of the file, in the target type if `low`. Gives the fields of a TensorProto that say
  // where it stands.
  std::string Add(TensorId id, bool low);

  const std::string& location() const { return location_; }
  const std::vector<Item>& items() const { return items_; }
  // Finds the bytes of all tensors; an error names one that is not there.
  bool Check(Diagnostics& diagnostics);
  // Gives the digest of what was written, before the `replacement` is asked for the name.
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
