// Finds the measurements that an entry of a list is held against: those of its own operator, or
// else those of the operators that the atlas aligns with it. Also tells for each measurement
// whether it was used, and if not, why.
//   PyTorch's aten::exp -> row 'Exp' -> MXNet's exp, under 'either' in float16
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checker/findings/evidence.h"
#include "checker/index/index.h"

namespace opledger {

// The measurements that an entry is held against; none at all: nothing was measured of it.
struct EntryMeasurements {
  std::vector<const MeasuredOperator*> measured;  // in the list's type
  // By which the measurements reach the entry; nullptr: they are of the entry's own operator.
  const OperationRow* row = nullptr;
  // Where they do not count: what is known of part of the operator's calls, or only of one kernel.
  std::vector<const MeasuredOperator*> in_part;
  std::vector<const MeasuredOperator*> of_kernel;
};

// What becomes of a measured operator, best first.
enum class EvidenceFate {
  kUsed,
  kInPart,         // an operator here is the same operation for some of its calls only
  kOfKernel,       // rounding errors of another framework's kernel, which say nothing of others
  kOtherType,      // no list is for the type
  kUnlisted,       // it is registered, and no list has it
  kUnregistered,   // nothing of its name, or of its row, is registered
  kNoCounterpart,  // its row in the atlas has no operator of the framework
  kWithoutRow,     // the atlas has no row for it
  kRefused,        // it does not run in the type
};

// In words that follow a count: "3 without a row in the atlas".
std::string EvidenceFateText(EvidenceFate fate, std::string_view dialect);

class EvidenceUse {
 public:
  // Of the index's evidence, which there must be.
  explicit EvidenceUse(const CheckIndex& index);

  EntryMeasurements Of(const ListIndex& list, const EntryUse& use) const;
  // The measured operators as the evidence names them, sorted: "PyTorch aten::exp", or the bare
  // name of one of the project's own.
  std::map<EvidenceFate, std::vector<std::string>> Fates() const;

 private:
  std::vector<const MeasuredOperator*> Measured(const std::string& framework, const std::string& op,
                                                Dtype dtype) const;
  bool AddOwn(const ListIndex& list, const EntryUse& use, EntryMeasurements& found) const;
  void AddOfRow(const OperationTable::Place& place, Dtype dtype, EntryMeasurements& found) const;
  EvidenceFate FateOf(const MeasuredOperator& measured) const;
  EvidenceFate FateOfNamed(const std::string& name, Dtype dtype) const;

  const CheckIndex& index_;
  const Evidence& evidence_;
  std::unordered_map<std::string, std::vector<const MeasuredOperator*>> by_name_;
  std::map<const MeasuredOperator*, EvidenceFate> met_;  // those that some entry met
};

}  // namespace opledger
