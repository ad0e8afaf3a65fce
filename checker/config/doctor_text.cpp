// For people: a table, then what is wrong. For programs: the same as JSON.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "checker/config/doctor.h"
#include "registry/json/json_write.h"
#include "registry/text/diagnostics.h"

namespace opledger {

std::string ExaminationText(const std::vector<Examined>& all) {
  std::size_t width = 0;
  for (const Examined& each : all) width = std::max(width, each.name.size());
  std::string text;
  std::string problems;
  for (const Examined& each : all) {
    std::string name = each.name;
    name.resize(width, ' ');
    text += name + "  " + (each.found.empty() ? "-" : Printable(each.found)) + '\n';
    if (each.problem.empty()) continue;
    problems += each.name + ": " + Printable(each.problem) + '\n';
    if (!each.hint.empty()) problems += "hint: " + Printable(each.hint) + '\n';
  }
  return text + '\n' + (problems.empty() ? "Nothing is wrong here.\n" : problems);
}

std::string ExaminationJson(const std::vector<Examined>& all) {
  std::string text;
  JsonWriter json(text, 2);
  json.BeginObject();
  json.Field("schema", "opledger-doctor/1");
  json.Key("examined");
  json.BeginArray();
  for (const Examined& each : all) {
    json.CompactNext();
    json.BeginObject();
    json.Field("name", each.name);
    if (!each.found.empty()) json.Field("found", each.found);
    if (!each.problem.empty()) json.Field("problem", each.problem);
    if (!each.hint.empty()) json.Field("hint", each.hint);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return text + '\n';
}

}  // namespace opledger
