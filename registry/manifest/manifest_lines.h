// Reads a manifest with one operator per line, as WriteManifest writes it. Operators are parsed
// when they are requested: a model uses about 20 of ONNX's 227.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "registry/manifest/manifest.h"
#include "registry/text/diagnostics.h"

namespace opledger {

class ManifestLines {
 public:
  // Reads `path` without parsing its operators. A file in another layout is read whole. Returns
  // nullopt and reports an error on failure.
  static std::optional<ManifestLines> Read(const std::string& path, Diagnostics& diagnostics);

  // Returns the operator, valid as long as this object, or nullptr if there is none. Aborts with a
  // message if its line is invalid, because these files come with the program.
  const Operator* Find(const std::string& name);

 private:
  bool Index();
  std::string With(std::string_view line) const;

  std::string path_, text_;
  std::size_t begin_ = 0, end_ = 0;                     // of the operators' lines
  std::unordered_map<std::string, std::size_t> lines_;  // name -> start of its line
  std::map<std::string, Operator> read_;
  std::optional<Manifest> whole_;  // a file that does not have one operator per line
};

}  // namespace opledger
