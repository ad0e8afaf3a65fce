// Names of operators that a framework has outside its list: in sections of reStructuredText or
// Markdown pages and in lists of its tests.
// In: texts. Out: the names and their locations.
// May include: registry/precision_list, registry/project, registry/python, registry/source,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/list_source/names/named_operators.h"
#include "registry/list_source/names/page_names.h"
