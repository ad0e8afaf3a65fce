// @PASCAL@ models: the file's bytes -> a graph. (Say here where the format is described.)
// The skeleton reads lines: "@NAME@", then an operator a line.
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

// None, with errors: the file is no such model.
std::optional<@PASCAL@Model> Read@PASCAL@(SourceFile file, Diagnostics& diagnostics);

}  // namespace opledger
