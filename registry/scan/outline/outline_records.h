// Serialized fields of outlines, for the cache and for messages between processes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/scan/outline/outline.h"
#include "registry/text/packing.h"

namespace opledger::scan {

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Range>& range) {
  pack(range.begin, range.end);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Branch>& branch) {
  pack(branch.kind, branch.parent, branch.previous, branch.keyword, branch.expression,
       branch.directive, branch.end, branch.guard, branch.resolved, branch.text, branch.written,
       branch.line);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, MacroDefinition>& macro) {
  pack(macro.name, macro.undefines, macro.pops, macro.pushed, macro.text, macro.identifiers,
       macro.pastes, macro.glues, macro.offset, macro.branch);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Include>& include) {
  pack(include.target, include.angled, include.computed, include.directive, include.branch);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, SuspiciousName>& suspicious) {
  pack(suspicious.name, suspicious.offset, suspicious.registers, suspicious.branch);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, AttributeSet::Value>& value) {
  pack(value.name, value.constant);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, AttributeSet::Attribute>& attribute) {
  pack(attribute.name, attribute.type, attribute.initial, attribute.values, attribute.macros);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, AttributeSet>& set) {
  pack(set.name, set.readers, set.attributes);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Definition::Parameter>& parameter) {
  pack(parameter.name, parameter.value);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Definition>& definition) {
  pack(definition.name, definition.is_function, definition.has_body, definition.parameters,
       definition.text);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, KernelFunction>& function) {
  pack(function.name, function.device, function.bound);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, NamedUse>& use) {
  pack(use.form, use.name, use.module, use.arguments, use.schema, use.inside, use.offset);
}

template <typename Pack>
void PackFields(Pack& pack, Packed<Pack, Outline>& outline) {
  pack(outline.branches, outline.macros, outline.includes, outline.suspicious_names,
       outline.attribute_sets, outline.definitions, outline.kernel_functions, outline.named_uses);
  pack.Raw(outline.identifiers);
  pack(outline.unsafe_directives, outline.error_branches, outline.guarded, outline.unreadable);
}

}  // namespace opledger::scan
