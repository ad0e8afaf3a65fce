// A site's call mostly lies in the site's own file, and most conditions are empty: both cost a
// byte.
// SPDX-License-Identifier: Apache-2.0
#include "registry/manifest/manifest_pack.h"

#include "registry/manifest/record_bytes.h"

namespace opledger {
namespace {

constexpr std::string_view kFormat = "opledger-manifest-pack/3";

void Write(ByteWriter& out, const Site& site) {
  Write(out, site.location);
  Location call = site.call;
  if (call.path == site.location.path) call.path.clear();
  Write(out, call);
  out.Text(site.macro);
  out.Text(site.condition.text());
}

void Write(ByteWriter& out, const std::vector<Site>& sites) {
  out.Number(sites.size());
  for (const Site& site : sites) Write(out, site);
}

void Write(ByteWriter& out, const Fields& fields) {
  out.Number(fields.size());
  for (const auto& [field, values] : fields) {
    out.Text(field);
    out.Number(values.size());
    for (const FieldValue& value : values) {
      out.Text(value.key);
      out.Text(value.value);
      out.Text(value.condition.text());
      Write(out, value.details);
    }
  }
}

void Write(ByteWriter& out, const std::vector<Kernel>& kernels) {
  out.Number(kernels.size());
  for (const Kernel& kernel : kernels) Write(out, kernel);
}

void Write(ByteWriter& out, const Operator& op) {
  out.Text(op.name);
  out.Text(op.exempt);
  Write(out, op.sites);
  out.Number(op.aliases.size());
  for (const Alias& alias : op.aliases) Write(out, alias);
  Write(out, op.fields);
  Write(out, op.kernels);
  out.Number(static_cast<std::uint64_t>(op.since));
  out.Number(op.earlier.size());
  for (const OperatorVersion& version : op.earlier) {
    out.Number(static_cast<std::uint64_t>(version.since));
    Write(out, version.sites);
    Write(out, version.fields);
  }
}

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : in_(bytes) {}

  std::optional<Manifest> Read();

 private:
  std::string Text() { return std::string(in_.Text()); }
  int Number() { return static_cast<int>(in_.Number()); }
  std::vector<Site> ReadSites();
  Fields ReadFields();
  Operator ReadOperator();

  ByteReader in_;
  ConditionReader conditions_;
};

std::vector<Site> Unpacker::ReadSites() {
  std::vector<Site> sites(in_.Count());
  for (Site& site : sites) {
    site.location = ReadLocation(in_);
    site.call = ReadLocation(in_);
    if (site.call.path.empty()) site.call.path = site.location.path;
    site.macro = in_.Text();
    site.condition = conditions_.Read(in_);
  }
  return sites;
}

Fields Unpacker::ReadFields() {
  Fields fields;
  for (std::uint64_t left = in_.Count(); left > 0; --left) {
    std::string field = Text();
    std::vector<FieldValue>& values = fields[std::move(field)];
    values.resize(in_.Count());
    for (FieldValue& value : values) {
      value.key = in_.Text();
      value.value = in_.Text();
      value.condition = conditions_.Read(in_);
      value.details = ReadDetails(in_);
    }
  }
  return fields;
}

Operator Unpacker::ReadOperator() {
  Operator op;
  op.name = in_.Text();
  op.exempt = in_.Text();
  op.sites = ReadSites();
  op.aliases.resize(in_.Count());
  for (Alias& alias : op.aliases) alias = conditions_.ReadAlias(in_);
  op.fields = ReadFields();
  op.kernels.resize(in_.Count());
  for (Kernel& kernel : op.kernels) kernel = conditions_.ReadKernel(in_);
  op.since = Number();
  op.earlier.resize(in_.Count());
  for (OperatorVersion& version : op.earlier) {
    version.since = Number();
    version.sites = ReadSites();
    version.fields = ReadFields();
  }
  return op;
}

std::optional<Manifest> Unpacker::Read() {
  if (in_.Text() != kFormat) return std::nullopt;
  Manifest manifest;
  manifest.dialect = in_.Text();
  manifest.configuration = in_.Text();
  for (std::uint64_t left = in_.Count(); left > 0; --left) {
    std::string name = Text();
    manifest.configurations[std::move(name)] = ReadDetails(in_);
  }
  manifest.default_configuration = in_.Text();
  manifest.relations.version = in_.Text();
  manifest.relations.gradient = in_.Text();
  manifest.files = Number();
  manifest.operators.resize(in_.Count());
  for (Operator& op : manifest.operators) op = ReadOperator();
  manifest.dynamic.resize(in_.Count());
  for (DynamicRegistration& registration : manifest.dynamic) {
    registration.location = ReadLocation(in_);
    registration.expression = in_.Text();
    registration.reason = in_.Text();
  }
  manifest.incomplete.resize(in_.Count());
  for (Incomplete& record : manifest.incomplete) record = ReadIncomplete(in_);
  if (!in_.AtEnd()) return std::nullopt;
  return manifest;
}

}  // namespace

std::string PackManifest(const Manifest& manifest) {
  ByteWriter out;
  out.Text(kFormat);
  out.Text(manifest.dialect);
  out.Text(manifest.configuration);
  out.Number(manifest.configurations.size());
  for (const auto& [name, defines] : manifest.configurations) {
    out.Text(name);
    Write(out, defines);
  }
  out.Text(manifest.default_configuration);
  out.Text(manifest.relations.version);
  out.Text(manifest.relations.gradient);
  out.Number(static_cast<std::uint64_t>(manifest.files));
  out.Number(manifest.operators.size());
  for (const Operator& op : manifest.operators) Write(out, op);
  out.Number(manifest.dynamic.size());
  for (const DynamicRegistration& registration : manifest.dynamic) {
    Write(out, registration.location);
    out.Text(registration.expression);
    out.Text(registration.reason);
  }
  out.Number(manifest.incomplete.size());
  for (const Incomplete& record : manifest.incomplete) Write(out, record);
  return out.Take();
}

std::optional<Manifest> UnpackManifest(std::string_view bytes) { return Unpacker(bytes).Read(); }

}  // namespace opledger
