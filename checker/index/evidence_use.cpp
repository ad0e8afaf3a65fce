// Looks up measurements by name and by row.
// SPDX-License-Identifier: Apache-2.0
#include "checker/index/evidence_use.h"

#include <algorithm>
#include <set>

namespace opledger {
namespace {

std::string MeasuredKey(std::string_view framework, std::string_view op) {
  return std::string(framework) + '\n' + std::string(op);
}

// Returns the names of the entry's operator, the primary one first.
std::vector<std::string> NamesOf(const EntryUse& use) {
  std::vector<std::string> names = {use.op->name};
  for (const Alias& alias : use.op->aliases) names.emplace_back(alias.name);
  return names;
}

// Returns whether a measurement is valid for other kernels. The rounding errors of a kernel are its
// own; only infinite results are attributed to the operation.
bool SaysSomethingOfOthers(const MeasuredOperator& measured) {
  return measured.inherent || measured.policy != Policy::kFp32 || measured.step == "range";
}

}  // namespace

std::string EvidenceFateText(EvidenceFate fate, std::string_view dialect) {
  switch (fate) {
    case EvidenceFate::kUsed:
      return "used";
    case EvidenceFate::kInPart:
      return "only partly the same operation";
    case EvidenceFate::kOfKernel:
      return "valid only for another framework's kernel";
    case EvidenceFate::kOtherType:
      return "in a type without a list";
    case EvidenceFate::kUnlisted:
      return "in no list";
    case EvidenceFate::kUnregistered:
      return "not registered";
    case EvidenceFate::kNoCounterpart:
      return "without an operator of '" + std::string(dialect) + "' in their row";
    case EvidenceFate::kWithoutRow:
      return "without a row in the atlas";
    case EvidenceFate::kRefused:
      break;
  }
  return "unsupported in the type";
}

EvidenceUse::EvidenceUse(const CheckIndex& index) : index_(index), evidence_(*index.evidence()) {
  for (const MeasuredOperator& measured : evidence_.operators) {
    by_name_[MeasuredKey(measured.framework, measured.op)].push_back(&measured);
  }
  for (const ListIndex& list : index.lists()) {
    for (const EntryUse& use : list.uses) {
      if (use.op == nullptr || list.Find(use.op->name) != &use) continue;
      const EntryMeasurements found = Of(list, use);
      const auto meet = [this](const std::vector<const MeasuredOperator*>& met, EvidenceFate fate) {
        for (const MeasuredOperator* measured : met) {
          EvidenceFate& known = met_.try_emplace(measured, fate).first->second;
          known = std::min(known, fate);
        }
      };
      meet(found.measured, EvidenceFate::kUsed);
      meet(found.in_part, EvidenceFate::kInPart);
      meet(found.of_kernel, EvidenceFate::kOfKernel);
    }
  }
}

std::vector<const MeasuredOperator*> EvidenceUse::Measured(const std::string& framework,
                                                           const std::string& op,
                                                           Dtype dtype) const {
  std::vector<const MeasuredOperator*> found;
  const auto named = by_name_.find(MeasuredKey(framework, op));
  if (named == by_name_.end()) return found;
  for (const MeasuredOperator* measured : named->second) {
    if (measured->dtype == dtype && measured->refusal.empty()) found.push_back(measured);
  }
  return found;
}

// Adds the measurements of the entry's own operator. Measurements of its kernels take precedence
// over those of any kernel.
bool EvidenceUse::AddOwn(const ListIndex& list, const EntryUse& use,
                         EntryMeasurements& found) const {
  const PrecisionList& own = *list.list;
  for (const std::string& name : NamesOf(use)) {
    for (const std::string& framework : {own.framework, std::string()}) {
      const auto all = Measured(framework, name, own.target_dtype);
      found.measured.insert(found.measured.end(), all.begin(), all.end());
    }
  }
  const auto is_kernel = [](const MeasuredOperator* each) { return !each->inherent; };
  if (std::any_of(found.measured.begin(), found.measured.end(), is_kernel)) {
    std::erase_if(found.measured, [&](const MeasuredOperator* each) { return !is_kernel(each); });
  }
  return !found.measured.empty();
}

// Adds the measurements of all names in the row.
void EvidenceUse::AddOfRow(const OperationTable::Place& place, Dtype dtype,
                           EntryMeasurements& found) const {
  const OperationRow& row = *place.row;
  const bool is_part = place.name != nullptr && !place.name->partly.empty();
  const auto add = [&](const std::string& framework, const std::string& op, bool partly) {
    auto all = Measured(framework, op, dtype);
    const bool has_inherent =
        std::any_of(all.begin(), all.end(), [](const auto* each) { return each->inherent; });
    for (const MeasuredOperator* measured : all) {
      if (is_part || partly) {
        found.in_part.push_back(measured);
      } else if (has_inherent ? !measured->inherent : !SaysSomethingOfOthers(*measured)) {
        found.of_kernel.push_back(measured);
      } else {
        found.measured.push_back(measured);
      }
    }
  };
  add(kOwnFramework, row.operation, false);
  for (const OperationName& name : row.names) add(name.framework, name.op, !name.partly.empty());
}

EntryMeasurements EvidenceUse::Of(const ListIndex& list, const EntryUse& use) const {
  EntryMeasurements found;
  if (AddOwn(list, use, found)) return found;
  std::set<const OperationRow*> rows;
  std::vector<OperationTable::Place> places;
  for (const std::string& name : NamesOf(use)) {
    for (const auto& place : evidence_.table.PlacesOf(list.list->framework, name)) {
      if (rows.insert(place.row).second) places.push_back(place);
    }
  }
  for (const OperationTable::Place& place : places) {
    AddOfRow(place, list.list->target_dtype, found);
  }
  if (places.empty()) return found;
  found.row = places.front().row;
  // If the operator is in several rows, each row describes only some of its calls.
  if (places.size() > 1) {
    found.in_part.insert(found.in_part.end(), found.measured.begin(), found.measured.end());
    found.measured.clear();
  }
  return found;
}

// Returns the fate of a measurement of an operator of this dialect that no entry used.
EvidenceFate EvidenceUse::FateOfNamed(const std::string& name, Dtype dtype) const {
  const Operator* op = index_.Resolve(name);
  if (op == nullptr) return EvidenceFate::kUnregistered;
  bool has_type = false;
  for (const ListIndex& list : index_.lists()) {
    has_type |= list.list->target_dtype == dtype;
    if (list.list->target_dtype == dtype || list.Find(op->name) == nullptr) continue;
    return EvidenceFate::kOtherType;
  }
  return has_type ? EvidenceFate::kUnlisted : EvidenceFate::kOtherType;
}

EvidenceFate EvidenceUse::FateOf(const MeasuredOperator& measured) const {
  if (!measured.refusal.empty()) return EvidenceFate::kRefused;
  if (const auto met = met_.find(&measured); met != met_.end()) return met->second;
  const std::string& dialect = index_.manifest().dialect;
  if (measured.framework.empty() || measured.framework == dialect) {
    return FateOfNamed(measured.op, measured.dtype);
  }
  const auto& places = evidence_.table.PlacesOf(measured.framework, measured.op);
  EvidenceFate best = places.empty() ? EvidenceFate::kWithoutRow : EvidenceFate::kNoCounterpart;
  for (const OperationTable::Place& place : places) {
    if (dialect == kOwnFramework) {
      best = std::min(best, FateOfNamed(place.row->operation, measured.dtype));
    }
    for (const OperationName& name : place.row->names) {
      if (name.framework == dialect) best = std::min(best, FateOfNamed(name.op, measured.dtype));
    }
  }
  return best;
}

std::map<EvidenceFate, std::vector<std::string>> EvidenceUse::Fates() const {
  std::map<std::string, EvidenceFate> by_operator;
  for (const MeasuredOperator& measured : evidence_.operators) {
    const std::string name = measured.framework.empty()
                                 ? measured.op
                                 : evidence_.table.Shown(measured.framework) + ' ' + measured.op;
    const EvidenceFate fate = FateOf(measured);
    EvidenceFate& known = by_operator.try_emplace(name, fate).first->second;
    known = std::min(known, fate);
  }
  std::map<EvidenceFate, std::vector<std::string>> fates;
  for (const auto& [name, fate] : by_operator) fates[fate].push_back(name);
  return fates;
}

}  // namespace opledger
