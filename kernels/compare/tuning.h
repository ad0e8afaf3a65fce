// Searches for the fewest nodes that have to stay in float32 so that a model's outputs are close
// enough.
//   rank   the nodes by their contribution to the error of the outputs
//   bisect how many of the first of them are enough
//   prune  nodes that are not needed after all
// No single node of the result can be left out, but a smaller set may exist, because the errors of
// two nodes may cancel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace opledger {

// Returns the error of the outputs with the nodes `kept` (indices into all nodes) in float32. If it
// exceeds `enough` it need not be exact. Returns nullopt if the model cannot be run or was stopped.
using ErrorWhereKept =
    std::function<std::optional<double>(const std::vector<std::size_t>& kept, double enough)>;

struct Tuning {
  std::vector<std::size_t> kept;  // sorted
  bool met = false;               // false: not even all nodes are enough
  std::optional<double> before;   // error with none kept; nullopt: stopped before it was known
  // Error with `kept`, or with all nodes if not met. nullopt: stopped before it was known; all are
  // kept.
  std::optional<double> error;
  std::size_t runs = 0;
  bool stopped = false;  // stopped early: fewer may be enough
};

// If there are at most this many nodes, the contribution of each is measured by a run.
inline constexpr std::size_t kFewNodes = 40;

// Searches for the fewest nodes that keep the error at or below `max_error`. `contributions`: an
// estimate for each node; ignored for up to kFewNodes nodes. `stop`: checked before each run except
// the first two, which are required, and after a run that returned nothing, which otherwise counts
// as failed; if it returns true, the search ends. Returns nullopt if a run failed.
std::optional<Tuning> Tune(const std::vector<double>& contributions, double max_error,
                           const ErrorWhereKept& error, const std::function<bool()>& stop);

}  // namespace opledger
