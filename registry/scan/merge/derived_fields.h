// What follows from the fields of an operator: the element types that its inputs allow, and kernels
// that a field lists by device alone.
//   kernels: {"CPU, CUDA": "add"} -> a kernel for cpu, one for cuda
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/merge/kernel_element_types.h"

namespace opledger::scan {

// Adds the field "dtypes": one value per type variable that an input names ("T"), or per type an
// input names itself: "float16, float32". A variable of which nothing is known adds none.
void AddDtypes(const TypeNames& types, Fields& fields);

// Adds the field that a type implies which an input or output is written with.
void AddImplied(const TypeNames& types, Fields& fields);

// Adds to the operator's kernels what its fields KernelNames::field and ::fields list. Keys that
// are not devices of the dialect are ignored. Values are functions, of whose `types` they are; so
// are kernels whose registration names a function (kFunctionOfKernel).
class KernelsOfFields {
 public:
  KernelsOfFields(const KernelNames& names, KernelElementTypes& types, Operator& op,
                  std::vector<Incomplete>& incomplete)
      : names_(names), types_(types), op_(op), incomplete_(incomplete) {}

  void Run();

 private:
  void Add(const std::string& device, const FieldValue& value);
  void SetTypes(const std::string& function, Kernel& kernel);
  // Whether the operator's results are of the type of its operands.
  bool HasResultsOfItsType() const;

  const KernelNames& names_;
  KernelElementTypes& types_;
  Operator& op_;
  std::vector<Incomplete>& incomplete_;
};

}  // namespace opledger::scan
