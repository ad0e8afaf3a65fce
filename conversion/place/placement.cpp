// The low units are the source's side. Two vertices more per tensor make its casts shared:
//   consumer -> down (any amount), down -> producer (cost of a cast down)
//   producer -> up (cost of a cast up), up -> consumer (any amount)
// Boost's Boykov-Kolmogorov took 2.1 to 2.5 times as long on graphs of twice the size, push-relabel
// over four times.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/placement.h"

#include <algorithm>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // in Boost's code, with optimisation
#endif
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <limits>
#include <numeric>

namespace opledger {
namespace {

using Capacity = std::int64_t;
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using VertexProperties = boost::property<
    boost::vertex_index_t, long,
    boost::property<
        boost::vertex_color_t, boost::default_color_type,
        boost::property<boost::vertex_distance_t, long,
                        boost::property<boost::vertex_predecessor_t, Traits::edge_descriptor>>>>;
using EdgeProperties = boost::property<
    boost::edge_capacity_t, Capacity,
    boost::property<boost::edge_residual_capacity_t, Capacity,
                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
using Network = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, VertexProperties,
                                      EdgeProperties>;
using Vertex = Traits::vertex_descriptor;

constexpr Capacity kUnlimited = std::numeric_limits<Capacity>::max() / 4;

// Units that tensors and arcs connect, by a representative of each.
class Components {
 public:
  explicit Components(std::size_t size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), 0);
  }
  UnitId Of(UnitId unit) {
    while (parents_[unit] != unit) unit = parents_[unit] = parents_[parents_[unit]];
    return unit;
  }
  void Join(UnitId a, UnitId b) { parents_[Of(a)] = Of(b); }

 private:
  std::vector<UnitId> parents_;
};

// Units whose component has one pinned low. Pinned-high units do not connect: a graph's inputs are
// one unit, and so are its outputs.
std::vector<bool> Touched(const PlacementProblem& problem) {
  Components components(problem.units.size());
  const auto join = [&](UnitId a, UnitId b) {
    if (problem.units[a] != Pin::kHigh && problem.units[b] != Pin::kHigh) components.Join(a, b);
  };
  for (const PlacementProblem::Tensor& tensor : problem.tensors) {
    UnitId first = tensor.producer;
    for (const UnitId consumer : tensor.consumers) {
      join(tensor.producer, consumer);
      // Two readers of one value share its cast, whoever computes it.
      if (problem.units[first] == Pin::kHigh) first = consumer;
      join(first, consumer);
    }
  }
  for (const PlacementProblem::Arc& arc : problem.arcs) join(arc.unit, arc.needs);
  std::vector<bool> low(problem.units.size());
  for (std::size_t unit = 0; unit < problem.units.size(); ++unit) {
    if (problem.units[unit] == Pin::kLow) low[components.Of(static_cast<UnitId>(unit))] = true;
  }
  std::vector<bool> touched(problem.units.size());
  for (std::size_t unit = 0; unit < problem.units.size(); ++unit) {
    touched[unit] = low[components.Of(static_cast<UnitId>(unit))];
  }
  return touched;
}

class Cut {
 public:
  explicit Cut(const PlacementProblem& problem)
      : network_(problem.units.size() + 2 * problem.tensors.size() + 2),
        capacity_(get(boost::edge_capacity, network_)),
        reverse_(get(boost::edge_reverse, network_)),
        source_(num_vertices(network_) - 2),
        sink_(num_vertices(network_) - 1) {}

  void Add(Vertex from, Vertex to, Capacity capacity) {
    const auto forward = add_edge(from, to, network_).first;
    const auto backward = add_edge(to, from, network_).first;
    capacity_[forward] = capacity;
    capacity_[backward] = 0;
    reverse_[forward] = backward;
    reverse_[backward] = forward;
  }
  Vertex source() const { return source_; }
  Vertex sink() const { return sink_; }

  // Whether each unit is on the source's side of the minimum cut that leaves most there.
  std::vector<bool> Solve(std::size_t units) {
    boost::boykov_kolmogorov_max_flow(network_, source_, sink_);
    std::vector<bool> reaches_sink = ReachingSink();
    std::vector<bool> low(units);
    for (std::size_t unit = 0; unit < units; ++unit) low[unit] = !reaches_sink[unit];
    return low;
  }

 private:
  // The vertices from which more could flow to the sink.
  std::vector<bool> ReachingSink() {
    const auto residual = get(boost::edge_residual_capacity, network_);
    std::vector<bool> reached(num_vertices(network_));
    std::vector<Vertex> open = {sink_};
    reached[sink_] = true;
    while (!open.empty()) {
      const Vertex vertex = open.back();
      open.pop_back();
      for (auto [edge, end] = out_edges(vertex, network_); edge != end; ++edge) {
        const Vertex other = target(*edge, network_);
        if (reached[other] || residual[reverse_[*edge]] == 0) continue;
        reached[other] = true;
        open.push_back(other);
      }
    }
    return reached;
  }

  Network network_;
  boost::property_map<Network, boost::edge_capacity_t>::type capacity_;
  boost::property_map<Network, boost::edge_reverse_t>::type reverse_;
  Vertex source_;
  Vertex sink_;
};

bool Wants(const PlacementProblem::Tensor& tensor, const std::vector<bool>& low, bool wanted) {
  return std::any_of(tensor.consumers.begin(), tensor.consumers.end(),
                     [&](UnitId consumer) { return low[consumer] == wanted; });
}

}  // namespace

PlacementResult Place(const PlacementProblem& problem) {
  const std::size_t units = problem.units.size();
  const std::vector<bool> touched = Touched(problem);
  Cut cut(problem);
  for (std::size_t unit = 0; unit < units; ++unit) {
    const Pin pin = problem.units[unit];
    if (pin == Pin::kLow) cut.Add(cut.source(), unit, kUnlimited);
    if (pin == Pin::kHigh || !touched[unit]) cut.Add(unit, cut.sink(), kUnlimited);
  }
  Vertex next = units;
  for (const PlacementProblem::Tensor& tensor : problem.tensors) {
    const auto producer = static_cast<Vertex>(tensor.producer);
    const Vertex down = next++;
    const Vertex up = next++;
    if (tensor.consumers.empty()) continue;
    cut.Add(down, producer, static_cast<Capacity>(tensor.down));
    cut.Add(producer, up, static_cast<Capacity>(tensor.up));
    for (const UnitId consumer : tensor.consumers) {
      cut.Add(static_cast<Vertex>(consumer), down, kUnlimited);
      cut.Add(up, static_cast<Vertex>(consumer), kUnlimited);
    }
  }
  for (const PlacementProblem::Arc& arc : problem.arcs) {
    cut.Add(static_cast<Vertex>(arc.unit), static_cast<Vertex>(arc.needs), kUnlimited);
  }
  PlacementResult result;
  result.low = cut.Solve(units);
  result.cost = CostOf(problem, result.low);
  return result;
}

std::uint64_t CostOf(const PlacementProblem& problem, const std::vector<bool>& low) {
  std::uint64_t cost = 0;
  for (const PlacementProblem::Tensor& tensor : problem.tensors) {
    if (!low[tensor.producer] && Wants(tensor, low, true)) cost += tensor.down;
    if (low[tensor.producer] && Wants(tensor, low, false)) cost += tensor.up;
  }
  return cost;
}

}  // namespace opledger
