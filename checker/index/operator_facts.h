// The facts of a manifest about an operator that reports show: inputs, devices and element
// types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "registry/manifest/manifest.h"
#include "registry/text/dtype.h"

namespace opledger {

// "data", "x: T", "X: T...": one text per input; none where their names are not known.
std::vector<std::string> OperatorInputs(const Operator& op);
// Their names alone, as far as they are known.
std::vector<std::string> OperatorInputNames(const Operator& op);
// "2 inputs"; empty where the manifest says no number.
std::string InputCount(const Operator& op);

struct DeviceTypes {
  std::string device;  // "cpu"; "*": any, "": nothing is said of devices
  // Floating point first, by width; then the others. Of the type variables that may be a floating
  // point type, where there are any. None: not known.
  std::vector<std::string> dtypes;
};

// float16, bfloat16, float32, float64, other floating point types, all others.
bool DtypeBefore(const std::string& left, const std::string& right);

// By device. From its kernels; where the manifest has none, from the fields compute_DEVICE and the
// types that the registration allows.
std::vector<DeviceTypes> OperatorKernels(const Operator& op);

// Attribute -> its values; no values: any. Empty: nothing is known of the operator's attributes.
using OperatorAttributes = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;

OperatorAttributes ReadOperatorAttributes(const Operator& op);

// Whether registrations of kernels say which parameters they read, as those of our own dialect do:
// an operator none of whose kernels says one has none.
bool KernelsSayParameters(const Manifest& manifest);

enum class Allows { kUnknown, kNo, kSome, kYes };

// Of the inputs that may be float32: kYes where every one may be `dtype` too, kNo where none may,
// kSome where they differ; kUnknown where the registration does not say.
Allows AllowsDtype(const Operator& op, Dtype dtype);

// "T: float32, float64", for messages.
std::string AllowedDtypes(const Operator& op);

}  // namespace opledger
