// The records that manifests and facts share, as bytes: written alike in both.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "registry/manifest/manifest.h"
#include "registry/text/bytes.h"

namespace opledger {

void Write(ByteWriter& out, const Location& location);
void Write(ByteWriter& out, const Details& texts);
void Write(ByteWriter& out, const Alias& alias);
void Write(ByteWriter& out, const Kernel& kernel);
void Write(ByteWriter& out, const Incomplete& record);

// After a failed read a record is not complete, and `in` is not ok().
Location ReadLocation(ByteReader& in);
Details ReadDetails(ByteReader& in);
Incomplete ReadIncomplete(ByteReader& in);

// A tree has few conditions and names each of them often: a reader parses each text once.
class ConditionReader {
 public:
  Condition Read(ByteReader& in);
  Alias ReadAlias(ByteReader& in);
  Kernel ReadKernel(ByteReader& in);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, Condition, Hash, std::equal_to<>> parsed_;
};

}  // namespace opledger
