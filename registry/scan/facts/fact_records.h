// Names each field of the records of facts once, in the order of the file. See
// registry/manifest/records.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/manifest/records.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/outline/outline.h"

namespace opledger::scan {

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, FieldFact>& fact) {
  visit.Text("field", fact.field, Presence::kAlways);
  visit.Number("order", fact.order, Presence::kAlways);
  VisitFields(visit, fact.value);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, MethodCall>& call) {
  visit.Text("method", call.method, Presence::kAlways);
  visit.Strings("arguments", call.arguments);
  visit.Condition(call.condition, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Registration>& registration) {
  visit.Text("name", registration.name, Presence::kAlways);
  visit.Number("version", registration.version, Presence::kUnlessEmpty);
  visit.Flag("adds", registration.adds);
  VisitFields(visit, registration.site);
  visit.List("aliases", registration.aliases, "alias", Presence::kUnlessEmpty);
  visit.List("fields", registration.fields, "field", Presence::kUnlessEmpty);
  visit.List("calls", registration.calls, "call", Presence::kUnlessEmpty);
  visit.List("kernels", registration.kernels, "kernel", Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Dynamic>& dynamic) {
  visit.Place(dynamic.location, Presence::kAlways);
  visit.Text("expression", dynamic.expression, Presence::kAlways);
  visit.Text("why", dynamic.why, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Balance>& balance) {
  visit.Number("registered", balance.registered, Presence::kUnlessEmpty);
  visit.Number("definition", balance.definition, Presence::kUnlessEmpty);
  visit.Number("absent", balance.absent, Presence::kUnlessEmpty);
  visit.Number("excepted", balance.excepted, Presence::kUnlessEmpty);
  visit.Number("other", balance.other, Presence::kUnlessEmpty);
  visit.Number("outside", balance.outside, Presence::kUnlessEmpty);
  visit.Number("incomplete", balance.incomplete, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, HeaderMention>& mention) {
  visit.Place(mention.location, Presence::kAlways);
  visit.Text("name", mention.name, Presence::kAlways);
  visit.Flag("read", mention.read);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Facts>& facts) {
  visit.Flag("full_headers", facts.full_headers);
  visit.Flag("uncacheable", facts.uncacheable);
  visit.List("registrations", facts.registrations, "registration", Presence::kUnlessEmpty);
  visit.List("dynamic", facts.dynamic, "registration", Presence::kUnlessEmpty);
  visit.List("incomplete", facts.incomplete, "incomplete record", Presence::kUnlessEmpty);
  visit.Object("mentions", facts.balance, "balance of mentions");
  visit.List("header_mentions", facts.header_mentions, "mention", Presence::kUnlessEmpty);
  visit.List("defaults", facts.defaults, "default of a macro", Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, AttributeSet::Value>& value) {
  visit.Text("value", value.name, Presence::kAlways);
  visit.Text("constant", value.constant, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, AttributeSet::Attribute>& attribute) {
  visit.Text("attribute", attribute.name, Presence::kAlways);
  visit.Text("type", attribute.type, Presence::kUnlessEmpty);
  visit.Text("default", attribute.initial, Presence::kUnlessEmpty);
  visit.List("values", attribute.values, "value", Presence::kUnlessEmpty);
  visit.Strings("macros", attribute.macros);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, AttributeSet>& set) {
  visit.Text("set", set.name, Presence::kAlways);
  visit.Strings("readers", set.readers);
  visit.List("attributes", set.attributes, "attribute", Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Definition::Parameter>& parameter) {
  visit.Text("name", parameter.name, Presence::kAlways);
  visit.Text("value", parameter.value, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, Definition>& definition) {
  visit.Text("name", definition.name, Presence::kAlways);
  visit.Flag("function", definition.is_function);
  visit.Flag("body", definition.has_body);
  visit.List("parameters", definition.parameters, "parameter", Presence::kUnlessEmpty);
  visit.Text("text", definition.text, Presence::kUnlessEmpty);
}

template <typename Visitor>
void VisitFields(Visitor& visit, Visited<Visitor, KernelFunction>& function) {
  visit.Text("name", function.name, Presence::kAlways);
  visit.Text("device", function.device, Presence::kUnlessEmpty);
  visit.Text("bound", function.bound, Presence::kAlways);
}

}  // namespace opledger::scan
