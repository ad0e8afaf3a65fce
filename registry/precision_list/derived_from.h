// Describes where a framework maintains its own precision list: the value of "derived_from".
//   [{"file": "python/amp/lists.py", "format": "python", "map": {"FP32": "fp32"}},
//    {"registrations": "policy", "device": "cuda"}]
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/precision_list/list_role.h"

namespace opledger {

enum class ListFormat { kRegistrations, kPython, kCpp, kXMacro, kYaml };

// "python", "cpp", "x-macro", "yaml"; "registrations" for kRegistrations.
const char* ListFormatName(ListFormat format);

// A list in a file, and its role.
struct MappedList {
  // "FP32_FUNCS", "Lists::DenyList", or the last part of a name. "A|B" means A if it exists,
  // otherwise B.
  std::string name;
  ListRole role;
  Location location;  // of the name, in the JSON
};

struct ListOrigin {
  ListFormat format = ListFormat::kRegistrations;
  std::string field;   // for kRegistrations: the field of the manifest that holds policies
  std::string device;  // for kRegistrations: the key in this field; empty: values without a key
  bool may_be_empty = false;  // for kRegistrations: finding no registrations is not an error
  std::string file;           // for other formats: relative to the project's root
  std::vector<MappedList> map;
  std::string prefix;   // prepended to each name in the file: "aten::"
  std::string feature;  // macro of a build feature that the file tests: "MXNET_USE_{}"
  Location location;    // of the object in the JSON
};

// Reads the array. Reports errors and returns false if it is invalid.
bool ReadListOrigins(const JsonDocument& document, const JsonValue& array,
                     std::vector<ListOrigin>& origins, Diagnostics& diagnostics);

}  // namespace opledger
