// Derives data from the fields of an operator: the element types that its inputs allow, and kernels
// that a field lists only by device.
//   kernels: {"CPU, CUDA": "add"} -> a kernel for cpu, one for cuda
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/dialect/dialect.h"
#include "registry/manifest/manifest.h"
#include "registry/scan/merge/kernel_element_types.h"

namespace opledger::scan {

// Adds the field "dtypes": one value for each type variable that an input names ("T"), and for each
// type that an input names itself: "float16, float32". Skips variables whose types are not known.
void AddDtypes(const TypeNames& types, Fields& fields);

// Adds the fields that are implied by the types of inputs and outputs.
void AddImplied(const TypeNames& types, Fields& fields);

// Adds the kernels that the fields KernelNames::field and ::fields list. Ignores keys that are not
// devices of the dialect. The values of these fields are functions; their element types become the
// kernel's, as do those of functions that registrations of kernels name (kFunctionOfKernel).
class KernelsOfFields {
 public:
  KernelsOfFields(const KernelNames& names, KernelElementTypes& types, Operator& op,
                  std::vector<Incomplete>& incomplete)
      : names_(names), types_(types), op_(op), incomplete_(incomplete) {}

  void Run();

 private:
  void Add(const std::string& device, const FieldValue& value);
  void SetTypes(const std::string& function, Kernel& kernel);
  // Returns whether the operator's results have the type of its operands.
  bool HasResultsOfItsType() const;

  const KernelNames& names_;
  KernelElementTypes& types_;
  Operator& op_;
  std::vector<Incomplete>& incomplete_;
};

}  // namespace opledger::scan
