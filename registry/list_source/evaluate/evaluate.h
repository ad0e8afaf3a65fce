// Values of the constants of a Python module, as far as they follow from its text: literals, and
// what operators, methods, loops and calls of the module's own functions make of them. Nothing is
// run, and the work is bounded.
// In: a syntax tree. Out: names with their values, and what could not be read, with places.
// May include: registry/condition, registry/python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/list_source/evaluate/evaluator.h"
#include "registry/list_source/evaluate/value.h"
