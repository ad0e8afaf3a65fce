// Where a framework names operators beside its list: on a page for its users, in a test. The values
// of "documented_in" and "tested_in".
//   [{"file": "docs/amp.rst", "map": {"Ops that autocast to float32": "fp32"}}]
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/precision_list/policy.h"

namespace opledger {

// A section of a page, by its title without markup, or a list of a Python file, by its name.
struct MappedSection {
  std::string name;
  Policy policy = Policy::kEither;
  Location location;  // of the name, in the JSON
};

struct NamingFile {
  std::string file;  // relative to the project's root
  std::vector<MappedSection> map;
  Location location;  // of the file's name, in the JSON
};

// Reads the array. What is wrong with it is an error; false then.
bool ReadNamingFiles(const JsonDocument& document, const JsonValue& array, const char* key,
                     std::vector<NamingFile>& files, Diagnostics& diagnostics);

struct PlacedName {
  std::string name;  // "softmax"
  Location location;
};

// What such a file says under one of its sections.
struct NamedOperators {
  std::string file;
  std::string section;
  Policy policy = Policy::kEither;
  std::string problem;  // why it could not be read; empty: it was
  Location location;    // of the section there; with a problem, of its name in the JSON
  std::vector<PlacedName> names;
};

}  // namespace opledger
