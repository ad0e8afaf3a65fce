// Assigns vertices to layers (by the longest path to them), orders each layer (by the mean position
// of the neighbors, sweeping down and up), and computes positions (by the same mean, kept apart).
// An edge that spans layers has a point in each of them.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/report/graph_drawing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "registry/text/html.h"

namespace opledger {
namespace {

constexpr double kWidth = 156;
constexpr double kHeight = 38;
constexpr double kSmallWidth = 116;
constexpr double kSmallHeight = 20;
constexpr double kLayerGap = 26;
constexpr double kGap = 14;
constexpr int kSweeps = 8;
constexpr std::size_t kTitleLength = 21;
constexpr std::size_t kSmallLength = 17;

// A vertex of the drawing, or a point of an edge.
struct Spot {
  int vertex = -1;
  int layer = 0;
  double width = 8;
  double x = 0;  // the center
  std::vector<int> above;
  std::vector<int> below;
};

class Layout {
 public:
  explicit Layout(const Drawing& drawing) : drawing_(drawing) {
    for (std::size_t i = 0; i < drawing.vertices.size(); ++i) {
      Spot& place = places_.emplace_back();
      place.vertex = static_cast<int>(i);
      place.width = drawing.vertices[i].small ? kSmallWidth : kWidth;
    }
    FindLayers();
    RouteEdges();
    FindOrder();
    FindColumns();
    FindRows();
  }

  std::string Render() const;

 private:
  void FindLayers();
  void RouteEdges();
  void FindOrder();
  void FindColumns();
  void FindRows();
  static double Mean(const std::vector<int>& neighbours, const std::vector<double>& of,
                     double otherwise);
  void RenderEdge(std::size_t edge, std::string& out) const;
  void RenderVertex(std::size_t vertex, std::string& out) const;
  double HeightOf(int place) const {
    const int vertex = places_[place].vertex;
    if (vertex < 0) return 0;
    return drawing_.vertices[vertex].small ? kSmallHeight : kHeight;
  }

  const Drawing& drawing_;
  std::vector<Spot> places_;
  std::vector<std::vector<int>> routes_;  // per edge: places from its start to its end
  std::vector<std::vector<int>> layers_;
  std::vector<double> rows_;  // the center of each layer
  double width_ = 0;
  double height_ = 0;
};

void Layout::FindLayers() {
  bool changed = true;
  for (std::size_t round = 0; changed && round <= places_.size(); ++round) {
    changed = false;
    for (const DrawnEdge& edge : drawing_.edges) {
      if (places_[edge.to].layer > places_[edge.from].layer) continue;
      places_[edge.to].layer = places_[edge.from].layer + 1;
      changed = true;
    }
  }
  // Place a vertex without incoming edges right above its first reader.
  std::vector<int> nearest(places_.size(), -1);
  std::vector<bool> fed(places_.size());
  for (const DrawnEdge& edge : drawing_.edges) {
    const int layer = places_[edge.to].layer - 1;
    int& found = nearest[edge.from];
    found = found < 0 ? layer : std::min(found, layer);
    fed[edge.to] = true;
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!fed[i] && nearest[i] >= 0) places_[i].layer = nearest[i];
  }
}

void Layout::RouteEdges() {
  for (const DrawnEdge& edge : drawing_.edges) {
    std::vector<int>& route = routes_.emplace_back();
    route.push_back(edge.from);
    for (int layer = places_[edge.from].layer + 1; layer < places_[edge.to].layer; ++layer) {
      route.push_back(static_cast<int>(places_.size()));
      places_.emplace_back().layer = layer;
    }
    route.push_back(edge.to);
    for (std::size_t i = 1; i < route.size(); ++i) {
      places_[route[i - 1]].below.push_back(route[i]);
      places_[route[i]].above.push_back(route[i - 1]);
    }
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto layer = static_cast<std::size_t>(places_[i].layer);
    if (layers_.size() <= layer) layers_.resize(layer + 1);
    layers_[layer].push_back(static_cast<int>(i));
  }
}

double Layout::Mean(const std::vector<int>& neighbours, const std::vector<double>& of,
                    double otherwise) {
  if (neighbours.empty()) return otherwise;
  double sum = 0;
  for (const int each : neighbours) sum += of[each];
  return sum / static_cast<double>(neighbours.size());
}

void Layout::FindOrder() {
  std::vector<double> position(places_.size());
  const auto number = [&](const std::vector<int>& layer) {
    for (std::size_t i = 0; i < layer.size(); ++i) {
      position[layer[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(layer.size());
    }
  };
  for (const std::vector<int>& layer : layers_) number(layer);
  const auto sort = [&](std::vector<int>& layer, bool down) {
    std::vector<std::pair<double, int>> wanted;
    for (const int place : layer) {
      const Spot& each = places_[place];
      wanted.emplace_back(Mean(down ? each.above : each.below, position, position[place]), place);
    }
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < layer.size(); ++i) layer[i] = wanted[i].second;
    number(layer);
  };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      sort(layers_[down ? i : layers_.size() - 1 - i], down);
    }
  }
}

