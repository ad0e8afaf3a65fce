// Facts: what one translation unit registers. A pure function of the tool, the dialect, the flags
// and the bytes read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "registry/manifest.h"
#include "registry/scan/digest.h"

namespace opledger::scan {

// One statement about the operator, made by a method of the chain.
struct FieldFact {
  std::string field;
  int order = 0;  // the how manieth of its field in the chain: arguments keep their order
  FieldValue value;

  bool operator==(const FieldFact& other) const {
    return field == other.field && order == other.order && value == other.value;
  }
  bool operator<(const FieldFact& other) const {
    return std::tie(field, order, value) < std::tie(other.field, other.order, other.value);
  }
};

struct Registration {
  std::string name;
  Site site;
  std::vector<Alias> aliases;
  std::vector<FieldFact> fields;
};

// A registration whose name is no constant.
struct Dynamic {
  Location location;
  std::string expression;

  auto operator<=>(const Dynamic&) const = default;
};

struct Facts {
  std::vector<Registration> registrations;
  std::vector<Dynamic> dynamic;
  std::vector<Incomplete> incomplete;
  std::vector<std::string> asked;  // identifiers the facts depend on (unit_plan.h)
  Digest meaning;                  // what they meant
  bool full_headers = false;       // read with all headers, so it depends on all their bytes
  bool unlisted = false;  // and on files without outline, so that nobody knows when it ends

  // Sorted, repetitions gone, registrations of one site made one.
  void Normalise();
};

std::string SerializeFacts(const Facts& facts);
std::optional<Facts> ParseFacts(std::string_view bytes);

}  // namespace opledger::scan
