// A small directed graph as an SVG picture: layers from top to bottom, edges as curves. Without
// scripts; colours are the page's, by class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

struct DrawnVertex {
  std::string title;
  std::string detail;  // a second line; may be empty
  std::string tooltip;
  std::string link;     // an address; may be empty
  std::string classes;  // "low", "float32", ...
  bool small = false;   // a cast, or where an edge leaves the picture
};

struct DrawnEdge {
  int from = 0;
  int to = 0;
  std::string classes;
};

struct Drawing {
  std::string label;  // what the picture shows, for those who do not see it
  std::vector<DrawnVertex> vertices;
  std::vector<DrawnEdge> edges;  // without circles
};

// One picture for each part that hangs together, in the order of the vertices.
std::string RenderDrawing(const Drawing& drawing);

}  // namespace opledger