void Layout::FindColumns() {
  std::vector<double> x(places_.size());
  const auto place = [&](const std::vector<int>& layer, const std::vector<double>& wanted) {
    double end = -1e9;
    double shift = 0;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const double half = places_[layer[i]].width / 2;
      x[layer[i]] = std::max(wanted[i], end + kGap + half);
      end = x[layer[i]] + half;
      shift += wanted[i] - x[layer[i]];
    }
    shift /= static_cast<double>(layer.size());
    for (const int each : layer) x[each] += shift;
  };
  for (int sweep = 0; sweep < 2 * kSweeps; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const std::vector<int>& layer = layers_[down ? i : layers_.size() - 1 - i];
      std::vector<double> wanted;
      for (const int each : layer) {
        wanted.push_back(Mean(down ? places_[each].above : places_[each].below, x, x[each]));
      }
      place(layer, wanted);
    }
  }
  double left = 1e9;
  double right = -1e9;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    left = std::min(left, x[i] - places_[i].width / 2);
    right = std::max(right, x[i] + places_[i].width / 2);
  }
  for (std::size_t i = 0; i < places_.size(); ++i) places_[i].x = x[i] - left + kGap;
  width_ = places_.empty() ? 0 : right - left + 2 * kGap;
}

void Layout::FindRows() {
  double y = kGap;
  for (const std::vector<int>& layer : layers_) {
    double height = kSmallHeight;
    for (const int each : layer) height = std::max(height, HeightOf(each));
    rows_.push_back(y + height / 2);
    y += height + kLayerGap;
  }
  height_ = y - kLayerGap + kGap;
}

std::string Coordinate(double value) {
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%.0f", value);
  return {text, static_cast<std::size_t>(length)};
}

// Keeps the end of a long name, which says more than its start.
std::string Shortened(const std::string& name, std::size_t length) {
  if (name.size() <= length) return name;
  std::size_t begin = name.size() - length + 1;
  while (begin < name.size() && (static_cast<unsigned char>(name[begin]) & 0xc0) == 0x80) ++begin;
  return "\u2026" + name.substr(begin);
}

void Layout::RenderEdge(std::size_t edge, std::string& out) const {
  const std::vector<int>& route = routes_[edge];
  out += "<path class=\"e " + drawing_.edges[edge].classes + "\" d=\"";
  for (std::size_t i = 0; i < route.size(); ++i) {
    const Spot& place = places_[route[i]];
    const double row = rows_[place.layer];
    const double half = HeightOf(route[i]) / 2;
    if (i == 0) {
      out += "M" + Coordinate(place.x) + " " + Coordinate(row + half);
      continue;
    }
    const Spot& before = places_[route[i - 1]];
    const double from = rows_[before.layer] + HeightOf(route[i - 1]) / 2;
    const std::string middle = Coordinate((from + row - half) / 2);
    out += "C" + Coordinate(before.x) + " " + middle + " " + Coordinate(place.x) + " " + middle +
           " " + Coordinate(place.x) + " " + Coordinate(row - half);
  }
  out += "\"/>\n";
}

