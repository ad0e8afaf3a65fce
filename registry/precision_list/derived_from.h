// Where a precision list is kept by its framework: the value of "derived_from".
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

// One of the lists that a file holds, and what it means.
struct MappedList {
  // "FP32_FUNCS", "Lists::DenyList"; also the last part of a name. "A|B" is A, else B.
  std::string name;
  ListRole role;
  Location location;  // of the name, in the JSON
};

struct ListOrigin {
  ListFormat format = ListFormat::kRegistrations;
  std::string field;          // of kRegistrations: the field of the manifest that states policies
  std::string device;         // of kRegistrations: its key; empty: values without a key
  bool may_be_empty = false;  // of kRegistrations: that nothing is registered is no error
  std::string file;           // of other formats: relative to the project's root
  std::vector<MappedList> map;
  std::string prefix;   // stands before each name of the file: "aten::"
  std::string feature;  // the macro of a build feature that the file asks for: "MXNET_USE_{}"
  Location location;    // of the object, in the JSON
};

// Reads the array. What is wrong with it is an error; false then.
bool ReadListOrigins(const JsonDocument& document, const JsonValue& array,
                     std::vector<ListOrigin>& origins, Diagnostics& diagnostics);

}  // namespace opledger
