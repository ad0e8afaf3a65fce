// One call that registers -> the operator and what is said of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "registry/dialect/dialect.h"
#include "registry/scan/facts/facts.h"
#include "registry/scan/python/calls.h"

namespace opledger::scan {

// The operator's name and fields, from the arguments as far as they are known.
struct PythonRegistration {
  std::string name;                   // empty: it is not known
  const PythonValue* said = nullptr;  // the argument that says it; nullptr: none does
  std::vector<FieldFact> fields;
};

// `arguments` are those of the call in `evaluator`.
PythonRegistration ReadRegistration(const Dialect& dialect, const PythonCall& call,
                                    const PythonEvaluator& evaluator,
                                    const PythonArguments& arguments);

// "float16" of "torch.half"; empty: it is no floating point type.
std::string DtypeOfPython(std::string_view name);

}  // namespace opledger::scan
