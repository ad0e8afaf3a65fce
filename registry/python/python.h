// Python as a source language: its tokens, and reading them. Nothing is run.
// In: the text of a file. Out: tokens with places, or a diagnostic.
// May include: registry/text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "registry/python/tokens.h"
