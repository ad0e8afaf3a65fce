// The facts about an operator that reports show: inputs, devices and types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/text/dtype.h"

namespace opledger {

// Returns a text per input, such as "data", "x: T" or "X: T...". Returns {} if the names are not
// known.
std::vector<std::string> OperatorInputs(const Operator& op);
// Returns only the names that are known.
std::vector<std::string> OperatorInputNames(const Operator& op);
// Returns "2 inputs", or "" if the manifest has no number.
std::string InputCount(const Operator& op);

struct DeviceTypes {
  std::string device;  // such as "cpu"; "*": any; "": not known
  // Sorted by DtypeBefore(). Types of variables that may be floating-point types, if there are any.
  // Empty: not known.
  std::vector<std::string> dtypes;
};

// Sorts float16, bfloat16, float32, float64, other floating-point types, then all others.
bool DtypeBefore(const std::string& left, const std::string& right);

// Returns the types for each device: those of kernels. If there are none, uses the fields
// compute_DEVICE and the types that the registration allows.
std::vector<DeviceTypes> OperatorKernels(const Operator& op);

// Values of each attribute; an empty set means any value. Empty if no attributes are known.
using OperatorAttributes = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;

OperatorAttributes ReadOperatorAttributes(const Operator& op);

// Returns whether kernels declare their parameters, as in opledger's own dialect. An operator whose
// kernels declare none then has none.
bool KernelsSayParameters(const Manifest& manifest);

enum class Allows { kUnknown, kNo, kSome, kYes };

// Considers inputs that may be float32. kYes: all may be `dtype`, too; kNo: none may; kSome: they
// differ; kUnknown: the registration does not say.
Allows AllowsDtype(const Operator& op, Dtype dtype);

// Returns "T: float32, float64" for messages.
std::string AllowedDtypes(const Operator& op);

}  // namespace opledger
