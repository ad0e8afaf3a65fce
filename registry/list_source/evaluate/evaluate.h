// Evaluates the constants of a Python module as far as they follow from its text: literals, and the
// results of operators, methods, loops and calls of the module's own functions. No code is
// executed, and the work is bounded.
// In: a syntax tree. Out: names and their values, and problems with locations.
// May include: registry/condition, registry/python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/list_source/evaluate/evaluator.h"
#include "registry/list_source/evaluate/value.h"
