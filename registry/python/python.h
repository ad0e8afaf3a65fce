// Python as a source language: its tokens and its syntax tree. Nothing is run.
// In: the text of a file. Out: a tree with places, or a diagnostic.
// May include: registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/python/ast.h"
#include "registry/python/parser.h"
