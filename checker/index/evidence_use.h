// Finds the measurements for an entry of a list: those of its own operator, otherwise those of
// operators that the atlas aligns with it. Also says for each measurement whether it was used, and
// otherwise why not.
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

// The measurements for an entry. All are empty if it was not measured.
struct EntryMeasurements {
  std::vector<const MeasuredOperator*> measured;  // in the list's type
  // The row of the atlas that was used; nullptr: the entry's own operator was measured.
  const OperationRow* row = nullptr;
  // Not used: measurements of some of the operator's calls, or of one kernel only.
  std::vector<const MeasuredOperator*> in_part;
  std::vector<const MeasuredOperator*> of_kernel;
};

// What happened to a measurement, best first.
enum class EvidenceFate {
  kUsed,
  kInPart,         // the operator here is the same operation only for some of its calls
  kOfKernel,       // rounding errors of another framework's kernel
  kOtherType,      // no list is for this type
  kUnlisted,       // registered, but in no list
  kUnregistered,   // neither its name nor its row has a registered operator
  kNoCounterpart,  // its row in the atlas has no operator of this framework
  kWithoutRow,     // not in the atlas
  kRefused,        // does not run in the type
};

// Returns words that follow a count: "3 without a row in the atlas".
std::string EvidenceFateText(EvidenceFate fate, std::string_view dialect);

class EvidenceUse {
 public:
  // The index must have evidence.
  explicit EvidenceUse(const CheckIndex& index);

  EntryMeasurements Of(const ListIndex& list, const EntryUse& use) const;
  // Returns the sorted names of the measured operators: "PyTorch aten::exp", or only the name for
  // an operator of the project.
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
  std::map<const MeasuredOperator*, EvidenceFate> met_;  // measurements that an entry met
};

}  // namespace opledger
