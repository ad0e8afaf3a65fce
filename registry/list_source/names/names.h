// Names of operators where a framework has them beside its list: sections of a reStructuredText or
// Markdown page, lists of its tests. In: texts. Out: the names, with their places.
// May include: registry/precision_list, registry/project, registry/python, registry/source,
// registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/list_source/names/named_operators.h"
#include "registry/list_source/names/page_names.h"
