// Reads the bytes of a @PASCAL@ model into a graph. (Say here where the format is described.)
// The skeleton reads lines: "@NAME@", then one operator per line.
// May include: conversion/model/files, conversion/model/graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "conversion/model/files/files.h"
#include "conversion/model/graph/graph.h"

namespace opledger {

struct @PASCAL@Model {
  SourceFile file;
  Graph graph;  // its views are into the file
};

// Returns nullopt, with errors, if the file is not such a model.
std::optional<@PASCAL@Model> Read@PASCAL@(SourceFile file, Diagnostics& diagnostics);

}  // namespace opledger
