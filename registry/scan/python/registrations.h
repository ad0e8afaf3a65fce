// Turns a registering call into the operator and its fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/python/calls.h"

namespace opledger::scan {

// The operator's name and fields, as far as the arguments are known.
struct PythonRegistration {
  std::string name;                   // empty if not known
  const PythonValue* said = nullptr;  // the argument that states it; may be null
  std::vector<FieldFact> fields;
};

// `arguments` belong to the call in `evaluator`.
PythonRegistration ReadRegistration(const Dialect& dialect, const PythonCall& call,
                                    const PythonEvaluator& evaluator,
                                    const PythonArguments& arguments);

// "torch.half" -> "float16"; returns "" if the name is not a supported floating point type.
std::string DtypeOfPython(std::string_view name);

}  // namespace opledger::scan
