// Draws a small directed graph as SVG: layers from top to bottom, edges as curves. Uses no scripts;
// the page's style sets colors by class.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace opledger {

struct DrawnVertex {
  std::string title;
  std::string detail;  // a second line; may be empty
  std::string tooltip;
  std::string link;     // a URL; may be empty
  std::string classes;  // "low", "float32", ...
  bool small = false;   // a cast, or where an edge leaves the picture
};

struct DrawnEdge {
  int from = 0;
  int to = 0;
  std::string classes;
};

struct Drawing {
  std::string label;  // alternative text
  std::vector<DrawnVertex> vertices;
  std::vector<DrawnEdge> edges;  // must not form cycles
};

// Draws one picture per connected component, in the order of the vertices.
std::string RenderDrawing(const Drawing& drawing);

}  // namespace opledger
