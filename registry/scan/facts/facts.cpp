// Facts as bytes, for the cache and between processes.
// SPDX-License-Identifier: Apache-2.0
#include "registry/scan/facts/facts.h"

#include <algorithm>

#include "registry/manifest/record_bytes.h"

namespace opledger::scan {
namespace {

template <typename T>
void SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Of all facts that this process reads.
ConditionReader& Conditions() {
  static ConditionReader conditions;
  return conditions;
}

void Write(ByteWriter& out, const Registration& registration) {
  out.Text(registration.name);
  out.Number(static_cast<std::uint64_t>(registration.version));
  out.Number(registration.adds);
  Write(out, registration.site.location);
  Write(out, registration.site.call);
  out.Text(registration.site.macro);
  out.Text(registration.site.condition.text());
  out.Number(registration.aliases.size());
  for (const Alias& alias : registration.aliases) Write(out, alias);
  out.Number(registration.fields.size());
  for (const FieldFact& fact : registration.fields) {
    out.Text(fact.field);
    out.Number(fact.order);
    out.Text(fact.value.key);
    out.Text(fact.value.value);
    out.Text(fact.value.condition.text());
    Write(out, fact.value.details);
  }
  out.Number(registration.calls.size());
  for (const MethodCall& call : registration.calls) {
    out.Text(call.method);
    out.Number(call.arguments.size());
    for (const std::string& argument : call.arguments) out.Text(argument);
    out.Text(call.condition.text());
  }
  out.Number(registration.kernels.size());
  for (const Kernel& kernel : registration.kernels) Write(out, kernel);
}

Registration ReadRegistration(ByteReader& in) {
  Registration registration;
  registration.name = in.Text();
  registration.version = static_cast<int>(in.Number());
  registration.adds = in.Number() != 0;
  registration.site.location = ReadLocation(in);
  registration.site.call = ReadLocation(in);
  registration.site.macro = in.Text();
  registration.site.condition = Conditions().Read(in);
  registration.aliases.resize(in.Count());
  for (Alias& alias : registration.aliases) alias = Conditions().ReadAlias(in);
  registration.fields.resize(in.Count());
  for (FieldFact& fact : registration.fields) {
    fact.field = in.Text();
    fact.order = static_cast<int>(in.Number());
    fact.value.key = in.Text();
    fact.value.value = in.Text();
    fact.value.condition = Conditions().Read(in);
    fact.value.details = ReadDetails(in);
  }
  registration.calls.resize(in.Count());
  for (MethodCall& call : registration.calls) {
    call.method = in.Text();
    call.arguments.resize(in.Count());
    for (std::string& argument : call.arguments) argument = in.Text();
    call.condition = Conditions().Read(in);
  }
  registration.kernels.resize(in.Count());
  for (Kernel& kernel : registration.kernels) kernel = Conditions().ReadKernel(in);
  return registration;
}

}  // namespace

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
  SortUnique(dynamic);
  SortUnique(incomplete);
}

std::string SerializeFacts(const Facts& facts) {
  ByteWriter out;
  out.Number(facts.registrations.size());
  for (const Registration& registration : facts.registrations) Write(out, registration);
  out.Number(facts.dynamic.size());
  for (const Dynamic& dynamic : facts.dynamic) {
    Write(out, dynamic.location);
    out.Text(dynamic.expression);
    out.Text(dynamic.why);
  }
  out.Number(facts.incomplete.size());
  for (const Incomplete& incomplete : facts.incomplete) Write(out, incomplete);
  out.Number(facts.looked_up.size());
  for (const std::string& name : facts.looked_up) out.Text(name);
  out.Text(facts.meaning.View());
  out.Number(facts.full_headers);
  out.Number(facts.uncacheable);
  return out.Take();
}

std::optional<Facts> ParseFacts(std::string_view bytes) {
  ByteReader in(bytes);
  Facts facts;
  facts.registrations.resize(in.Count());
  for (Registration& registration : facts.registrations) registration = ReadRegistration(in);
  facts.dynamic.resize(in.Count());
  for (Dynamic& dynamic : facts.dynamic) {
    dynamic.location = ReadLocation(in);
    dynamic.expression = in.Text();
    dynamic.why = in.Text();
  }
  facts.incomplete.resize(in.Count());
  for (Incomplete& incomplete : facts.incomplete) incomplete = ReadIncomplete(in);
  facts.looked_up.resize(in.Count());
  for (std::string& name : facts.looked_up) name = in.Text();
  std::string_view meaning = in.Text();
  if (meaning.size() == facts.meaning.bytes.size()) {
    std::memcpy(facts.meaning.bytes.data(), meaning.data(), meaning.size());
  }
  facts.full_headers = in.Number() != 0;
  facts.uncacheable = in.Number() != 0;
  if (!in.AtEnd()) return std::nullopt;
  return facts;
}

}  // namespace opledger::scan
