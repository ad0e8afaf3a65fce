// Queries, reads and writes manifests. records.h lists the fields. The JSON is canonical, with one
// operator per line, so that versions of it can be compared.
//   {"name":"abs","aliases":[],"sites":[{"path":"src/abs.cc","line":3,...}]}
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/manifest.h"

#include <algorithm>
#include <set>

#include "registry/manifest/record_json.h"
#include "registry/manifest/record_pack.h"

namespace opledger {
namespace {

constexpr std::string_view kPackFormat = "opledger-manifest-pack/6";

void ReportRepeatedOperators(const JsonDocument& document, const Manifest& manifest,
                             RecordReader& reader, Diagnostics& diagnostics) {
  std::set<std::string_view> names;
  const JsonValue* const operators = document.root.Find("operators");
  if (operators == nullptr) return;  // which was an error already
  for (std::size_t i = 0; i < manifest.operators.size(); ++i) {
    const std::string& name = manifest.operators[i].name;
    if (names.insert(name).second) continue;
    const JsonValue& item = operators->items[i];
    const JsonValue* const written = item.Find("name");
    ErrorAt(document, (written == nullptr ? item : *written).span,
            "operator '" + name + "' is listed twice", "merge the facts again", diagnostics);
    reader.Fail();
  }
}

// Sorts lists that are written in any order.
void Sort(Manifest& manifest) {
  std::sort(manifest.operators.begin(), manifest.operators.end(),
            [](const Operator& a, const Operator& b) { return a.name < b.name; });
  for (Operator& op : manifest.operators) {
    std::sort(op.sites.begin(), op.sites.end());
    std::sort(op.aliases.begin(), op.aliases.end());
    std::sort(op.kernels.begin(), op.kernels.end());
    for (OperatorVersion& version : op.earlier) {
      std::sort(version.sites.begin(), version.sites.end());
    }
  }
  std::sort(manifest.defaults.begin(), manifest.defaults.end());
  std::sort(manifest.absent.begin(), manifest.absent.end());
  std::sort(manifest.dynamic.begin(), manifest.dynamic.end());
  std::sort(manifest.incomplete.begin(), manifest.incomplete.end());
}

std::optional<Manifest> ManifestOf(std::optional<JsonDocument> document, Diagnostics& diagnostics) {
  if (!document) return std::nullopt;
  JsonFields fields(*document, document->root, "operators file", diagnostics);
  // Reading a newer version would only cause misleading errors.
  if (!fields.Schema("opledger-operators", 1)) return std::nullopt;
  Manifest manifest;
  manifest.configuration = "union";
  RecordReader reader(*document, diagnostics);
  reader.ReadFrom(fields, manifest);
  ReportRepeatedOperators(*document, manifest, reader, diagnostics);
  reader.Finish(fields);
  if (!reader.ok()) return std::nullopt;
  Sort(manifest);
  manifest.text = std::move(document->text);
  return manifest;
}

}  // namespace

bool Operator::IsUnreachable() const {
  return !sites.empty() &&
         std::all_of(sites.begin(), sites.end(), [](const Site& site) { return site.unreachable; });
}

bool Operator::ExistsIn(const Configuration& configuration) const {
  const bool nowhere = IsUnreachable();
  return std::any_of(sites.begin(), sites.end(), [&](const Site& site) {
    return site.unreachable == nowhere &&
           site.condition.MayHoldIn(configuration, site.location.path);
  });
}

bool Operator::CanExist() const {
  return std::any_of(sites.begin(), sites.end(),
                     [](const Site& site) { return site.condition.CanBeTrue(); });
}

const Operator* Manifest::Find(std::string_view name) const {
  const auto found = std::lower_bound(
      operators.begin(), operators.end(), name,
      [](const Operator& op, std::string_view wanted) { return op.name < wanted; });
  return found != operators.end() && found->name == name ? &*found : nullptr;
}

std::optional<Configuration> Manifest::KnownOf(const std::string& configuration) const {
  const auto found = configurations.find(configuration);
  if (found == configurations.end()) return std::nullopt;
  Configuration known = found->second;
  for (const MacroDefault& of : defaults) {
    if (!known.defines.contains(of.macro)) known.undefined.insert(of.macro);
  }
  return known;
}

std::string WriteManifest(const Manifest& manifest) {
  std::string text;
  text.reserve(600 * (manifest.operators.size() + 1));
  JsonWriter json(text, 1);
  json.BeginObject();
  json.Field("schema", "opledger-operators/1");
  RecordWriter writer(json);
  VisitFields(writer, manifest);
  json.EndObject();
  text += '\n';
  return text;
}

std::optional<Manifest> ReadManifest(const Source& source, const std::string& path,
                                     Diagnostics& diagnostics) {
  return ManifestOf(ReadJson(source, path, Reach::kAnywhere, diagnostics), diagnostics);
}

std::optional<Manifest> ParseManifest(std::string path, std::string text,
                                      Diagnostics& diagnostics) {
  return ManifestOf(ParseJson(std::move(path), std::move(text), diagnostics), diagnostics);
}

std::string PackManifest(const Manifest& manifest) {
  ByteWriter out;
  out.Text(kPackFormat);
  RecordPacker packer(out);
  VisitFields(packer, manifest);
  packer.List({}, manifest.unrecognized, {}, Presence::kAlways);
  return out.Take();
}

std::optional<Manifest> UnpackManifest(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.Text() != kPackFormat) return std::nullopt;
  Manifest manifest;
  RecordUnpacker unpacker(in);
  VisitFields(unpacker, manifest);
  unpacker.List({}, manifest.unrecognized, {}, Presence::kAlways);
  if (!in.AtEnd()) return std::nullopt;
  return manifest;
}

}  // namespace opledger
