// Compares placements with an exhaustive search.
// SPDX-License-Identifier: Apache-2.0
#include "conversion/place/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "tests/rounds.h"

namespace opledger {
namespace {

using Tensor = PlacementProblem::Tensor;

std::vector<bool> AsBits(std::uint32_t mask, std::size_t size) {
  std::vector<bool> bits(size);
  for (std::size_t i = 0; i < size; ++i) bits[i] = (mask >> i & 1) != 0;
  return bits;
}

bool Allowed(const PlacementProblem& problem, const std::vector<bool>& low) {
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (problem.nodes[i] == Pin::kLow && !low[i]) return false;
    if (problem.nodes[i] == Pin::kHigh && low[i]) return false;
  }
  for (const auto& arc : problem.arcs) {
    if (low[arc.node] && !low[arc.needs]) return false;
  }
  return true;
}

std::uint64_t CheapestOfAll(const PlacementProblem& problem) {
  std::optional<std::uint64_t> best;
  for (std::uint32_t mask = 0; mask < 1U << problem.nodes.size(); ++mask) {
    const std::vector<bool> low = AsBits(mask, problem.nodes.size());
    if (!Allowed(problem, low)) continue;
    const std::uint64_t cost = CostOf(problem, low);
    if (!best || cost < *best) best = cost;
  }
  return best.value_or(0);
}

// A random graph: each unit reads values of earlier ones.
PlacementProblem Drawn(std::mt19937& random, bool bytes) {
  const auto draw = [&](int limit) { return static_cast<int>(random() % limit); };
  PlacementProblem problem;
  const int count = 2 + draw(15);
  for (int unit = 0; unit < count; ++unit) {
    const int kind = draw(6);
    problem.nodes.push_back(kind == 0 ? Pin::kLow : kind == 1 ? Pin::kHigh : Pin::kFree);
    const std::uint64_t cost = bytes ? 1 + draw(1000) : 1;
    problem.tensors.push_back({unit, {}, cost, bytes ? 1 + draw(1000) : cost});
    if (unit == 0) continue;
    for (int input = 1 + draw(3); input > 0; --input) {
      problem.tensors[draw(unit)].consumers.push_back(unit);
    }
    const bool widest = problem.nodes[unit] == Pin::kFree && draw(4) == 0;
    if (widest) problem.arcs.push_back({unit, draw(unit)});
  }
  return problem;
}

TEST(PlacementTest, EqualsTryingEveryPlacement) {
  std::mt19937 random(7);
  for (int round = 0; round < Rounds(600); ++round) {
    const PlacementProblem problem = Drawn(random, round % 2 == 1);
    const PlacementResult result = Place(problem);
    ASSERT_TRUE(Allowed(problem, result.low)) << round;
    ASSERT_EQ(result.cost, CheapestOfAll(problem)) << round;
  }
}

// Units that a unit pinned low reaches through values and arcs, not through units pinned high.
std::vector<bool> Reached(const PlacementProblem& problem) {
  std::vector<bool> reached(problem.nodes.size());
  for (std::size_t i = 0; i < reached.size(); ++i) reached[i] = problem.nodes[i] == Pin::kLow;
  std::vector<std::vector<PlacementNodeId>> groups;
  for (const Tensor& tensor : problem.tensors) {
    groups.push_back(tensor.consumers);
    groups.back().push_back(tensor.producer);
  }
  for (const auto& arc : problem.arcs) groups.push_back({arc.node, arc.needs});
  for (std::size_t round = 0; round < reached.size(); ++round) {
    for (const auto& group : groups) {
      const bool any =
          std::any_of(group.begin(), group.end(), [&](PlacementNodeId u) { return reached[u]; });
      for (const PlacementNodeId unit : group) {
        if (any && problem.nodes[unit] != Pin::kHigh) reached[unit] = true;
      }
    }
  }
  return reached;
}

TEST(PlacementTest, TakesTheLargestLowSide) {
  std::mt19937 random(8);
  for (int round = 0; round < Rounds(200); ++round) {
    const PlacementProblem problem = Drawn(random, false);
    const std::vector<bool> reached = Reached(problem);
    const PlacementResult result = Place(problem);
    const std::size_t size = problem.nodes.size();
    std::vector<bool> largest(size);
    for (std::uint32_t mask = 0; mask < 1U << size; ++mask) {
      const std::vector<bool> low = AsBits(mask, size);
      bool stays = Allowed(problem, low);
      for (std::size_t unit = 0; unit < size; ++unit)
        stays = stays && (!low[unit] || reached[unit]);
      if (!stays || CostOf(problem, low) != result.cost) continue;
      for (std::size_t unit = 0; unit < size; ++unit) largest[unit] = largest[unit] || low[unit];
    }
    ASSERT_EQ(result.low, largest) << round;
  }
}

TEST(PlacementTest, SharesOneCastOfATensor) {
  // 0 high -> 1, 2, 3 low: one cast serves all three.
  const PlacementProblem problem{
      {Pin::kHigh, Pin::kLow, Pin::kLow, Pin::kLow}, {Tensor{0, {1, 2, 3}}}, {}};
  EXPECT_EQ(Place(problem).cost, 1u);
}

TEST(PlacementTest, LeavesWhatTouchesNothingLow) {
  // high 0 -> free 1 -> high 2, and beside it high 3 -> low 4.
  const PlacementProblem problem{{Pin::kHigh, Pin::kFree, Pin::kHigh, Pin::kHigh, Pin::kLow},
                                 {Tensor{0, {1}}, Tensor{1, {2}}, Tensor{3, {4}}},
                                 {}};
  EXPECT_EQ(Place(problem).low, (std::vector<bool>{false, false, false, false, true}));
}

TEST(PlacementTest, WidestGoesLowOnlyWithWhatItReads) {
  // The sum of a low and a high value stays high, although a low sum would save the cast after it.
  PlacementProblem problem{{Pin::kLow, Pin::kHigh, Pin::kFree, Pin::kLow, Pin::kLow},
                           {Tensor{0, {2}}, Tensor{1, {2}}, Tensor{2, {3, 4}}},
                           {}};
  EXPECT_TRUE(Place(problem).low[2]);
  problem.arcs = {{2, 0}, {2, 1}};
  EXPECT_FALSE(Place(problem).low[2]);
  EXPECT_EQ(Place(problem).cost, 2u);
}

}  // namespace
}  // namespace opledger