void Layout::RenderVertex(std::size_t vertex, std::string& out) const {
  const DrawnVertex& drawn = drawing_.vertices[vertex];
  const Spot& place = places_[vertex];
  const double height = drawn.small ? kSmallHeight : kHeight;
  const double top = rows_[place.layer] - height / 2;
  const std::string x = Coordinate(place.x);
  if (!drawn.link.empty()) out += "<a href=\"" + HtmlText(drawn.link) + "\">";
  out += "<g class=\"v " + drawn.classes + "\"><title>" + HtmlText(drawn.tooltip) + "</title>";
  out += "<rect x=\"" + Coordinate(place.x - place.width / 2) + "\" y=\"" + Coordinate(top) +
         "\" width=\"" + Coordinate(place.width) + "\" height=\"" + Coordinate(height) +
         "\" rx=\"" + (drawn.small ? "10" : "5") + "\"/>";
  const double first = drawn.detail.empty() ? top + height / 2 + 4 : top + 16;
  out += "<text x=\"" + x + "\" y=\"" + Coordinate(first) + "\">" +
         HtmlText(Shortened(drawn.title, drawn.small ? kSmallLength : kTitleLength)) + "</text>";
  if (!drawn.detail.empty()) {
    out += "<text class=\"d\" x=\"" + x + "\" y=\"" + Coordinate(top + 31) + "\">" +
           HtmlText(Shortened(drawn.detail, kTitleLength)) + "</text>";
  }
  out += "</g>";
  if (!drawn.link.empty()) out += "</a>";
  out += '\n';
}

std::string Layout::Render() const {
  std::string out = "<svg class=\"g\" role=\"group\" width=\"" + Coordinate(width_) +
                    "\" height=\"" + Coordinate(height_) + "\" viewBox=\"0 0 " +
                    Coordinate(width_) + " " + Coordinate(height_) + "\" aria-label=\"" +
                    HtmlText(drawing_.label) + "\">\n";
  for (std::size_t i = 0; i < drawing_.edges.size(); ++i) RenderEdge(i, out);
  for (std::size_t i = 0; i < drawing_.vertices.size(); ++i) RenderVertex(i, out);
  return out + "</svg>\n";
}

int RootOf(std::vector<int>& parents, int vertex) {
  while (parents[vertex] != vertex) vertex = parents[vertex] = parents[parents[vertex]];
  return vertex;
}

// Splits the drawing into connected components.
std::vector<Drawing> Parts(const Drawing& drawing) {
  std::vector<int> parents(drawing.vertices.size());
  for (std::size_t i = 0; i < parents.size(); ++i) parents[i] = static_cast<int>(i);
  for (const DrawnEdge& edge : drawing.edges) {
    const int from = RootOf(parents, edge.from);
    const int to = RootOf(parents, edge.to);
    parents[std::max(from, to)] = std::min(from, to);
  }
  std::vector<Drawing> parts;
  std::vector<int> part_of(parents.size());   // per root
  std::vector<int> index_in(parents.size());  // per vertex, in its part
  for (std::size_t i = 0; i < parents.size(); ++i) {
    const int root = RootOf(parents, static_cast<int>(i));
    if (root == static_cast<int>(i)) {
      part_of[i] = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    std::vector<DrawnVertex>& vertices = parts[part_of[root]].vertices;
    index_in[i] = static_cast<int>(vertices.size());
    vertices.push_back(drawing.vertices[i]);
  }
  for (const DrawnEdge& edge : drawing.edges) {
    Drawing& part = parts[part_of[RootOf(parents, edge.from)]];
    part.edges.push_back({index_in[edge.from], index_in[edge.to], edge.classes});
  }
  return parts;
}

}  // namespace

std::string RenderDrawing(const Drawing& drawing) {
  std::vector<Drawing> parts = Parts(drawing);
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].label = drawing.label;
    if (i > 0) parts[i].label = "Part " + std::to_string(i + 1) + " of the graph";
    out += Layout(parts[i]).Render();
  }
  return out;
}

}  // namespace opledger
