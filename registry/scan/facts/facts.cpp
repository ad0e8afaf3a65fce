// Normalizes facts, and packs them for the cache and for workers.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/facts/facts.h"

#include <algorithm>

#include "registry/manifest/record_pack.h"
#include "registry/scan/facts/fact_records.h"
#include "registry/text/sort_unique.h"

namespace opledger::scan {

bool Facts::HasOwnDefault(std::string_view path) const {
  return std::any_of(defaults.begin(), defaults.end(),
                     [&](const MacroDefault& of) { return of.location.path == path; });
}

void Facts::Normalise() {
  std::sort(registrations.begin(), registrations.end(),
            [](const Registration& a, const Registration& b) {
              return std::tie(a.name, a.version, a.adds, a.site) <
                     std::tie(b.name, b.version, b.adds, b.site);
            });
  std::vector<Registration> merged;
  for (Registration& registration : registrations) {
    bool same = !merged.empty() && merged.back().name == registration.name &&
                merged.back().version == registration.version &&
                merged.back().adds == registration.adds && merged.back().site == registration.site;
    if (!same) {
      merged.push_back(std::move(registration));
      continue;
    }
    auto& into = merged.back();
    into.aliases.insert(into.aliases.end(), registration.aliases.begin(),
                        registration.aliases.end());
    into.fields.insert(into.fields.end(), registration.fields.begin(), registration.fields.end());
    into.kernels.insert(into.kernels.end(), registration.kernels.begin(),
                        registration.kernels.end());
    for (MethodCall& call : registration.calls) {
      bool known = std::find(into.calls.begin(), into.calls.end(), call) != into.calls.end();
      if (!known) into.calls.push_back(std::move(call));
    }
  }
  for (Registration& registration : merged) {
    SortUnique(registration.aliases);
    SortUnique(registration.fields);
    JoinKernels(registration.kernels);
  }
  registrations = std::move(merged);
  SortUnique(defaults);
  SortUnique(dynamic);
  SortUnique(incomplete);
  SortUnique(header_mentions);
  SortUnique(asked);
}

std::string SerializeFacts(const Facts& facts) {
  ByteWriter out;
  RecordPacker packer(out);
  VisitFields(packer, facts);
  packer.Strings({}, facts.looked_up);
  out.Text(facts.meaning.View());
  out.Number(facts.asked.size());
  for (const AskedHeader& header : facts.asked) {
    out.Text(header.from);
    out.Text(header.target);
    out.Number(header.angled ? 1U : 0U);
    out.Text(header.found);
  }
  return out.Take();
}

std::optional<Facts> ParseFacts(std::string_view bytes) {
  ByteReader in(bytes);
  RecordUnpacker unpacker(in);
  Facts facts;
  VisitFields(unpacker, facts);
  unpacker.Strings({}, facts.looked_up);
  const std::string_view meaning = in.Text();
  if (meaning.size() == facts.meaning.bytes.size()) {
    std::memcpy(facts.meaning.bytes.data(), meaning.data(), meaning.size());
  }
  facts.asked.resize(in.Count());
  for (AskedHeader& header : facts.asked) {
    header.from = in.Text();
    header.target = in.Text();
    header.angled = in.Number() != 0;
    header.found = in.Text();
  }
  if (!in.AtEnd()) return std::nullopt;
  return facts;
}

}  // namespace opledger::scan
