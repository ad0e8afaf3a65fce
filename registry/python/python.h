// Python as a source language: tokens and syntax trees. No code is executed. In: the text of a
// file. Out: a tree with locations, or a diagnostic.
// May include: registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/python/ast.h"
#include "registry/python/parser.h"
