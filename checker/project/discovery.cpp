// Parses the scanner's JSON, and compares names with a manifest.
// SPDX-License-Identifier: Apache-2.0
#include "checker/project/discovery.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "checker/terminal/terminal.h"
#include "registry/json/json_fields.h"
#include "registry/manifest/operator_names.h"
#include "registry/platform/platform.h"
#include "registry/text/text.h"

namespace opledger {
namespace {

Location ReadPlace(JsonFields& fields) {
  Location place;
  place.path = fields.RequiredString("path");
  place.line = static_cast<int>(fields.Integer("line", 0, 0, 1 << 30));
  place.end_line = place.line;
  return place;
}

SeenRegistry ReadSeen(const JsonDocument& document, const JsonValue& value,
                      Diagnostics& diagnostics) {
  JsonFields fields(document, value, "candidate", diagnostics);
  SeenRegistry seen;
  seen.kind = fields.RequiredString("kind");
  seen.name = fields.RequiredString("name");
  seen.module = fields.String("module");
  seen.likely = fields.Boolean("likely", false);
  seen.chosen = fields.Boolean("chosen", false);
  for (const JsonValue& each : fields.Objects("names")) {
    JsonFields name(document, each, "name", diagnostics);
    std::string text = name.RequiredString("name");
    seen.names.emplace_back(std::move(text), ReadPlace(name));
  }
  if (const JsonValue* definition = fields.Take("definition")) {
    JsonFields place(document, *definition, "definition", diagnostics);
    seen.definition = ReadPlace(place);
  }
  return seen;
}

bool IsSinkOf(const Dialect& dialect, const SeenRegistry& seen) {
  const auto is = [&](const std::string& sink) {
    return sink == seen.name || sink == seen.module || sink.ends_with('.' + seen.name);
  };
  return std::any_of(dialect.sinks.begin(), dialect.sinks.end(),
                     [&](const Sink& sink) { return is(sink.macro); }) ||
         std::any_of(dialect.python.sinks.begin(), dialect.python.sinks.end(),
                     [&](const PythonSink& sink) { return is(sink.function); }) ||
         std::any_of(dialect.not_registrations.begin(), dialect.not_registrations.end(),
                     [&](const NotRegistration& each) { return each.Holds(seen.name, ""); });
}

}  // namespace

std::optional<FirstLook> LookBriefly() {
  Diagnostics ignored;
  std::string output;
  if (access(SiblingProgram("opledger-scan").c_str(), X_OK) != 0 ||
      RunSibling("opledger-scan", {"--glance"}, output, ignored) != 0) {
    return std::nullopt;
  }
  const std::vector<std::string_view> parts = SplitAt(output, '\0');
  FirstLook look;
  for (std::size_t i = 0; i + 2 < parts.size(); i += 3) {
    look.dialects.push_back({std::string(parts[i]),
                             std::strtoul(std::string(parts[i + 1]).c_str(), nullptr, 10),
                             std::string(parts[i + 2])});
  }
  look.whole = parts.back() == "whole";
  return look;
}

std::optional<Discovery> Discover(Diagnostics& diagnostics) {
  std::string output;
  const std::optional<int> status =
      RunSibling("opledger-scan", {"--discover"}, output, diagnostics);
  if (!status || *status != 0) return std::nullopt;
  const std::optional<JsonDocument> document =
      ParseJson("opledger-scan --discover", std::move(output), diagnostics);
  if (!document) return std::nullopt;
  JsonFields fields(*document, document->root, "discovery", diagnostics);
  Discovery discovery;
  discovery.dialect = fields.String("dialect");
  for (const JsonValue& each : fields.Objects("candidates")) {
    discovery.seen.push_back(ReadSeen(*document, each, diagnostics));
  }
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(discovery));
}

std::vector<SeenRegistry> Unexplained(const Discovery& discovery, const Dialect& dialect,
                                      const Manifest& manifest) {
  const OperatorNames known(manifest);
  std::vector<SeenRegistry> unexplained;
  for (const SeenRegistry& seen : discovery.seen) {
    if (!seen.likely || IsSinkOf(dialect, seen)) continue;
    const auto count = std::count_if(seen.names.begin(), seen.names.end(),
                                     [&](const auto& name) { return known.Has(name.first); });
    if (static_cast<std::size_t>(count) * 2 < seen.names.size()) unexplained.push_back(seen);
  }
  return unexplained;
}

std::string SeenLines(const std::vector<SeenRegistry>& seen, std::size_t most) {
  constexpr std::size_t kExamples = 3;
  std::string lines;
  for (std::size_t i = 0; i < seen.size() && i < most; ++i) {
    const SeenRegistry& each = seen[i];
    const std::string name = each.module.empty() ? each.name : each.module + '.' + each.name;
    lines +=
        "  " + each.kind + ' ' + Printable(name) + ": " + Counted(each.names.size(), "name") + " (";
    for (std::size_t j = 0; j < each.names.size() && j < kExamples; ++j) {
      const auto& [given, place] = each.names[j];
      lines += (j > 0 ? ", " : "") + Printable(given) + " at " + ShownPlace(place);
    }
    lines += each.names.size() > kExamples ? ", ...)" : ")";
    if (each.definition) lines += "; defined at " + ShownPlace(*each.definition);
    lines += '\n';
  }
  if (seen.size() > most) lines += "  and " + std::to_string(seen.size() - most) + " more\n";
  return lines;
}

}  // namespace opledger
