// Looks up a call's parameters by name. A value of another type counts as absent.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel/parameters.h"

namespace opledger {
namespace {

thread_local ParameterReads* g_reads = nullptr;

}  // namespace

ParameterReads::ParameterReads() : outer_(g_reads) { g_reads = this; }

ParameterReads::~ParameterReads() { g_reads = outer_; }

Parameters::Values::const_iterator Parameters::Find(std::string_view name) const {
  if (g_reads != nullptr) g_reads->names_.emplace(name);
  return values_.find(name);
}

std::int64_t Parameters::Integer(std::string_view name, std::int64_t absent) const {
  const auto found = Find(name);
  const auto* value = found == values_.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return value == nullptr ? absent : *value;
}

double Parameters::Number(std::string_view name, double absent) const {
  const auto found = Find(name);
  const auto* value = found == values_.end() ? nullptr : std::get_if<double>(&found->second);
  return value == nullptr ? absent : *value;
}

std::string Parameters::Word(std::string_view name, std::string_view absent) const {
  const auto found = Find(name);
  const auto* value = found == values_.end() ? nullptr : std::get_if<std::string>(&found->second);
  return value == nullptr ? std::string(absent) : *value;
}

Integers Parameters::List(std::string_view name, const Integers& absent) const {
  const auto found = Find(name);
  const auto* value = found == values_.end() ? nullptr : std::get_if<Integers>(&found->second);
  return value == nullptr ? absent : *value;
}

}  // namespace opledger
