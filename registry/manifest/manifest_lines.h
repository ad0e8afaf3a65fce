// A manifest with an operator per line, as WriteManifest gives it: the operators are read one by
// one when somebody asks for them. A model uses twenty of the 227 of ONNX.
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
  // Reads `path` but its operators; a file that is not written by lines is read whole. Errors go to
  // `diagnostics`.
  static std::optional<ManifestLines> Read(const std::string& path, Diagnostics& diagnostics);

  // The operator, valid as long as this; nullptr: there is none. Stops the program, with a message,
  // at a line that is no operator: these files come with the program.
  const Operator* Find(const std::string& name);

 private:
  bool Index();
  std::string With(std::string_view line) const;

  std::string path_, text_;
  std::size_t begin_ = 0, end_ = 0;                     // of the operators' lines
  std::unordered_map<std::string, std::size_t> lines_;  // name -> where its line begins
  std::map<std::string, Operator> read_;
  std::optional<Manifest> whole_;  // of a file that is not written by lines
};

}  // namespace opledger
