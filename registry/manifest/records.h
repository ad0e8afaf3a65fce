// Lists the fields of a manifest's records once, in file order. Visitors convert them to JSON
// (record_json.h) or bytes (record_pack.h). A visitor has
//   kReads: whether it fills the records
//   Text, Number, Flag, Denial (false: the flag is set), Strings, Table, Condition: single fields
//   Place, At, Call, Types, Aliases, FieldTable, Configurations: fields with a special JSON form
//   List, Object: other records
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>

#include "registry/manifest/manifest.h"

namespace opledger {

enum class Presence {
  kRequired,     // absent or empty values are errors
  kAlways,       // written even if empty
  kUnlessEmpty,  // written unless empty
};

// Returns the condition of this text. Parsed once per thread, since a tree repeats a few conditions
// often.
const Condition& ParsedCondition(std::string_view text);

// A record that `Visitor` fills, or a constant one that it only reads.
template <typename Visitor, typename Record>
using Visited = std::conditional_t<Visitor::kReads, Record, const Record>;

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Site>& site) {
  visit.Place(site.location, Presence::kRequired);
  visit.Condition(site.condition, Presence::kAlways);
  visit.Text("macro", site.macro, Presence::kAlways);
  visit.Call(site.call, site.location);
  visit.Denial("reachable", site.unreachable);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Alias>& alias) {
  visit.Text("alias", alias.name, Presence::kRequired);
  visit.Place(alias.location, Presence::kAlways);
  visit.Condition(alias.condition, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, FieldValue>& value) {
  visit.Text("key", value.key, Presence::kUnlessEmpty);
  visit.Text("value", value.value, Presence::kAlways);
  visit.Table("details", value.details);
  visit.At(value.location);
  visit.Condition(value.condition, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Kernel>& kernel) {
  visit.Text("device", kernel.device, Presence::kRequired);
  visit.Text("label", kernel.label, Presence::kUnlessEmpty);
  visit.Types("types", kernel.types);
  visit.Table("details", kernel.details);
  visit.Place(kernel.location, Presence::kAlways);
  visit.Condition(kernel.condition, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, OperatorVersion>& version) {
  visit.Number("since", version.since, Presence::kAlways);
  visit.List("sites", version.sites, "site", Presence::kRequired);
  visit.FieldTable("fields", version.fields);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Operator>& op) {
  visit.Text("name", op.name, Presence::kRequired);
  visit.Text("exempt", op.exempt, Presence::kUnlessEmpty);
  bool unreachable = op.IsUnreachable();  // derived from its sites; the value read is ignored
  visit.Denial("reachable", unreachable);
  visit.Aliases(op.aliases);
  visit.Number("since", op.since, Presence::kUnlessEmpty);
  visit.List("sites", op.sites, "site", Presence::kRequired);
  visit.FieldTable("fields", op.fields);
  visit.List("kernels", op.kernels, "kernel", Presence::kUnlessEmpty);
  visit.List("earlier", op.earlier, "version", Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, DynamicRegistration>& registration) {
  visit.Place(registration.location, Presence::kAlways);
  visit.Text("expression", registration.expression, Presence::kAlways);
  visit.Text("reason", registration.reason, Presence::kAlways);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Incomplete>& record) {
  visit.Place(record.location, Presence::kAlways);
  visit.Text("stage", record.stage, Presence::kAlways);
  visit.Text("detail", record.detail, Presence::kAlways);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, MacroDefault>& of) {
  visit.Text("macro", of.macro, Presence::kRequired);
  visit.Place(of.location, Presence::kAlways);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, AbsentOperator>& absent) {
  visit.Text("name", absent.name, Presence::kRequired);
  visit.Place(absent.location, Presence::kAlways);
  visit.Condition(absent.condition, Presence::kAlways);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, GivenName>& given) {
  visit.Text("name", given.name, Presence::kRequired);
  visit.Place(given.location, Presence::kAlways);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, UnrecognizedRegistry>& registry) {
  visit.Text("kind", registry.kind, Presence::kRequired);
  visit.Text("name", registry.name, Presence::kRequired);
  visit.Text("dialect", registry.dialect, Presence::kAlways);
  visit.Number("names", registry.names, Presence::kAlways);
  visit.List("examples", registry.examples, "example", Presence::kAlways);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, UnmatchedValue>& unmatched) {
  visit.Text("operator", unmatched.op, Presence::kRequired);
  visit.Text("field", unmatched.field, Presence::kRequired);
  VisitFields(visit, unmatched.value);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Relations>& relations) {
  visit.Text("version", relations.version, Presence::kUnlessEmpty);
  visit.Text("gradient", relations.gradient, Presence::kUnlessEmpty);
  visit.Table("gradients", relations.gradients);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Manifest>& manifest) {
  visit.Text("dialect", manifest.dialect, Presence::kRequired);
  visit.Text("configuration", manifest.configuration, Presence::kAlways);
  visit.Configurations("configurations", manifest.configurations);
  visit.Text("default_configuration", manifest.default_configuration, Presence::kAlways);
  visit.List("defaults", manifest.defaults, "default of a macro", Presence::kUnlessEmpty);
  visit.Object("relations", manifest.relations, "relations");
  visit.Number("files", manifest.files, Presence::kAlways);
  visit.List("operators", manifest.operators, "operator", Presence::kRequired);
  visit.List("absent", manifest.absent, "absent operator", Presence::kUnlessEmpty);
  visit.List("unmatched", manifest.unmatched, "unmatched value", Presence::kUnlessEmpty);
  visit.List("dynamic", manifest.dynamic, "dynamic registration", Presence::kAlways);
  visit.List("incomplete", manifest.incomplete, "incomplete record", Presence::kAlways);
}

}  // namespace opledger
