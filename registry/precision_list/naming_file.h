// Files outside its list in which a framework names operators: documentation pages and tests. The
// values of "documented_in" and "tested_in".
//   [{"file": "docs/amp.rst", "map": {"Ops that autocast to float32": "fp32"}}]
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/json/json.h"
#include "registry/precision_list/policy.h"

namespace opledger {

// A section of a page, by its title without markup, or a list in a Python file, by its name.
struct MappedSection {
  std::string name;
  Policy policy = Policy::kEither;
  Location location;  // of the name in the JSON
};

struct NamingFile {
  std::string file;  // relative to the project's root
  std::vector<MappedSection> map;
  Location location;  // of the file name in the JSON
};

// Reads the array. Reports errors and returns false if it is invalid.
bool ReadNamingFiles(const JsonDocument& document, const JsonValue& array, const char* key,
                     std::vector<NamingFile>& files, Diagnostics& diagnostics);

struct PlacedName {
  std::string name;  // "softmax"
  Location location;
};

// The operators in a section of such a file.
struct NamedOperators {
  std::string file;
  std::string section;
  Policy policy = Policy::kEither;
  std::string problem;  // why it could not be read; empty on success
  Location location;  // of the section in the file; if there is a problem, of its name in the JSON
  std::vector<PlacedName> names;
};

}  // namespace opledger
