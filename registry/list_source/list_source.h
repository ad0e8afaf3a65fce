// Precision lists that a framework maintains in its own files (Python or C++) or in its
// registrations.
// In: the text of such a file, or a manifest. Out: its named lists and the meaning of their
// entries.
// May include: registry/condition, registry/dialect, registry/list_source/evaluate,
// registry/list_source/names, registry/manifest, registry/platform, registry/precision_list,
// registry/project, registry/python, registry/source, registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/list_source/list_module.h"
#include "registry/list_source/list_roles.h"
